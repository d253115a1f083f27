"""Rules for values that a word announces: spell those words, and try only the ones that a text has."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
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


def hits(rules: Sequence[Rule], text: str, lower: str) -> Iterator[Hit]:
    """Yield the hits of rules whose anchors are words; those that the text does not have cost nothing."""
    words = {word.lower() for word in set(compiled(WORD).findall(text))}
    words |= {_ENDING.sub("", word) for word in words}
    ascii_only = text.isascii()
    for rule in rules:
        anchors = tuple(
            anchor for anchor in rule.anchors if (_first(anchor) in words if anchor.isascii() else not ascii_only)
        )
        if anchors:
            yield from replace(rule, anchors=anchors).hits(text, lower)


@cache
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
