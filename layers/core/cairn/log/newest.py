"""Track when a log's newest entry was made, so that appends are let in only behind all earlier ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from cairn.ground.attributes import number
from cairn.ground.table import AllOf, AnyOf, Attributes, Check, Condition, Equals, Key, LessThan, Missing, Update
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


def moving_on_from(pk: str, newest: Newest | None, entry: str) -> Update:
    """Return the write that moves a log's newest on to a newer entry, where it still is what was read."""
    made, still = made_at(entry), _still(newest)
    condition = AllOf((still, LessThan("newest", made))) if newest else still
    return Update(Key(pk, NEWEST), set=Newest(made).attributes(), condition=condition)


def unmoved(pk: str, newest: Newest | None) -> Check:
    """Return the check that a log's newest still is what was read."""
    return Check(Key(pk, NEWEST), _still(newest))


def _still(newest: Newest | None) -> Condition:
    return Missing("newest") if newest is None else Equals("newest", newest.made)
