"""The link from one process to the store, on which any call can fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from functools import partial
from random import Random
from typing import TypeVar

from cairn.ground.errors import CairnError, Refusal, StoreError, TransactionRefused, Unavailable
from cairn.ground.ids import Digest, Tenant
from cairn.ground.ports import Blobs, Inventory, Snapshot, Table
from cairn.ground.table import Attributes, Check, Delete, Key, Page, Put, Query, Update, Write, key_of
from simulation.scheduler import Scheduler
from support.faults import Stopped

T = TypeVar("T")


class Fault(StrEnum):
    """What can happen to a call."""

    REFUSED = "refused"
    LOST = "answer lost"
    LATE = "answer lost, applied later"
    DELAYED = "delayed"
    THROTTLED = "throttled"
    CONFLICT = "conflict"
    KILLED_BEFORE = "killed before"
    KILLED_AFTER = "killed after"


Draw = Callable[[str], Fault | None]
"""Says what happens to the next call of any process, of which it is told what it is."""

LATENESS = (0.0, 0.5, 6.0, 40.0, 80.0)
"""How many seconds after its caller gave up a write may arrive, in a session that others lease meanwhile."""
LONG_DELAYS = (0.05, 1.0, 12.0, 35.0, 200.0)
MOST_THROTTLED = 5


@dataclass(eq=False, slots=True)
class FaultyLink:
    """One process's calls: each may let others go first, and goes wrong as drawn; none is made once it was killed."""

    process: str
    scheduler: Scheduler
    random: Random
    draw: Draw
    trace: Callable[[str], None]
    counts: Counter[str]
    dead: bool = False
    throttled: int = 0
    latencies: Sequence[float] = field(default=(0.0, 0.001, 0.004))

    def carry(self, what: str, apply: Callable[[], T], writes: int = 0) -> T:
        """Make a call, a transaction of so many writes where it is one, or have it go wrong."""
        if self.dead:
            raise Stopped
        self.scheduler.pause(self.random.choice(self.latencies))
        if self.throttled:
            self.throttled -= 1
            raise Unavailable("throttled")
        fault = self.draw(what)
        self.counts["calls"] += 1
        self.counts.update([fault] if fault else [])
        self.trace(f"{self.process} {what}{f'  << {fault}' if fault else ''}")
        match fault:
            case None:
                return apply()
            case Fault.DELAYED:
                self.scheduler.pause(self.random.choice(LONG_DELAYS))
                return apply()
            case Fault.CONFLICT if writes:
                raise TransactionRefused([Refusal("conflict"), *[None] * (writes - 1)])
            case Fault.KILLED_BEFORE | Fault.KILLED_AFTER:
                return self._killed(apply if fault is Fault.KILLED_AFTER else None)
            case _:
                self._unanswered(fault, apply)
                raise Unavailable(fault)

    def _killed(self, apply: Callable[[], T] | None) -> T:
        if apply is not None:
            with suppress(StoreError, CairnError):
                apply()
        self.dead = True
        raise Stopped

    def _unanswered(self, fault: Fault, apply: Callable[[], object]) -> None:
        def unseen() -> None:
            with suppress(StoreError, CairnError):
                apply()

        if fault is Fault.LOST:
            unseen()
        elif fault is Fault.LATE:
            self.scheduler.later(self.random.choice(LATENESS), unseen)
        elif fault is Fault.THROTTLED:
            self.throttled = self.random.randrange(MOST_THROTTLED)


@dataclass(frozen=True, slots=True)
class FaultyTable:
    """The table at the end of a line."""

    table: Table
    link: FaultyLink

    def get(self, key: Key) -> Attributes | None:
        return self.link.carry(f"get {key.pk} {key.sk}", partial(self.table.get, key))

    def query(self, query: Query) -> Page:
        return self.link.carry(f"query {query.pk} {query.low}..", partial(self.table.query, query))

    def put(self, write: Put) -> None:
        self.link.carry(f"put {_what(write)}", partial(self.table.put, write))

    def update(self, write: Update) -> Attributes:
        return self.link.carry(f"update {_what(write)}", partial(self.table.update, write))

    def delete(self, write: Delete) -> None:
        self.link.carry(f"delete {_what(write)}", partial(self.table.delete, write))

    def transact(self, writes: Sequence[Write]) -> None:
        what = "transact " + ", ".join(_what(write) for write in writes)
        self.link.carry(what, partial(self.table.transact, writes), len(writes))


@dataclass(frozen=True, slots=True)
class FaultyBlobs:
    """The blobs at the end of a line."""

    blobs: Blobs
    link: FaultyLink

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        return self.link.carry("put blob", partial(self.blobs.put, tenant, data))

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        return self.link.carry(f"get blob {digest[:8]}", partial(self.blobs.get, tenant, digest))

    def get_part(self, tenant: Tenant, digest: Digest, start: int, length: int) -> bytes:
        what = f"get {length} bytes of blob {digest[:8]}"
        return self.link.carry(what, partial(self.blobs.get_part, tenant, digest, start, length))

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        self.link.carry(f"delete blob {digest[:8]}", partial(self.blobs.delete, tenant, digest))


@dataclass(frozen=True, slots=True)
class FaultyInventory:
    """The way to all that is stored, at the end of a line; each walk is one call."""

    inventory: Inventory
    link: FaultyLink

    def items(self, tenant: Tenant) -> Iterator[Attributes]:
        return iter(self.link.carry(f"walk {tenant}", lambda: list(self.inventory.items(tenant))))

    def snapshot(self) -> AbstractContextManager[Snapshot]:
        return self.link.carry("snapshot", self.inventory.snapshot)

    def blobs(self, tenant: Tenant) -> Iterator[Digest]:
        return iter(self.link.carry(f"list blobs {tenant}", lambda: list(self.inventory.blobs(tenant))))

    def dated_blobs(self, tenant: Tenant) -> Iterator[tuple[Digest, datetime]]:
        return iter(self.link.carry(f"list blobs {tenant}", lambda: list(self.inventory.dated_blobs(tenant))))

    def scrub(self) -> None:
        self.link.carry("scrub", self.inventory.scrub)


def _what(write: Write) -> str:
    key = key_of(write)
    kind = "check" if isinstance(write, Check) else type(write).__name__.lower()
    return f"{kind} {key.pk} {key.sk}"
