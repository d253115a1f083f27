"""Tell of long work while it is done."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from typing import TypeAlias, TypeVar

T = TypeVar("T")

Told: TypeAlias = Callable[[str, int, int], None]
"""Is told what is gone through, how much of it is done, and of how much: 0 where nobody knows. It is told often.

It may raise, which ends the work there."""


def untold(what: str, done: int, of: int) -> None:
    """Tell nobody."""
    del what, done, of


def stepped(told: Told, what: str, steps: Collection[T]) -> Iterator[T]:
    """Yield steps, and tell before each, and behind the last, how many are done."""
    for done, step in enumerate(steps):
        told(what, done, len(steps))
        yield step
    told(what, len(steps), len(steps))
