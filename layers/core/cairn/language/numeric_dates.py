"""Read dates that are written in digits, in the order of any country; what may be two days is read as both."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from cairn.language.terms import fold

_YEAR = "(?:19|20)\\d\\d"
_YEAR_FIRST = re.compile(rf"({_YEAR})([-/.])(\d\d?)\2(\d\d?)")
# 0000 is what spelt_out() writes for a year that is not said.
_YEAR_LAST = re.compile(rf"(\d\d?)([-/.])(\d\d?)\2({_YEAR}|0000)")
# 1/21/24: with dots that is a version, with hyphens anything.
_SHORT_YEAR = re.compile(r"(\d\d?)(/)(\d\d?)/(\d\d)")
_TWO_DAYS = re.compile(r"(\d\d?)-(\d\d?)")
_CENTURY = 2000
_SOME_LEAP_YEAR = 2024
_LAST_DAY = 31
# Without a year, 1/21 may be a share and 3.11 a version: only a word that leads to a day makes them a date, with dots
# one that seldom leads to a version.
_BEFORE_DOTS = "on am vom bis zum seit nach vor le du au el del al op il dal em"
_BEFORE_SLASHES = f"{_BEFORE_DOTS} until till since from before after between ab depuis hasta desde"
_ARTICLE = "(?:the |le |el |dem |den )?"
_WITHOUT_YEAR = re.compile(
    rf"\b((?:{_BEFORE_SLASHES.replace(' ', '|')}) {_ARTICLE}\d\d?/\d\d?)(?![\d/.,:%-]*\d)"
    rf"|\b((?:{_BEFORE_DOTS.replace(' ', '|')}) {_ARTICLE}\d\d?\.\d\d?)\.(?!\d)"
)
# "3. bis 9. Juli" needs no help; a dash with or without blanks between two days does.
_DASHED = re.compile(r"(?<![\d.,/:-])(\d\d?) ?[-\u2013] ?(\d\d?)(?![\d.,/:-]*\d)")


class PartialDate(NamedTuple):
    """A date that may lack a part: 0 where a year or month is not said."""

    year: int
    month: int
    day: int

    def within(self, years: Sequence[int]) -> Iterator[date]:
        """Yield the day in the year that is said, else in each of these; none where it is in no calendar."""
        for year in [self.year] if self.year else years:
            try:
                yield date(year, self.month, self.day)
            except ValueError:
                continue


def spelt_out(text: str) -> str:
    """Return a text folded, with dates in digits that lack a year, and two days with a dash, as single numbers."""
    return _DASHED.sub(r"\1-\2", _WITHOUT_YEAR.sub(_with_no_year, fold(text)))


def numeric(said: str) -> Sequence[PartialDate]:
    """Return what a number with separators may mean as a date: 3/4/2024 is of March and of April; () for none."""
    if found := _YEAR_FIRST.fullmatch(said):
        return _real([PartialDate(int(found[1]), int(found[3]), int(found[4]))])
    if found := _YEAR_LAST.fullmatch(said):
        year = int(found[4])
    elif found := _SHORT_YEAR.fullmatch(said):
        year = _CENTURY + int(found[4])
    else:
        return ()
    first, second = int(found[1]), int(found[3])
    # With dots the day is always first.
    orders = [(second, first)] if found[2] == "." else [(first, second), (second, first)]
    return _real([PartialDate(year, month, day) for month, day in dict.fromkeys(orders)])


def two_days(said: str) -> Sequence[PartialDate]:
    """Return both days of "3-9", without month and year; () where it is no such pair."""
    found = _TWO_DAYS.fullmatch(said)
    if found is None or not 0 < int(found[1]) < int(found[2]) <= _LAST_DAY:
        return ()
    return [PartialDate(0, 0, int(found[1])), PartialDate(0, 0, int(found[2]))]


def _with_no_year(found: re.Match[str]) -> str:
    return f"{found[1]}/0000" if found[1] else f"{found[2]}.0000 "


def _real(dates: Sequence[PartialDate]) -> Sequence[PartialDate]:
    return [each for each in dates if any(each.within([_SOME_LEAP_YEAR]))]
