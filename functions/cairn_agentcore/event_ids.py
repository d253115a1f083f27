"""Events' ids: the event's own time and its place in the log, so that an id is found without an index."""

from __future__ import annotations

from typing import Final

_MILLISECONDS: Final = 1000
_TIME_DIGITS, _PLACE_DIGITS = 19, 8
_MOST_PLACE: Final = 2**53


def event_id(seconds: float, position: int) -> str:
    """Return the id of the event of a time, in seconds since 1970, at a position."""
    return f"{round(seconds * _MILLISECONDS):0{_TIME_DIGITS}d}#{position:0{_PLACE_DIGITS}x}"


def position_of(identifier: str) -> int | None:
    """Return the position in an event's id, None where no event can be there."""
    place = int(identifier.partition("#")[2], 16)
    return place if place < _MOST_PLACE else None
