"""Read stored items around those that are damaged: these are counted, and the rest is answered with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData, KeyLost
from cairn.ground.table import Attributes, Key

T = TypeVar("T")

MALFORMED = (CorruptData, LookupError, TypeError, ValueError, AttributeError)
"""What opening a stored item raises where it is not what was written."""


def sound(adapters: Adapters, items: Iterable[Attributes], read: Callable[[Attributes], T]) -> Iterator[T]:
    """Yield what is read of each item, without those that are damaged."""
    for item in items:
        try:
            found = read(item)
        except KeyLost:
            raise
        except MALFORMED:
            adapters.tally.damaged(Key.of(item))
        else:
            yield found


def sound_or_none(adapters: Adapters, item: Attributes | None, read: Callable[[Attributes], T]) -> T | None:
    """Return what is read of an item, None where there is none or it is damaged."""
    return None if item is None else next(sound(adapters, [item], read), None)
