"""Tell texts that say nothing, and texts that say the same."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import ceil
from pathlib import Path

from cairn.language.terms import words

# Of politeness, praise and assent, in several languages. Not "yes" and "no", which answer what was asked just before;
# nor what may be meant in earnest, such as "love" or "sorry". Beside them stand words that say nothing by themselves.
_WORDS: Mapping[str, Sequence[str]] = json.loads(Path(__file__).with_name("fillers.json").read_text(encoding="utf-8"))
_FILLERS, _BESIDE = frozenset(_WORDS["fillers"]), frozenset(_WORDS["beside"])
_MANY_WORDS, _MANY_CHARACTERS = 8, 100
# Of what two texts say so much the same: a word or two in twenty may differ, and no number and no "not".
_ALIKE = 0.9
_FEW_TERMS = 10
_TELLING = re.compile(r"\d|^(?:not|no|never|none|nor|without|[a-z]+n't)$")


def is_filler(text: str) -> bool:
    """Tell whether a text says nothing that anybody could ask for: "Ok.", "Lovely!", "Thank you so much"."""
    if len(text) > _MANY_CHARACTERS:
        return False
    said = words(text)
    if len(said) > _MANY_WORDS:
        return False
    rest = [word for word in said if word not in _BESIDE]
    return all(word in _FILLERS for word in rest)


def form(text: str) -> tuple[str, ...]:
    """Return what a text says without what may differ between near-duplicates: case, punctuation, fillers."""
    return tuple(word for word in words(text) if word not in _FILLERS)


class Sayings:
    """Forms of texts, which tell whether a further text is a near-duplicate of one of them."""

    def __init__(self, forms: Iterable[tuple[str, ...]] = ()) -> None:
        """Take forms; one without words says nothing that another could say."""
        self._all = set[tuple[str, ...]]()
        self._long: list[tuple[str, ...]] = []
        self._having = defaultdict[str, list[int]](list)
        for each in forms:
            self.add(each)

    def add(self, one: tuple[str, ...]) -> None:
        """Take one more."""
        if one:
            self._all.add(one)
        if len(one) >= _FEW_TERMS:
            for word in _first(one):
                self._having[word].append(len(self._long))
            self._long.append(one)

    def have(self, one: tuple[str, ...]) -> bool:
        """Tell whether one is alike word for word or, of longer texts, nearly so."""
        if one in self._all:
            return True
        if len(one) < _FEW_TERMS:
            return False
        near = {at for word in _first(one) for at in self._having.get(word, ())}
        return any(_are_alike(one, self._long[at]) for at in near)


def _first(one: tuple[str, ...]) -> list[str]:
    """Return words of which two that are alike have one in common: of most pairs none is, and need not be compared.

    Of what is alike nine tenths of the words are in both. In one order of all words, the first of either that are one
    more than it may lack cannot all be missing in the other's (Chaudhuri et al., 2006, "prefix filter").
    """
    # The longest first, as long words are rare.
    ordered = sorted(sorted(set(one)), key=len, reverse=True)
    return ordered[: len(ordered) - ceil(_ALIKE * len(ordered)) + 1]


def _are_alike(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    # Most pairs differ in length: they need not be compared word by word.
    if len(one) < _ALIKE * len(other) or len(other) < _ALIKE * len(one):
        return False
    mine, theirs = set(one), set(other)
    both = mine & theirs
    if len(both) < _ALIKE * len(mine | theirs):
        return False
    # From Paris to Rome is not from Rome to Paris: what both have stands in one order.
    if [word for word in dict.fromkeys(one) if word in both] != [word for word in dict.fromkeys(other) if word in both]:
        return False
    return not any(_TELLING.search(word) for word in mine ^ theirs)
