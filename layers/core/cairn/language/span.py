"""Hold the days that a question is about, and read what is common to all ways of saying them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import exp
from typing import TypeAlias

from cairn.language.date_words import Word

# Days in which the fit of a single day falls to 1/e. These and dates._WORTH_OF_A_YEAR shape the feature `date`, whose
# weight is fitted (decision 37); they themselves are not: wider spans forgive more and tell less apart.
_FADING = 4.0
_AFTER_A_MONTH = 31
AFTERWARDS = 0.3
"""What a day in the month after a month, or after a part of one, is worth."""
_DISTANCES: Mapping[str, int] = {"T": 0, "L": -1, "P": -2}


@dataclass(frozen=True, slots=True)
class Span:
    """A range of days, the worth of a day within it, and the worth of one soon after it.

    A single day fades over the days around it instead: people date things roughly.
    """

    first: date
    last: date
    worth: float = 1.0
    afterwards: float = 0.0

    def score(self, day: date) -> float:
        """Return 0 to 1: how well a day fits."""
        # A single day is often off by some; a month has its ends.
        if self.first == self.last:
            return exp(-abs((day - self.first).days) / _FADING)
        if self.first <= day <= self.last:
            return self.worth
        return self.afterwards if 0 < (day - self.last).days <= _AFTER_A_MONTH else 0.0


Said: TypeAlias = Sequence[Word]
Meaning: TypeAlias = Callable[[Said, date, range], Iterator[Span]]


def around(day: date, slack: int) -> Span:
    """Return a day with as many days to either side."""
    return Span(day - timedelta(days=slack), day + timedelta(days=slack))


def month_of(year: int, month: int) -> Span:
    """Return a month of a year; what is told soon after it counts a little."""
    return Span(date(year, month, 1), month_end(year, month), afterwards=AFTERWARDS)


def month_end(year: int, month: int) -> date:
    """Return the last day of a month."""
    # The day before the first of the next month, whatever the month's length.
    return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)


def years_of(said: Said, today: date, years: range) -> Sequence[int]:
    """Return the year that is said, also by its distance from today; else all that there are texts of."""
    if has(said, "Y"):
        return [number_of(said, "Y")]
    unit, distance = distance_of(said)
    return [today.year + distance] if unit == "year" else years


def distance_of(said: Said) -> tuple[str, int]:
    """Return a unit of time, "" where none is said, and how many of them it is from now."""
    for word in said:
        if word.sign == "K":
            return word.unit, int(word.number)
    unit = next((word.unit for word in said if word.sign == "U"), "")
    return unit, next((_DISTANCES[word.sign] for word in said if word.sign in _DISTANCES), 0)


def has(said: Said, signs: str) -> bool:
    """Tell whether a word has one of these signs."""
    return any(word.sign in signs for word in said)


def number_of(said: Said, signs: str) -> int:
    """Return the number of the first word that has one of these signs; StopIteration where none has."""
    return int(next(word.number for word in said if word.sign in signs))


def month_number(said: Said) -> int:
    """Return the number of the month that is said, by name or as a number."""
    return number_of(said, "Mm" if has(said, "Mm") else "N")
