"""Track when a log's newest entry was made, so that appends are let in only behind all earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cairn.ground.attributes import number
from cairn.ground.table import AnyOf, Attributes, Key, LessThan, Missing, Update
from cairn.log.layout import NEWEST, logged_at

EPOCH = datetime.fromtimestamp(0, UTC)
TICK = timedelta(milliseconds=1)
"""How far apart the ids of entries can be told."""


@dataclass(frozen=True, slots=True)
class Newest:
    """The time of a log's newest entry, in milliseconds since 1970 UTC."""

    made: int

    @classmethod
    def of(cls, item: Attributes) -> Newest:
        """Return what an item says of its log; CorruptData where it says nothing."""
        return cls(number(item, "newest"))

    def attributes(self) -> dict[str, int]:
        """Return the attributes that say so."""
        return {"newest": self.made}


def made_at(sk: str) -> int:
    """Return when the entry of this sort key was made, in milliseconds since 1970 UTC."""
    return (logged_at(sk) - EPOCH) // TICK


def moving_on(pk: str, entries: Sequence[str]) -> Update:
    """Return the write that moves a log's newest on to entries of these sort keys, where all of them are newer."""
    made = [made_at(sk) for sk in entries]
    return Update(
        Key(pk, NEWEST),
        set=Newest(max(made)).attributes(),
        condition=AnyOf((Missing("newest"), LessThan("newest", min(made)))),
    )
