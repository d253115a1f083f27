"""Read days that are said by other dates: ranges, parts of months, holidays, and days before or after them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from cairn.language.holidays import holiday as day_of_holiday
from cairn.language.span import (
    AFTERWARDS,
    Said,
    Span,
    around,
    distance_of,
    has,
    month_end,
    month_number,
    number_of,
    years_of,
)

_DAYS = {"day": 1, "week": 7, "weekend": 7, "month": 30, "year": 365}
_WEEK = 7
_SATURDAY = 5
# Early is to the 10th, mid to the 20th.
_PARTS = ((1, 10), (11, 20), (21, 31))
_MONTHS_OF_A_PART, _MONTHS_OF_A_QUARTER = 4, 3
# "Two weeks before" is seldom meant to the day: a third of a unit to either side counts too, as of "two weeks ago".
_SLACK = 3
# Longer than anybody keeps memories: a number that would leave the calendar.
_A_LIFETIME = 120 * 365


def numeric(said: Said, today: date, years: range) -> Iterator[Span]:
    """Yield each day that a date in digits may mean."""
    for year in _years_near(said, today, years):
        yield from (Span(first, last) for first, last in _within(said, year))


def holiday(said: Said, today: date, years: range) -> Iterator[Span]:
    """Yield a holiday in the years that are said; "last" is the latest one that has passed."""
    unit, distance = distance_of(said)
    if distance and not unit:
        passed = (day for year in (today.year, today.year - 1) for day, _ in _within(said, year) if day < today)
        years_meant = [next(passed).year]
    else:
        years_meant = [today.year] if has(said, "T") and not unit else _years_near(said, today, years)
    yield from (Span(first, last) for year in years_meant for first, last in _within(said, year))


def beside(said: Said, today: date, years: range) -> Iterator[Span]:
    """Yield the days that lie before or after others: "the day after 3 May", "a week before Christmas"."""
    place = next(place for place, word in enumerate(said) if word.sign in "bA")
    unit, counts = next(word for word in said if word.sign == "U"), has(said[:place], "Nn")
    size = int(_DAYS[unit.unit] * (number_of(said, "Nn") if counts else 1) * (unit.number or 1))
    way = int(said[place].number) or -1
    if not 0 < size < _A_LIFETIME:
        return
    for year in _years_near(said, today, years):
        for day, _ in _within(said[place:], year):
            if counts:
                yield around(day + timedelta(days=way * size), _DAYS[unit.unit] // _SLACK)
            elif unit.unit == "weekend":
                yield _weekend(day + timedelta(days=4 * way))
            else:
                ends = sorted((day + timedelta(days=way), day + timedelta(days=way * size)))
                yield Span(ends[0], ends[1])


def between(said: Said, today: date, years: range) -> Iterator[Span]:
    """Yield the days from one to another; what one end lacks of month and year is the other's."""
    place = next(place for place, word in enumerate(said) if word.sign in "Cc")
    left, right = said[:place], said[place:]
    month = next((word for word in [*right, *left] if word.sign in "Mm"), None)
    for year in _years_near(right if has(right, "Y") else said, today, years):
        firsts = list(_within(left, year, month and int(month.number)))
        lasts = list(_within(right, year, month and int(month.number)))
        # Of dates that may be read in two orders, both have to be in the same one.
        pairs = (
            zip(firsts, lasts, strict=False) if len(firsts) == len(lasts) else [(a, b) for a in firsts for b in lasts]
        )
        yield from (_stretch(first, last, left) for (first, _), (_, last) in pairs)


def days_of_month(said: Said, today: date, years: range) -> Iterator[Span]:
    """Yield the days of a month that stand with a dash between them."""
    first, last = next(word.dates for word in said if word.sign == "R")
    for year in years_of(said, today, years):
        end = month_end(year, month_number(said))
        if first.day < last.day <= end.day:
            yield Span(end.replace(day=first.day), end.replace(day=last.day))


def unit_of_day(said: Said, today: date, years: range) -> Iterator[Span]:
    """Yield the week or weekend that a day is in: "the weekend of 12 May", "Thanksgiving weekend"."""
    unit = next(word.unit for word in said if word.sign == "U")
    for year in _years_near(said, today, years):
        for day, last in _within(said, year):
            if unit == "week":
                monday = day - timedelta(days=day.weekday())
                yield Span(monday, monday + timedelta(days=_WEEK))
            else:
                yield _weekend(day) if unit == "weekend" else Span(day, last)


def part_of_month(said: Said, today: date, years: range) -> Iterator[Span]:
    """Yield the first, second or last third of a month or, where none is said, of a year."""
    part = number_of(said, "E")
    for year in years_of(said, today, years):
        if has(said, "Mm"):
            first, last = _PARTS[part]
            end = month_end(year, month_number(said))
            yield Span(end.replace(day=first), end.replace(day=min(last, end.day)), afterwards=AFTERWARDS)
        else:
            yield _months(year, part * _MONTHS_OF_A_PART, _MONTHS_OF_A_PART)


def week_of_month(said: Said, today: date, years: range) -> Iterator[Span]:
    """Yield a week, weekend or day of a month by its number, or the last one."""
    unit = next(word.unit for word in said if word.sign == "U")
    number = number_of(said, "oO") if has(said, "oO") else 0
    if unit == "year" and not number:
        month, year = month_number(said), today.year - 1
        yield Span(date(year, month, 1), month_end(year, month), afterwards=AFTERWARDS)
        return
    # "Last" belongs to the unit: years are asked of what follows it.
    tail = said[next(place for place, word in enumerate(said) if word.sign == "U") + 1 :]
    for year in years_of(tail, today, years):
        first, last = date(year, month_number(said), 1), month_end(year, month_number(said))
        found = _of_month(unit, number, first, last)
        if found and first <= found.first <= last:
            yield found


def quarter(said: Said, today: date, years: range) -> Iterator[Span]:
    """Yield three months of a year."""
    for year in years_of(said, today, years):
        yield _months(year, (number_of(said, "Q") - 1) * _MONTHS_OF_A_QUARTER, _MONTHS_OF_A_QUARTER)


def _of_month(unit: str, number: int, first: date, last: date) -> Span | None:
    """Return a unit of a month by its number from 1, 0 for the last; None for units that months are not counted in."""
    if unit == "day":
        day = first + timedelta(days=number - 1) if number else last
        return Span(day, day)
    if unit == "week":
        start = first + timedelta(days=_WEEK * (number - 1)) if number else last - timedelta(days=_WEEK - 1)
        return Span(start, min(last, start + timedelta(days=_WEEK - 1)))
    if unit != "weekend":
        return None
    saturday = first + timedelta(days=(_SATURDAY - first.weekday()) % _WEEK + _WEEK * (number - 1))
    return _weekend(saturday if number else last - timedelta(days=(last.weekday() - _SATURDAY) % _WEEK))


def _within(said: Said, year: int, month: int | None = None) -> Iterator[tuple[date, date]]:
    """Yield the first and last day of what is said, in a year unless another is said; this month where none is."""
    for word in said:
        if word.sign == "D":
            yield from ((day, day) for each in word.dates for day in each.within([year]))
            return
        if word.sign in "Hh":
            day = day_of_holiday(word.unit, year)
            yield day, day
            return
    meant = number_of(said, "Mm") if has(said, "Mm") else month
    if meant is None:
        return
    end = month_end(year, meant)
    # A unit's count stands before it: what is meant here follows.
    counted = next((int(word.number) for word in reversed(said) if word.sign in "NO"), None)
    if counted is None:
        yield end.replace(day=1), end
    elif 0 < counted <= end.day:
        yield end.replace(day=counted), end.replace(day=counted)


def _years_near(said: Said, today: date, years: range) -> Sequence[int]:
    """Return the years in which to read what is said; a date in digits with a year of its own needs but one."""
    own = [each.year for word in said if word.sign == "D" for each in word.dates]
    return [own[0]] if own and all(own) else years_of(said, today, years)


def _stretch(first: date, last: date, left: Said) -> Span:
    # "From November to February" ends in the next year, so it began in the one before; with a year of its own it began
    # then.
    if has(left, "Y"):
        first = _in_year(first, number_of(left, "Y"))
    elif last < first:
        first = _in_year(first, last.year - 1)
    return Span(min(first, last), last)


def _in_year(day: date, year: int) -> date:
    # 29 February is the 28th of most years.
    return day.replace(year=year, day=min(day.day, month_end(year, day.month).day))


def _weekend(day: date) -> Span:
    """Return the weekend next to a day, from Friday to the Monday on which it is told of."""
    # From Wednesday on it is the one ahead.
    saturday = day + timedelta(days=(_SATURDAY - day.weekday() + 3) % _WEEK - 3)
    return Span(saturday - timedelta(days=1), saturday + timedelta(days=2))


def _months(year: int, before: int, count: int) -> Span:
    """Return so many months of a year, after so many others of it."""
    return Span(date(year, before + 1, 1), month_end(year, before + count), afterwards=AFTERWARDS)
