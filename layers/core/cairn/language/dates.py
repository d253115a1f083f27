"""Find the days that a question is about, given as dates or relative to today, in any language of `date_words`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from operator import itemgetter

from cairn.language import near_dates
from cairn.language.date_words import Word, readings
from cairn.language.span import (
    Meaning,
    Said,
    Span,
    around,
    distance_of,
    has,
    month_end,
    month_number,
    month_of,
    number_of,
    years_of,
)

_DAYS = {"day": 1, "week": 7, "weekend": 7, "month": 30, "year": 365}
# Nobody asks for more; a number that is no count of days would leave the calendar.
_A_LIFETIME = 120 * 365
_WORTH_OF_A_YEAR = 0.3
# Nothing is stored of other years, and a lifetime before or after these is in the calendar.
_FIRST_YEAR, _AFTER_THE_LAST_YEAR = 1800, 2200
# Each span is held against each day that there are texts of. A long text has its question at the end.
_MOST_DATES = 100
# The longest three months have 92 days. "Last summer" is not the one that began less than 60 days ago.
_A_SEASON, _MOST_OF_A_SEASON = timedelta(days=92), timedelta(days=60)
_WEEK = 7


def spans(question: str, today: date, years: range) -> tuple[Span, ...]:
    """Return the days that a question speaks of; a day or month without a year is meant in any of these years."""
    years = range(max(years.start, _FIRST_YEAR), min(years.stop, _AFTER_THE_LAST_YEAR))
    return max((_spans(words, today, years) for words in readings(question)), default=(0, ()), key=itemgetter(0))[1]


def _spans(words: Sequence[Word], today: date, years: range) -> tuple[int, tuple[Span, ...]]:
    """Return how many words speak of days, and the days that are most precise."""
    found: dict[int, list[Span]] = {}
    matches = list(_GRAMMAR.finditer("".join(word.sign for word in words)))
    # "The visit at Christmas, in 2022": a single year that is said apart is that of all days without one.
    apart = {int(words[match.start()].number) for match in matches if match.lastgroup == "year"}
    if len(apart) == 1:
        years = range(min(apart), min(apart) + 1)
    for match in matches[-_MOST_DATES:]:
        precision, meaning = _MEANINGS[match.lastgroup or ""]
        found.setdefault(precision, []).extend(meaning(words[match.start() : match.end()], today, years))
    told = [precision for precision, each in found.items() if each]
    # The same days said twice are one span.
    days = tuple(dict.fromkeys(found[min(told)])) if told else ()
    return sum(len(match[0]) for match in matches), days


def _day(said: Said, today: date, years: range) -> Iterator[Span]:
    mark = next((place for place, word in enumerate(said) if word.sign == "G"), 0)
    day = number_of(said[mark:], "NOo")
    for year in years_of(said, today, years):
        try:
            found = date(year, month_number(said), day)
        except ValueError:
            continue
        yield Span(found, found)


def _ago(said: Said, today: date, _: range) -> Iterator[Span]:
    unit = next(word for word in said if word.sign == "U")
    count = next((word.number for word in said if word.sign in "Nn"), unit.number)
    days = int(count * _DAYS[unit.unit])
    # "Three weeks ago" is seldom meant to the day: a third of a week to either side counts too.
    if count and days < _A_LIFETIME:
        yield around(today - timedelta(days=days), int(_DAYS[unit.unit] * min(count, 1)) // 3)


def _lately(said: Said, today: date, _: range) -> Iterator[Span]:
    unit, count = next(word.unit for word in said if word.sign == "U"), number_of(said, "Nn")
    if count * _DAYS[unit] < _A_LIFETIME:
        yield Span(today - timedelta(days=count * _DAYS[unit]), today)


def _days_ago(said: Said, today: date, _: range) -> Iterator[Span]:
    yield around(today - timedelta(days=number_of(said, "d")), 0)


def _period(said: Said, today: date, _: range) -> Iterator[Span]:
    unit, distance = distance_of(said)
    if unit == "year":
        year = today.year + distance
        yield Span(date(year, 1, 1), date(year, 12, 31))
    elif unit == "month":
        # Months counted from year 0, so that a step over a year's end is a subtraction.
        year, month = divmod(today.year * 12 + today.month - 1 + distance, 12)
        yield Span(date(year, month + 1, 1), month_end(year, month + 1))
    elif unit in {"week", "weekend"}:
        monday = today + timedelta(days=_WEEK * distance - today.weekday())
        # From Monday, or for a weekend Friday, to the Monday after, on which the week's end is told of.
        yield Span(monday if unit == "week" else monday + timedelta(days=4), monday + timedelta(days=_WEEK))


def _weekday(said: Said, today: date, _: range) -> Iterator[Span]:
    """Yield a day of the week that is said; "last Friday" may be that of last week even where one has passed since."""
    weekday, (unit, distance) = number_of(said, "W"), distance_of(said)
    of_this_week = today + timedelta(days=weekday - today.weekday())
    if unit == "week" or distance != -1:
        yield around(of_this_week + timedelta(days=_WEEK * distance), 0)
    else:
        if of_this_week < today:
            yield around(of_this_week, 0)
        yield around(of_this_week - timedelta(days=_WEEK), 0)


def _season(said: Said, today: date, years: range) -> Iterator[Span]:
    """Yield a season of a year that is said, winter at either end of it; else the latest one that has begun."""
    season, (unit, distance) = number_of(said, "Ss"), distance_of(said)
    if unit not in {"", "year"}:
        yield from _period(said, today, years)
    elif unit or has(said, "Y"):
        # "Winter 2023" is the one that began in 2022 as well as the one that began in 2023.
        (year,) = years_of(said, today, years)
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
    month, (unit, distance) = month_number(said), distance_of(said)
    if unit not in {"", "year"}:
        yield from _period(said, today, years)
    elif unit or not distance:
        yield month_of(today.year + distance, month)
    else:
        # In May "last May" is a year ago.
        yield month_of(today.year - (month >= today.month), month)


def _months(said: Said, today: date, years: range) -> Iterator[Span]:
    for year in years_of(said, today, years):
        yield month_of(year, month_number(said))


def _whole_years(said: Said, _: date, __: range) -> Iterator[Span]:
    year = number_of(said, "Y")
    yield Span(date(year, 1, 1), date(year, 12, 31), worth=_WORTH_OF_A_YEAR)


_WINTER = 3
_RELATIVE = "(?:[LPT]U|T[I_]U|U[LP]|K)"
_MONTH = "(?:M|NG)"
# A month that is another word too (m) has to stand behind "in" or an ordinal, or before a year: "may 2 people".
_DAY = "(?:[NO][J_]*M|oJ_?[Mm]|(?:O[J_]*|(?<=I)N)m|N[J_]*m(?=_?Y)|M[NO](?!U)|m(?:O|(?<=Im)N(?!U)|N(?=_?Y)))"
_OF_YEAR = rf"(?:[IJ_]*(?:Y|{_RELATIVE}))?"
# So has a holiday that is another word too (h): a year, "last", or "at" before it.
_HOLIDAY = "(?:H|(?<=[iIJb])h|h(?=[YL]))"
# Days beside which others are counted, and that begin or end a range: other words around them tell that they are dates.
_FIXED = f"(?:[NO][J_]*[Mm]|[Mm][NO](?!U)|D|{_HOLIDAY})"
_END = f"(?:{_FIXED}|[Mm])"
# Without "from" or "between", where nothing else than a date is meant: "3 to 9 July", "3 May to 9".
_OPEN_RANGE = rf"(?:(?:[NO]|M)_*C_*(?:[NO][J_]*)?(?:M|m(?=[J_]?Y))|{_FIXED}{_OF_YEAR}_*C_*(?:{_FIXED}|[NO](?!U)))"
_DAYS_OF = "(?:R[J_]*M|(?<=[IF])R[J_]*m|R[J_]*m(?=_?Y)|MR(?!U)|(?<=I)mR(?!U)|mR(?=_?Y))"
_KINDS: Sequence[tuple[str, int, Meaning, str]] = (
    ("beside", 0, near_dates.beside, rf"[Nn]?_?U_?[bA][A_]?{_FIXED}{_OF_YEAR}"),
    (
        "between",
        1,
        near_dates.between,
        rf"F_*(?:{_END}{_OF_YEAR}|[NO])_*[Cc]_*{_END}{_OF_YEAR}|{_OPEN_RANGE}{_OF_YEAR}",
    ),
    ("days_of_month", 1, near_dates.days_of_month, rf"{_DAYS_OF}{_OF_YEAR}"),
    ("unit_of_day", 1, near_dates.unit_of_day, rf"U[IJ]_*{_FIXED}{_OF_YEAR}|{_HOLIDAY}U{_OF_YEAR}"),
    ("part_of_month", 1, near_dates.part_of_month, rf"E[IJ_]*(?:[Mm]{_OF_YEAR}|Y)"),
    ("week_of_month", 1, near_dates.week_of_month, rf"(?:[oO]U[IJ_]*|LUJ_*)[Mm]{_OF_YEAR}"),
    ("quarter", 2, near_dates.quarter, rf"Q[IJ_]*(?:Y|{_RELATIVE})|YQ|(?<=I)Q"),
    ("numeric", 0, near_dates.numeric, rf"D{_OF_YEAR}"),
    (
        "holiday",
        0,
        near_dates.holiday,
        rf"[LT]_?[Hh]|(?:Y|{_RELATIVE})_?H|(?:(?<=[Ii])|(?<=[Ii]_))[Hh](?:L|{_OF_YEAR})|[Hh](?:L|[IJ_]*(?:Y|{_RELATIVE}))",
    ),
    (
        "day",
        0,
        _day,
        rf"{_DAY}{_OF_YEAR}|(?:YU?_?|{_RELATIVE}_?)?NGNU?",
    ),
    (
        "month_near",
        1,
        _month_near,
        rf"(?:{_MONTH}|(?<=[EI])m)[IJ_]*{_RELATIVE}|{_RELATIVE}(?:[IJ_]*{_MONTH}|_?I_?m)|[LT]M|Lm|ML",
    ),
    ("season", 1, _season, rf"[Ss][IJ_]*(?:{_RELATIVE}|Y)|(?:{_RELATIVE}|YU?)[IJ_]*[Ss]|[LPT][Ss]|S[LP]|T_S"),
    ("weekday", 1, _weekday, rf"{_RELATIVE}[IJ_]*W|W[IJ_]*{_RELATIVE}|[LPT]W|W[LP]"),
    ("ago", 1, _ago, "[AB]_*[Nn]?U|[Nn]?U_?[aB]"),
    ("lately", 1, _lately, "L[Nn]U|[Nn]LU"),
    ("period", 1, _period, _RELATIVE),
    ("days_ago", 1, _days_ago, "d"),
    ("month_of_year", 2, _months, "[Mm][J_]*Y|YU?_?NG|Y_?M"),
    ("month", 3, _months, "(?<=[EIJU])M|(?<=[EIJ]_)M|(?<=U[J_])M|(?<=[EI])m|NG"),
    ("in_season", 3, _season, "(?<=[EI])S|(?<=[EI]_)S|s"),
    ("year", 4, _whole_years, "Y"),
)
"""How dates are said, in the signs of `date_words`: the first that fits is meant, and what is most precise counts.

A holiday alone is mostly a topic, as in "gifts for Christmas": "at", "last" or a year make it a day.
A month that is another word too needs more to be one: "in May", "May 7th" and "7 May 2023", but not "may 2 people".
"""
# One pattern over signs instead of words: alternatives in the order of _KINDS, so that "3 May 2023" is a day and not a
# month and a number.
_GRAMMAR = re.compile("|".join(f"(?P<{name}>{signs})" for name, _, _, signs in _KINDS))
_MEANINGS: Mapping[str, tuple[int, Meaning]] = {name: (precision, meaning) for name, precision, meaning, _ in _KINDS}
