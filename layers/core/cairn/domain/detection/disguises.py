"""What a text says without its disguises: look-alike letters, invisible characters, escapes, encodings, spacing."""

from __future__ import annotations

import binascii
import html
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from cairn.domain.detection.vendor_tokens import PREFIXES

_LOOKALIKES: Final = dict(
    zip(
        "АВЕЅКМНОРСТУХІЈԚԜаеорсухіјѕһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΥΧονιа‐‑‒–—−․٠",
        "ABESKMHOPCTYXIJQWaeopcyxijshdqwABEZHIKMNOPTYXovia------.0",
        strict=True,
    )
)
_ESCAPE: Final = re.compile(
    r"[\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]{1,64}|(?:%[0-9A-Fa-f]{2}){1,64}"
    r"|(?:\\u[0-9a-fA-F]{4}){1,64}|\\+[nrt\"/](?![A-Za-z]:)|&(?:#\d{2,5}|#x[0-9a-fA-F]{2,4}|amp|quot|commat|period);"
    r"| ?[\[({] ?(?:at|AT|dot|DOT) ?[\])}] ?"
)
_CODED: Final = re.compile(r"(?:[A-Za-z0-9+/]{60,76}\r?\n){0,200}[A-Za-z0-9+/_-]{16,}+={0,2}")
_GROUPS: Final = sorted({prefix[:4] for prefix in PREFIXES if re.match(r"\w{4}", prefix)})
_SPACED: Final = re.compile(
    r"(?<![\w+/=-])[\w+/=-](?P<one>[ ._-])[\w+/=.-](?!\w)(?:(?P=one)[\w+/=.-](?!\w)){8,2000}+"
    rf"|(?<![\w-])(?:{'|'.join(_GROUPS)})(?P<four>[ -])"
    r"\w{4}(?:(?P=four)\w{4}(?!\w)){2,64}+(?P<rest>(?P=four)\w{1,3}(?!\w))?"
)
_NAMED: Final = {"at": "@", "dot": "."}
_LEAST_DECODED: Final = 10


class _Folding(dict[int, int]):
    """Maps each code point to the ASCII character it passes for, one to one, so that places stay; filled on demand."""

    def __missing__(self, code: int) -> int:
        """Fold a code point that was not met before."""
        char = chr(code)
        plain = _LOOKALIKES.get(char) or unicodedata.normalize("NFKC", char)
        if not (len(plain) == 1 and plain.isascii()):
            digit = unicodedata.decimal(char, None)
            plain = char if digit is None else str(digit)
        self[code] = code if unicodedata.category(char) == "No" else ord(plain)
        return self[code]


_FOLDING: Final = _Folding()


def folded(text: str) -> str:
    """Return a text of the same length with full-width and look-alike characters as plain ones."""
    return text if text.isascii() else text.translate(_FOLDING)


@dataclass(frozen=True, slots=True)
class Unescaped:
    """A text without invisible characters and escapes, and the way back to the text it was."""

    text: str
    starts: tuple[int, ...]
    """Where in `text` each replaced part stands; `ends`, `was_from` and `was_to` belong to the same parts."""
    ends: tuple[int, ...]
    was_from: tuple[int, ...]
    was_to: tuple[int, ...]

    def origin(self, start: int, end: int) -> tuple[int, int]:
        """Return the bounds in the original of a part of the text."""
        last = self._was(end - 1, at_end=True) + 1
        return self._was(start, at_end=False), last

    def _was(self, place: int, *, at_end: bool) -> int:
        at = bisect_right(self.starts, place) - 1
        if at < 0:
            return place
        if place < self.ends[at]:
            return self.was_to[at] - 1 if at_end else self.was_from[at]
        return self.was_to[at] + place - self.ends[at]


def unescaped(text: str) -> Unescaped | None:
    """Return a text without its escapes, None where it has none."""
    parts: list[str] = []
    edits: list[tuple[int, int, int, int]] = []
    length = behind = 0
    for match in _ESCAPE.finditer(text):
        kept, plain = text[behind : match.start()], _plain(match[0])
        parts += (kept, plain)
        begins = length + len(kept)
        length, behind = begins + len(plain), match.end()
        edits.append((begins, length, *match.span()))
    if not edits:
        return None
    return Unescaped("".join([*parts, text[behind:]]), *zip(*edits, strict=True))


def _plain(escape: str) -> str:
    if escape[0] == "%":
        return unquote(escape, errors="replace")
    if escape.startswith("\\u"):
        return "".join(chr(int(code, 16)) for code in escape.split("\\u")[1:])
    if escape[0] == "\\":
        return {"n": "\n", "r": "\n", "t": " "}.get(escape[-1], escape[-1])
    if escape[0] == "&":
        return html.unescape(escape)
    return _NAMED.get(escape.strip(" []{}()").lower(), "")


def decoded(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield what parts of a text say in base64, in hexadecimal or when their spaces go, with the bounds of the part."""
    for match in _CODED.finditer(text):
        plain = _text_in(match[0])
        if plain is not None:
            yield plain, *match.span()
    for match in _SPACED.finditer(text):
        separator, (start, end) = match["one"] or match["four"], match.span()
        yield match[0].replace(separator, ""), start, end
        if match["rest"]:
            yield match[0].removesuffix(match["rest"]).replace(separator, ""), start, end - len(match["rest"])


def _text_in(run: str) -> str | None:
    try:
        data = bytes.fromhex(run)
    except ValueError:
        data = _from_base64(run)
    if len(data) < _LEAST_DECODED or not data.isascii():
        return None
    plain = data.decode("ascii")
    return plain if plain.translate(_PRINTED).isprintable() else None


def _from_base64(run: str) -> bytes:
    body = "".join(run.split()).rstrip("=").replace("-", "+").replace("_", "/")
    usable = body[: len(body) - (len(body) % 4 == 1)]
    return binascii.a2b_base64(usable + "=" * (-len(usable) % 4))


_PRINTED: Final = str.maketrans("\n\r\t", "   ")
