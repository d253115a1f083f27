"""Undo disguises of a text: look-alike letters, invisible characters, escapes, encodings, spacing."""

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

from cairn.detection.vendor_formats import PREFIXES

# Cyrillic and Greek letters, dashes and a dot that pass for ASCII: one for one, so that every place stays.
_LOOKALIKES: Final = dict(
    zip(
        "\u0410\u0412\u0415\u0405\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0406\u0408\u051a\u051c"
        "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u0391\u0392\u0395"
        "\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u03bf\u03bd\u03b9\u0430\u2010\u2011"
        "\u2012\u2013\u2014\u2212\u2024",
        "ABESKMHOPCTYXIJQWaeopcyxijshdqwABEZHIKMNOPTYXovia------.",
        strict=True,
    )
)
# Percent-encoding, \u of JSON and JavaScript, the escaped slash of JSON, and entities of HTML. Runs are taken together,
# since UTF-8 spreads a character over several.
_WRITTEN: Final = (
    r"(?:%[0-9A-Fa-f]{2}){1,64}|(?:\\u[0-9a-fA-F]{4}){1,64}|\\/"
    r"|&(?:#\d{2,5}|#x[0-9a-fA-F]{2,4}|amp|quot|commat|period);"
)
_ESCAPE: Final = re.compile(_WRITTEN)
# The soft hyphen, joiners, marks of direction, variation selectors: drawn as nothing, they part a secret.
_ESCAPE_OR_INVISIBLE: Final = re.compile(
    r"[\u00ad\u034f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff]{1,64}"
    rf"|{_WRITTEN}"
)
# Written white space ends a secret as real white space does; two characters become two, so that places stay.
_SAME_LENGTH: Final = (("\\n", " \n"), ("\\r", " \n"), ("\\t", "  "))
# 14 characters of base64 are 10 bytes, _LEAST_DECODED; MIME breaks it into lines of 76 (RFC 2045).
_CODED: Final = re.compile(r"[A-Za-z0-9+/_-]{14,}+(?:\r?\n[A-Za-z0-9+/]{4,76}+)*+={0,2}")
# "A K I A ...": ten or more single characters with the same sign between all of them.
_SPACED: Final = re.compile(
    r"[ ._-](?<=(?<![\w+/=-])[\w+/=-][ ._-])[\w+/=.-](?!\w)(?:(?<=([ ._-]).)\1[\w+/=.-](?!\w)){8,2000}+"
)
# "AKIA 1B2C 3D4E ...": groups of four, as people read keys to each other, behind a vendor's prefix.
_GROUPS: Final = sorted({prefix[:4] for prefix in PREFIXES if re.match(r"\w{4}", prefix)})
_GROUPED: Final = re.compile(
    rf"(?:{'|'.join(_GROUPS)})(?<!\w.{{4}})([ -])\w{{4}}(?:\1\w{{4}}(?!\w)){{2,64}}+(?P<rest>\1\w{{1,3}}(?!\w))?"
)
_LEAST_DECODED: Final = 10


class _Folding(dict[int, int]):
    """Maps each code point to the ASCII character that it looks like, one to one, so that positions stay."""

    def __missing__(self, code: int) -> int:
        """Fold a code point that was not met before."""
        char = chr(code)
        plain = _LOOKALIKES.get(char) or unicodedata.normalize("NFKC", char)
        if not (len(plain) == 1 and plain.isascii()):
            digit = unicodedata.decimal(char, None)
            plain = char if digit is None else str(digit)
        # Superscripts and fractions (category No) stay: "m²" says no digit.
        self[code] = code if unicodedata.category(char) == "No" else ord(plain)
        return self[code]


_FOLDING: Final = _Folding()


def folded(text: str) -> str:
    """Return a text of the same length with full-width and look-alike characters as plain ones."""
    return text if text.isascii() else text.translate(_FOLDING)


@dataclass(frozen=True, slots=True)
class Unescaped:
    """A text without invisible characters and escapes, with the mapping back to the original."""

    text: str
    starts: list[int]
    """Where in `text` each replaced part stands; `ends`, `was_from` and `was_to` belong to the same parts."""
    ends: list[int]
    was_from: list[int]
    was_to: list[int]

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
    spread = text
    for written, meant in _SAME_LENGTH:
        spread = spread.replace(written, meant)
    parts: list[str] = []
    edits: tuple[list[int], list[int], list[int], list[int]] = ([], [], [], [])
    length = behind = 0
    for match in (_ESCAPE if text.isascii() else _ESCAPE_OR_INVISIBLE).finditer(spread):
        start, end = match.span()
        plain = _plain(match[0])
        parts += (spread[behind:start], plain)
        begins, behind = length + start - behind, end
        length = begins + len(plain)
        for bounds, bound in zip(edits, (begins, length, start, end), strict=True):
            bounds.append(bound)
    plain = "".join([*parts, spread[behind:]])
    return None if plain == text else Unescaped(plain, *edits)


def _plain(escape: str) -> str:
    if escape[0] == "%":
        # What is no UTF-8 is no percent-encoding, such as the beginning of %DB_PASSWORD%.
        return unquote(escape, errors="ignore") or escape
    if escape.startswith("\\u"):
        return "".join(chr(int(code, 16)) for code in escape.split("\\u")[1:])
    if escape[0] == "&":
        return html.unescape(escape)
    return "/" if escape[0] == "\\" else ""


def decoded(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield what parts of a text say in base64, in hexadecimal or when their spaces go, with the bounds of the part."""
    for match in _CODED.finditer(text):
        yield from _coded(match[0], match.start())
    for match in _SPACED.finditer(text):
        start, end = match.start() - 1, match.end()
        yield text[start:end].replace(match[1], ""), start, end
    for match in _GROUPED.finditer(text):
        # A shorter last group may be of the secret or the next word of the sentence: both readings are looked at.
        for end in {match.end(), match.start("rest")} - {-1}:
            yield text[match.start() : end].replace(match[1], ""), match.start(), end


def _coded(run: str, start: int) -> Iterator[tuple[str, int, int]]:
    plain = _text_in(run)
    if plain is not None:
        yield plain, start, start + len(run)
    elif "\n" in run:
        # Not all lines together say something, but one of them may: lists of encoded values look like wrapped base64.
        for line in re.finditer(r"\S+", run):
            yield from _coded(line[0], start + line.start())


def _text_in(run: str) -> str | None:
    try:
        # All hexadecimal is base64 as well, so that it comes first.
        data = bytes.fromhex(run)
    except ValueError:
        data = _from_base64(run)
    if len(data) < _LEAST_DECODED or not data.isascii():
        return None
    plain = data.decode("ascii")
    return plain if plain.translate(_PRINTED).isprintable() else None


def _from_base64(run: str) -> bytes:
    body = "".join(run.split()).rstrip("=").replace("-", "+").replace("_", "/")
    # Four characters are three bytes, three two, two one; a single one left over is none.
    usable = body[: len(body) - (len(body) % 4 == 1)]
    return binascii.a2b_base64(usable + "=" * (-len(usable) % 4))


_PRINTED: Final = str.maketrans("\n\r\t", "   ")
