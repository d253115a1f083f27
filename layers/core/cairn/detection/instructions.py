"""Tell whether a text has the shape of an instruction to a model: it lifts rules, sets others, or poses as the system.

What is looked for are sentences that only a model could follow, and not a matter: a manual in the imperative has none
as a rule, nor has what a tool usually prints. Most shapes are words that stand near each other in a sentence, in the
languages of instruction_words.json; others are in English alone, or marks by which a prompt parts who speaks.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, TypeAlias

from cairn.detection.disguises import folded, unescaped
from cairn.detection.english_instructions import MARKS, SHAPES, WITHIN
from cairn.language.terms import fold

_Shape: TypeAlias = tuple[Sequence[str], re.Pattern[str]]
"""A pattern, and texts of which one stands in whatever it matches."""
_READ: Final = 64_000
"""In how many characters of a text that is looked for."""
_NEAR: Final = 200
"""How many characters before and behind such a text the pattern may reach."""
_TABLE: Final = Path(__file__).with_name("instruction_words.json")
# A line break within a paragraph is a space; two end a sentence.
_WRAPPED: Final = re.compile(r"[^\S\n]*\n(?!\s*\n)[^\S\n]*[>#*/-]*[^\S\n]*|[^\S\n]+")
# "i g n o r e": letters with a sign between all of them.
_SPACED: Final = re.compile(r"(?<!\w)\w(?:[ ._-]\w){4,}(?!\w)")
_SHORTEST: Final = 2
_SHORT: Final = re.compile(r"\b[a-z]{2}\b")
# Small letters whose capitals folding takes for Latin ones.
_CAPITALS: Final = str.maketrans("\u0432\u043d\u043a\u043c\u0442\u0131", "bhkmti")


def instructs(text: str) -> bool:
    """Tell whether a text has the shape of an instruction to a model."""
    text = text[:_READ]
    plain = unescaped(text)
    said = _plain(plain.text if plain else text)
    said = _WRAPPED.sub(" ", _SPACED.sub(_together, said))
    shapes = _shapes(in_ascii=said.isascii())
    there = _present(said, {each for texts, _ in shapes for each in texts})
    return any(_has(said, there.intersection(texts), pattern) for texts, pattern in shapes)


def _together(match: re.Match[str]) -> str:
    return re.sub(r"[ ._-]", "", match[0])


def _present(said: str, texts: Collection[str]) -> set[str]:
    # "AI" stands in many words.
    short = set(_SHORT.findall(said))
    return {each for each in texts if (each in short if len(each) == _SHORTEST and each.isascii() else each in said)}


def _has(said: str, texts: Collection[str], pattern: re.Pattern[str]) -> bool:
    return any(pattern.search(said, start, end) for start, end in _around(said, texts))


def _around(said: str, texts: Collection[str]) -> Iterator[tuple[int, int]]:
    """Yield the parts of a text that are near these, none twice."""
    if not texts:
        return
    start = end = -1
    for found in sorted(place for each in texts for place in _places(said, each)):
        if found - _NEAR > end:
            if end > 0:
                yield start, end
            start = max(0, found - _NEAR)
        end = found + _NEAR
    yield start, end


def _places(said: str, text: str) -> Iterator[int]:
    at = said.find(text)
    while at >= 0:
        yield at
        at = said.find(text, at + len(text))


@cache
def _shapes(*, in_ascii: bool) -> Sequence[_Shape]:
    """Return the shapes that a text may have, if it `in_ascii` those that can be written so."""
    own = [(texts, re.compile(pattern)) for texts, pattern in (*MARKS, *SHAPES)]
    every = [*own, *_of_languages()]
    return [shape for shape in every if not in_ascii or any(each.isascii() for each in shape[0])]


def _of_languages() -> Iterator[_Shape]:
    table: Mapping[str, Mapping[str, str]] = json.loads(_TABLE.read_text(encoding="utf-8"))
    return (shape for row in table.values() for shape in _Words(row).shapes())


class _Words:
    """The words of one language; those of a `joined` one may stand within others."""

    def __init__(self, row: Mapping[str, str]) -> None:
        self._row = row
        self._edge = "" if "joined" in row else r"\b"

    def shapes(self) -> Iterator[_Shape]:
        """Yield what lifts rules and sets others, what hides from users and tells of them, and who is addressed."""
        prior, rules, lifts = self._any("prior"), self._any("rules"), self._lifts()
        meant = self._near(prior, 24, rules)
        if behind := self._any("behind"):
            meant += f"|{self._near(rules, 24, behind)}"
        lifting = self._near(lifts, 32, meant)
        yield self._shape("rules", lifting + (f"|{self._near(meant, 24, lifts)}" if "verb_last" in self._row else ""))
        yield self._shape("now_on", self._near(self._any("now_on"), 3, self._any("then")))
        if "user" in self._row:
            yield self._shape("user", self._hides(self._any("user")))
            yield self._shape("keeps", self._near(self._any("keeps"), 32, self._any("known")))
            yield self._shape("models", self._near(self._any("calls"), 4, self._any("models")))

    def _shape(self, name: str, pattern: str) -> _Shape:
        return [_plain(each.partition("*")[0]) for each in self._row[name].split("|")], re.compile(pattern)

    def _lifts(self) -> str:
        """Return what lifts rules, unless a word for "not" stands beside it."""
        refused = [_plain(each) for each in self._row.get("not", "").split("|") if each]
        before = "".join(f"(?<!{re.escape(each)})(?<!{re.escape(each)} )" for each in refused)
        behind = f"(?! ?(?:{'|'.join(map(re.escape, refused))}))" if refused else ""
        return f"{before}(?:{self._any('lifts')}){self._edge}{behind}"

    def _hides(self, user: str) -> str:
        """Return what keeps something from users: "without the user's knowledge", "do not tell", "tell them not"."""
        tells, refused = self._any("tells"), self._any("not")
        ways = [self._any("hides")] if "hides" in self._row else []
        found = list[str]()
        if tells:
            ways += [self._near(refused, 12, tells), self._near(tells, 40, refused)]
            found.append(self._near(self._near(tells, 16, user), 24, refused))
        hides = "|".join(ways)
        return "|".join([*found, self._near(hides, 32, user), self._near(user, 32, hides)])

    def _near(self, first: str, most: int, second: str) -> str:
        edge = self._edge
        return rf"{edge}(?:{first}){edge}{WITHIN}{{0,{most}}}{edge}(?:{second}){edge}"

    def _any(self, name: str) -> str:
        words = self._row.get(name, "")
        return "|".join(_escaped(each) for each in words.split("|")) if words else ""


def _plain(text: str) -> str:
    """Return a text without accents, in small letters that also stand for those which look alike."""
    return fold(folded(text)).translate(_CAPITALS)


def _escaped(word: str) -> str:
    # A stem ends in a star.
    return re.escape(_plain(word)).replace(r"\*", r"\w*")
