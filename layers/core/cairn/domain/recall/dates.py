"""Dates in a question: the days it speaks of, said as a date or relative to today."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from math import exp

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_MONTH = (
    {name: number for number, name in enumerate(_MONTHS, 1)}
    | {name[:3]: number for number, name in enumerate(_MONTHS, 1)}
    | {"sept": 9}
)
_SEASONS = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_NAMED = "|".join(sorted(_MONTH, key=len, reverse=True))
_YEAR = r"(?:19|20)\d\d"
_DAY_FIRST = re.compile(rf"\b(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?({_NAMED})\b\.?,?\s*({_YEAR})?")
_MONTH_FIRST = re.compile(rf"\b({_NAMED})\.?\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d),?\s*({_YEAR})?")
_NUMERIC = re.compile(rf"\b({_YEAR})-(\d\d)-(\d\d)\b")
_MONTH_OF_YEAR = re.compile(rf"\b({_NAMED})\.?,?\s+(?:of\s+)?({_YEAR})\b")
_MONTH_ALONE = re.compile(rf"\b(?:in|during|of|since|by|early|late|mid|last|this)[\s-]+({_NAMED})\b")
_YEAR_ALONE = re.compile(rf"\b({_YEAR})\b")
_AGO = re.compile(r"\b(\d+|a|an|one|two|three|four|five|six|couple of|few)\s+(day|week|month|year)s?\s+ago\b")
_LAST = re.compile(rf"\blast\s+(night|week|weekend|month|year|{'|'.join(_SEASONS)}|{'|'.join(_WEEKDAYS)})\b")
_COUNT = {"a": 1, "an": 1, "one": 1, "two": 2, "couple of": 2, "three": 3, "few": 3, "four": 4, "five": 5, "six": 6}
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_A_LIFETIME = 120 * 365
_FADING = 4.0
_AFTER_A_MONTH = 31
_WORTH_AFTERWARDS, _WORTH_OF_A_YEAR = 0.3, 0.3


@dataclass(frozen=True, slots=True)
class Span:
    """Days from one to another, how much a day in it is worth, and a day soon after it.

    A single day fades over the days around it instead: people date things roughly.
    """

    first: date
    last: date
    worth: float = 1.0
    afterwards: float = 0.0

    def score(self, day: date) -> float:
        """Return 0 to 1: how well a day fits."""
        if self.first == self.last:
            return exp(-abs((day - self.first).days) / _FADING)
        if self.first <= day <= self.last:
            return self.worth
        return self.afterwards if 0 < (day - self.last).days <= _AFTER_A_MONTH else 0.0


def spans(question: str, today: date, years: range) -> tuple[Span, ...]:
    """Return the days that a question speaks of; a day or month without a year is meant in any of these years."""
    text = question.lower()
    for kind in (_days, _relative, _months_of_a_year, _months, _whole_years):
        found = tuple(kind(text, today, years))
        if found:
            return found
    return ()


def _days(text: str, _: date, years: range) -> Iterator[Span]:
    said = [(match[3], match[2], match[1]) for match in _DAY_FIRST.finditer(text)]
    said += [(match[3], match[1], match[2]) for match in _MONTH_FIRST.finditer(text)]
    for year, month, day in said:
        for each in [int(year)] if year else years:
            yield from _day(each, _MONTH[month], int(day))
    for match in _NUMERIC.finditer(text):
        yield from _day(int(match[1]), int(match[2]), int(match[3]))


def _day(year: int, month: int, day: int) -> Iterator[Span]:
    try:
        found = date(year, month, day)
    except ValueError:
        return
    yield Span(found, found)


def _relative(text: str, today: date, _: range) -> Iterator[Span]:
    if "yesterday" in text or "last night" in text:
        yield _around(today - timedelta(days=1), 0)
    for match in _AGO.finditer(text):
        unit = _DAYS[match[2]]
        count = _COUNT[match[1]] if match[1] in _COUNT else int(match[1])
        if count * unit < _A_LIFETIME:
            yield _around(today - timedelta(days=count * unit), unit // 3)
    for match in _LAST.finditer(text):
        yield from _last(match[1], today)


def _last(what: str, today: date) -> Iterator[Span]:
    if what in _WEEKDAYS:
        yield _around(today - timedelta(days=(today.weekday() - _WEEKDAYS.index(what) - 1) % 7 + 1), 0)
    elif what in _SEASONS:
        start = _month_start(today.year, _SEASONS[what])
        if start + timedelta(days=60) > today:
            start = _month_start(today.year - 1, _SEASONS[what])
        yield Span(start, start + timedelta(days=92))
    elif what == "year":
        yield Span(date(today.year - 1, 1, 1), date(today.year - 1, 12, 31))
    elif what == "month":
        end = today.replace(day=1) - timedelta(days=1)
        yield Span(end.replace(day=1), end)
    elif what in {"week", "weekend"}:
        monday = today - timedelta(days=today.weekday() + 7)
        yield Span(monday if what == "week" else monday + timedelta(days=4), monday + timedelta(days=7))


def _around(day: date, slack: int) -> Span:
    return Span(day - timedelta(days=slack), day + timedelta(days=slack))


def _months_of_a_year(text: str, _: date, __: range) -> Iterator[Span]:
    for match in _MONTH_OF_YEAR.finditer(text):
        yield _month(int(match[2]), _MONTH[match[1]])


def _months(text: str, _: date, years: range) -> Iterator[Span]:
    for match in _MONTH_ALONE.finditer(text):
        for year in years:
            yield _month(year, _MONTH[match[1]])


def _whole_years(text: str, _: date, __: range) -> Iterator[Span]:
    for match in _YEAR_ALONE.finditer(text):
        yield Span(date(int(match[1]), 1, 1), date(int(match[1]), 12, 31), worth=_WORTH_OF_A_YEAR)


def _month(year: int, month: int) -> Span:
    end = _month_start(year + month // 12, month % 12 + 1) - timedelta(days=1)
    return Span(_month_start(year, month), end, afterwards=_WORTH_AFTERWARDS)


def _month_start(year: int, month: int) -> date:
    return date(year, month, 1)
