"""A table that sees to it that no lease is taken or given up but by whoever may."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import TypeVar

from cairn.ground.codec import epoch_ms
from cairn.ground.ports import Table
from cairn.ground.table import Attributes, Delete, Key, Page, Put, Query, Update, Write, key_of
from cairn.sessions.layout import HEAD
from simulation.scheduler import Scheduler

T = TypeVar("T")


@dataclass(slots=True)
class Leases:
    """Which process took which lease, by the owner's name in it, and what was done to leases that it may not do."""

    scheduler: Scheduler
    skew: timedelta
    taken_by: dict[str, str] = field(default_factory=dict[str, str])
    breaches: list[str] = field(default_factory=list[str])

    def compare(self, process: str, before: Attributes, after: Attributes) -> None:
        """Hold what a process did to a head to what it may do."""
        old, new = before.get("lease_owner"), after.get("lease_owner")
        if isinstance(new, str) and new != old:
            self.taken_by[new] = process
            if int(before.get("lease_until", 0)) > epoch_ms(self.scheduler.now + self.skew):
                self.breaches.append(f"{process} took a lease that {self.taken_by.get(str(old))} held")
        elif old is not None and after and new is None and self.taken_by.get(str(old)) != process:
            self.breaches.append(f"{process} released a lease of {self.taken_by.get(str(old))}")


@dataclass(frozen=True, slots=True)
class WatchedTable:
    """The table as one process has it, with an eye on leases."""

    table: Table
    leases: Leases
    process: str

    def get(self, key: Key) -> Attributes | None:
        return self.table.get(key)

    def query(self, query: Query) -> Page:
        return self.table.query(query)

    def put(self, write: Put) -> None:
        self.table.put(write)

    def delete(self, write: Delete) -> None:
        self.table.delete(write)

    def update(self, write: Update) -> Attributes:
        return self._watched([write], lambda: self.table.update(write))

    def transact(self, writes: Sequence[Write]) -> None:
        self._watched(writes, lambda: self.table.transact(writes))

    def _watched(self, writes: Sequence[Write], apply: Callable[[], T]) -> T:
        heads = [key_of(write) for write in writes if key_of(write).sk == HEAD]
        before = [self.table.get(key) or {} for key in heads]
        answer = apply()
        for key, old in zip(heads, before, strict=True):
            self.leases.compare(self.process, old, self.table.get(key) or {})
        return answer
