"""Detect traits of a single text: it asks, names a time, counts, says "I"."""

from __future__ import annotations

import re
from enum import IntFlag, auto

# In terms: "Yes, I think so" and the like, which seldom answer a question. The weight of this is fitted.
_SHORT = 5
_UNIT = "(?:days?|weeks?|months?|years?)"
_MONTH = "january|february|march|april|june|july|august|september|october|november|december"
_WEEKDAY = "monday|tuesday|wednesday|thursday|friday|saturday|sunday"
_SEASON = "summer|winter|spring|fall|autumn"
_TIME = re.compile(
    rf"\b(?:yesterday|today|tonight|tomorrow|recently|since|{_MONTH}|{_WEEKDAY}|(?:19|20)\d\d|"
    rf"last (?:night|week|month|year|weekend|{_SEASON})|next (?:week|month|year|weekend)|"
    rf"this (?:week|month|year|weekend|morning)|\d+ {_UNIT} ago|(?:a|few|couple|two|three) (?:of )?{_UNIT})\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\b(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|once|twice)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:I|I'm|I've|my|me|we|our)\b")
_ASKS_WHEN = re.compile(r"^\W*when\b|\bwhat (?:date|day|month|year)\b|\bwhich (?:day|month|year)\b|\bhow long\b")
_ASKS_HOW_MANY = re.compile(r"\bhow (?:many|much|often)\b")


class Trait(IntFlag):
    """Traits of a text, one bit each."""

    ASKS = auto()
    NAMES_A_TIME = auto()
    COUNTS = auto()
    SAYS_I = auto()
    IS_SHORT = auto()
    BY_ASSISTANT = auto()


def traits(text: str, role: str, terms: int) -> Trait:
    """Return the traits of a text that has this many terms."""
    found = Trait(0)
    for cue, shown in (
        (Trait.ASKS, "?" in text or "\uff1f" in text),
        (Trait.NAMES_A_TIME, _TIME.search(text)),
        (Trait.COUNTS, _NUMBER.search(text)),
        (Trait.SAYS_I, _FIRST_PERSON.search(text)),
        (Trait.IS_SHORT, terms < _SHORT),
        (Trait.BY_ASSISTANT, role == "assistant"),
    ):
        if shown:
            found |= cue
    return found


def asks_when(question: str) -> bool:
    """Tell whether a time would answer the question."""
    return bool(_ASKS_WHEN.search(question.lower()))


def asks_how_many(question: str) -> bool:
    """Tell whether a number would answer the question."""
    return bool(_ASKS_HOW_MANY.search(question.lower()))
