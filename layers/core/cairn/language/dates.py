"""Find the days that a question is about, given as dates or relative to today, in any language of `date_words`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from math import exp
from operator import itemgetter
from typing import TypeAlias

from cairn.language.date_words import Word, readings

_DAYS = {"day": 1, "week": 7, "weekend": 7, "month": 30, "year": 365}
# Nobody asks for more; a number that is no count of days would leave the calendar.
_A_LIFETIME = 120 * 365
# Days in which the fit of a single day falls to 1/e. These four shape the feature `date`, whose weight is fitted
# (decision 37); they themselves are not: wider spans forgive more and tell less apart.
_FADING = 4.0
_AFTER_A_MONTH = 31
_WORTH_AFTERWARDS, _WORTH_OF_A_YEAR = 0.3, 0.3
# The longest three months have 92 days. "Last summer" is not the one that began less than 60 days ago.
_A_SEASON, _MOST_OF_A_SEASON = timedelta(days=92), timedelta(days=60)
_WEEK = 7


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


def spans(question: str, today: date, years: range) -> tuple[Span, ...]:
    """Return the days that a question speaks of; a day or month without a year is meant in any of these years."""
    return max((_spans(words, today, years) for words in readings(question)), default=(0, ()), key=itemgetter(0))[1]


def _spans(words: Sequence[Word], today: date, years: range) -> tuple[int, tuple[Span, ...]]:
    """Return how many words speak of days, and the days that are most precise."""
    found: dict[int, list[Span]] = {}
    matches = list(_GRAMMAR.finditer("".join(word.sign for word in words)))
    for match in matches:
        precision, meaning = _MEANINGS[match.lastgroup or ""]
        found.setdefault(precision, []).extend(meaning(words[match.start() : match.end()], today, years))
    told = [precision for precision, each in found.items() if each]
    return sum(len(match[0]) for match in matches), tuple(found[min(told)]) if told else ()


def _whole(said: Said, _: date, __: range) -> Iterator[Span]:
    day = date.fromordinal(int(said[0].number))
    yield Span(day, day)


def _day(said: Said, today: date, years: range) -> Iterator[Span]:
    mark = next((place for place, word in enumerate(said) if word.sign == "G"), 0)
    day = _number(said[mark:], "NO")
    for year in _years_of(said, today, years):
        try:
            found = date(year, _month_number(said), day)
        except ValueError:
            continue
        yield Span(found, found)


def _ago(said: Said, today: date, _: range) -> Iterator[Span]:
    unit = next(word for word in said if word.sign == "U")
    count = next((word.number for word in said if word.sign in "Nn"), unit.number)
    days = int(count * _DAYS[unit.unit])
    # "Three weeks ago" is seldom meant to the day: a third of a week to either side counts too.
    if count and days < _A_LIFETIME:
        yield _around(today - timedelta(days=days), int(_DAYS[unit.unit] * min(count, 1)) // 3)


def _lately(said: Said, today: date, _: range) -> Iterator[Span]:
    unit, count = next(word.unit for word in said if word.sign == "U"), _number(said, "Nn")
    if count * _DAYS[unit] < _A_LIFETIME:
        yield Span(today - timedelta(days=count * _DAYS[unit]), today)


def _days_ago(said: Said, today: date, _: range) -> Iterator[Span]:
    yield _around(today - timedelta(days=_number(said, "d")), 0)


def _period(said: Said, today: date, _: range) -> Iterator[Span]:
    unit, distance = _distance(said)
    if unit == "year":
        year = today.year + distance
        yield Span(date(year, 1, 1), date(year, 12, 31))
    elif unit == "month":
        # Months counted from year 0, so that a step over a year's end is a subtraction.
        year, month = divmod(today.year * 12 + today.month - 1 + distance, 12)
        yield Span(date(year, month + 1, 1), _month_end(year, month + 1))
    elif unit in {"week", "weekend"}:
        monday = today + timedelta(days=_WEEK * distance - today.weekday())
        # From Monday, or for a weekend Friday, to the Monday after, on which the week's end is told of.
        yield Span(monday if unit == "week" else monday + timedelta(days=4), monday + timedelta(days=_WEEK))


def _weekday(said: Said, today: date, _: range) -> Iterator[Span]:
    """Yield a day of the week that is said; "last Friday" may be that of last week even where one has passed since."""
    weekday, (unit, distance) = _number(said, "W"), _distance(said)
    of_this_week = today + timedelta(days=weekday - today.weekday())
    if unit == "week" or distance != -1:
        yield _around(of_this_week + timedelta(days=_WEEK * distance), 0)
    else:
        if of_this_week < today:
            yield _around(of_this_week, 0)
        yield _around(of_this_week - timedelta(days=_WEEK), 0)


def _season(said: Said, today: date, years: range) -> Iterator[Span]:
    """Yield a season of a year that is said, winter at either end of it; else the latest one that has begun."""
    season, (unit, distance) = _number(said, "Ss"), _distance(said)
    if unit not in {"", "year"}:
        yield from _period(said, today, years)
    elif unit or _has(said, "Y"):
        # "Winter 2023" is the one that began in 2022 as well as the one that began in 2023.
        (year,) = _years_of(said, today, years)
        yield from (_of_three_months(each, season) for each in ([year - 1, year] if season == _WINTER else [year]))
    else:
        # Without a year: the latest one of that name, or with "last" the latest that is well under way.
        latest = today - (_MOST_OF_A_SEASON if distance else timedelta(0))
        year = latest.year - (latest < date(latest.year, 3 * season + 3, 1))
        yield _of_three_months(year + min(0, distance + 1), season)


def _of_three_months(year: int, season: int) -> Span:
    start = date(year, 3 * season + 3, 1)
    return Span(start, start + _A_SEASON)


def _month_near(said: Said, today: date, years: range) -> Iterator[Span]:
    """Yield a month of a year at a distance, or the last one of that name."""
    month, (unit, distance) = _month_number(said), _distance(said)
    if unit not in {"", "year"}:
        yield from _period(said, today, years)
    elif unit or not distance:
        yield _month(today.year + distance, month)
    else:
        # In May "last May" is a year ago.
        yield _month(today.year - (month >= today.month), month)


def _months(said: Said, today: date, years: range) -> Iterator[Span]:
    for year in _years_of(said, today, years):
        yield _month(year, _month_number(said))


def _whole_years(said: Said, _: date, __: range) -> Iterator[Span]:
    year = _number(said, "Y")
    yield Span(date(year, 1, 1), date(year, 12, 31), worth=_WORTH_OF_A_YEAR)


def _around(day: date, slack: int) -> Span:
    return Span(day - timedelta(days=slack), day + timedelta(days=slack))


def _month(year: int, month: int) -> Span:
    return Span(date(year, month, 1), _month_end(year, month), afterwards=_WORTH_AFTERWARDS)


def _month_end(year: int, month: int) -> date:
    # The day before the first of the next month, whatever the month's length.
    return date(year + month // 12, month % 12 + 1, 1) - timedelta(days=1)


def _years_of(said: Said, today: date, years: range) -> Sequence[int]:
    """Return the year that is said, also by its distance from today; else all that there are texts of."""
    if _has(said, "Y"):
        return [_number(said, "Y")]
    unit, distance = _distance(said)
    return [today.year + distance] if unit == "year" else years


def _distance(said: Said) -> tuple[str, int]:
    """Return a unit of time, "" where none is said, and how many of them it is from now."""
    for word in said:
        if word.sign == "K":
            return word.unit, int(word.number)
    unit = next((word.unit for word in said if word.sign == "U"), "")
    return unit, next((_DISTANCES[word.sign] for word in said if word.sign in _DISTANCES), 0)


def _has(said: Said, signs: str) -> bool:
    return any(word.sign in signs for word in said)


def _number(said: Said, signs: str) -> int:
    return int(next(word.number for word in said if word.sign in signs))


def _month_number(said: Said) -> int:
    return _number(said, "Mm" if _has(said, "Mm") else "N")


_DISTANCES: Mapping[str, int] = {"T": 0, "L": -1, "P": -2}
_WINTER = 3
_RELATIVE = "(?:[LPT]U|T[I_]U|U[LP]|K)"
_MONTH = "(?:M|NG)"
# A month that is another word too (m) has to stand behind "in" or an ordinal, or before a year: "may 2 people".
_DAY = "(?:[NO][J_]*M|(?:O[J_]*|(?<=I)N)m|N[J_]*m(?=_?Y)|M[NO](?!U)|m(?:O|(?<=Im)N(?!U)|N(?=_?Y)))"
_KINDS: Sequence[tuple[str, int, Meaning, str]] = (
    ("whole", 0, _whole, "D"),
    (
        "day",
        0,
        _day,
        rf"{_DAY}(?:[IJ_]*(?:Y|{_RELATIVE}))?|(?:YU?_?|{_RELATIVE}_?)?NGNU?",
    ),
    (
        "month_near",
        1,
        _month_near,
        rf"(?:{_MONTH}|(?<=I)m)[IJ_]*{_RELATIVE}|{_RELATIVE}(?:[IJ_]*{_MONTH}|_?I_?m)|[LT]M|Lm|ML",
    ),
    ("season", 1, _season, rf"[Ss][IJ_]*(?:{_RELATIVE}|Y)|(?:{_RELATIVE}|YU?)[IJ_]*[Ss]|[LPT][Ss]|S[LP]|T_S"),
    ("weekday", 1, _weekday, rf"{_RELATIVE}[IJ_]*W|W[IJ_]*{_RELATIVE}|[LPT]W|W[LP]"),
    ("ago", 1, _ago, "[AB]_*[Nn]?U|[Nn]?U_?[aB]"),
    ("lately", 1, _lately, "L[Nn]U|[Nn]LU"),
    ("period", 1, _period, _RELATIVE),
    ("days_ago", 1, _days_ago, "d"),
    ("month_of_year", 2, _months, "[Mm][J_]*Y|YU?_?NG|Y_?M"),
    ("month", 3, _months, "(?<=[IJU])M|(?<=[IJ]_)M|(?<=U[J_])M|(?<=I)m|NG"),
    ("in_season", 3, _season, "(?<=I)S|(?<=I_)S|s"),
    ("year", 4, _whole_years, "Y"),
)
"""How dates are said, in the signs of `date_words`: the first that fits is meant, and what is most precise counts.

A month that is another word too needs more to be one: "in May", "May 7th" and "7 May 2023", but not "may 2 people".
"""
# One pattern over signs instead of words: alternatives in the order of _KINDS, so that "3 May 2023" is a day and not a
# month and a number.
_GRAMMAR = re.compile("|".join(f"(?P<{name}>{signs})" for name, _, _, signs in _KINDS))
_MEANINGS: Mapping[str, tuple[int, Meaning]] = {name: (precision, meaning) for name, precision, meaning, _ in _KINDS}
