"""Tell on which day of a year a holiday falls."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, timedelta

_FIXED: Mapping[str, tuple[int, int]] = {
    "christmas": (12, 25),
    "christmas eve": (12, 24),
    "boxing day": (12, 26),
    "new year's eve": (12, 31),
    "new year's day": (1, 1),
    "valentine's day": (2, 14),
    "halloween": (10, 31),
}
_FROM_EASTER: Mapping[str, int] = {"easter": 0, "easter monday": 1, "good friday": -2}
# In days: the Friday after it is Black Friday.
_FROM_THANKSGIVING: Mapping[str, int] = {"thanksgiving": 0, "black friday": 1}
_THURSDAY, _WEEK = 3, 7


def holiday(name: str, year: int) -> date:
    """Return the day of a holiday in a year; KeyError for a name that is not known."""
    if name in _FIXED:
        return date(year, *_FIXED[name])
    if name in _FROM_EASTER:
        return easter(year) + timedelta(days=_FROM_EASTER[name])
    return _thanksgiving(year) + timedelta(days=_FROM_THANKSGIVING[name])


def easter(year: int) -> date:
    """Return Easter Sunday of the Western churches, by the Gregorian computus."""
    golden = year % 19
    century = year // 100
    # How far the moon of that century is from the tables of old: leap days left out, and a day in 2,500 / 8 years.
    shift = century - century // 4 - (8 * century + 13) // 25
    epact = (19 * golden + shift + 15) % 30
    # The paschal moon is never later than 18 April.
    moon = epact - (epact > 28 or (epact == 28 and golden > 10))  # noqa: PLR2004 - the computus is such numbers
    full = date(year, 3, 21) + timedelta(days=moon)
    # The Sunday after it, never on it.
    return full + timedelta(days=_WEEK - (full.weekday() + 1) % _WEEK)


def _thanksgiving(year: int) -> date:
    """Return the fourth Thursday of November, as in the United States."""
    first = date(year, 11, 1)
    return first + timedelta(days=(_THURSDAY - first.weekday()) % _WEEK + 3 * _WEEK)
