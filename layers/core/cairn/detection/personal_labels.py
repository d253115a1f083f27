"""Rules for values that a word announces: spell those words, and try only the ones that a text has."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Final

from cairn.detection.disguises import folded
from cairn.detection.rules import Hit, Rule, always, compiled

# nationalId and NATIONAL_ID are two words each; "passportnumber" is "passport" too.
WORD: Final = r"[^\W\d_a-z]{2,}(?![a-z])|[^\W\d_]?[^\W\d_A-Z]+|[A-Z]"
_ENDING: Final = re.compile(r"(?:number|nummer|num|nr|no|id|code)$")
# A word begins where no letter stands before it, or in the middle of camelCase.
_BEGIN: Final = r"(?:(?<![^\W\d_])|(?<=[a-z])(?=[A-Z]))"


def announced(name: str, words: str, behind: str, check: Callable[[str], bool] = always) -> Rule:
    """Make a rule for what stands behind one of some words, which are separated by bars."""
    spelled = spellings(words)
    return Rule(name, "personal", tuple(spelled.split("|")), rf"(?:{_BEGIN}(?i:{spelled})){behind}", check)


class Announcing:
    """Rules whose anchors are words, found by the first word of each: those that a text does not have cost nothing."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        """Sort the anchors; one in another script is tried in every text that is not ASCII alone."""
        self._rules = rules
        self._by_word: dict[str, list[tuple[int, int]]] = {}
        self._of_other_scripts: list[tuple[int, int]] = []
        for number, rule in enumerate(rules):
            for place, anchor in enumerate(rule.anchors):
                where = self._by_word.setdefault(_first(anchor), []) if anchor.isascii() else self._of_other_scripts
                where.append((number, place))

    def hits(self, text: str, lower: str) -> Iterator[Hit]:
        """Yield what of a text the rules are about, in the order of the rules."""
        words = {word.lower() for word in set(compiled(WORD).findall(text))}
        words |= {_ENDING.sub("", word) for word in words}
        tried = {each for word in words & self._by_word.keys() for each in self._by_word[word]}
        if not text.isascii():
            tried.update(self._of_other_scripts)
        for number, places in groupby(sorted(tried), key=lambda each: each[0]):
            rule = self._rules[number]
            yield from replace(rule, anchors=tuple(rule.anchors[place] for _, place in places)).hits(text, lower)


def _first(anchor: str) -> str:
    found = re.search(WORD, anchor)
    return found[0] if found else anchor


def spellings(words: str) -> str:
    """Return words, separated by bars, each also without accents and with look-alike letters folded."""
    return "|".join(dict.fromkeys(each for word in words.split("|") for each in _spelled(word)))


def _spelled(word: str) -> Iterator[str]:
    yield word
    if not word.isascii():
        # The folding knows few small letters of Cyrillic and Greek, and most capitals.
        yield folded(word).lower()
        yield folded(word.upper()).lower()
        if word[0] < "\u0370":
            yield "".join(char for char in unicodedata.normalize("NFKD", word) if not unicodedata.combining(char))
