"""Maintain every session that is due, found through the index shard by shard, within a time limit.

A run keeps no state: what it did is no longer due, what it did not is found by the next. Two runs at once
meet at the sessions' leases, and whoever comes second goes on with another session.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Literal, TypeAlias

from cairn.ground.adapters import Adapters, Pending
from cairn.ground.errors import CairnError, ResourceBusy, StoreError, Unavailable
from cairn.ground.jobs import DUE_SHARDS
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import Equals, Query, Update
from cairn.sessions.due import DueEntry
from cairn.sessions.layout import due_pk, due_sk
from cairn.upkeep.model import MaintenanceReport

MOST_SESSIONS = 10_000
"""How many entries of a shard a run reads, which bounds what it reads once its time is up."""
PUT_OFF = timedelta(hours=1)
"""When a session that failed is tried again: those that can never be read must not use up every run."""

Outcome: TypeAlias = Literal["maintained", "erased", "busy", "failed", "left", "damaged"]
"""How a due session fared; `erased` was left alone for longer than it is kept, `busy` is leased by another call, and
`left` goes on in the next run for lack of time. `damaged` was no entry of a session, and is listed no longer."""
Maintain: TypeAlias = Callable[[Session, datetime], MaintenanceReport]
"""Maintains a session until a moment, and raises nothing but CairnErrors."""


class EveryDue:
    """Finds and maintains the sessions that are due."""

    def __init__(self, adapters: Adapters) -> None:
        """Hold no state of its own."""
        self._adapters = adapters

    def due_shards(self) -> list[int]:
        """Return the shards in which a session is due."""
        now = self._adapters.clock.now()
        probes = [Pending(partial(self._has_due, shard, now)) for shard in range(DUE_SHARDS)]
        self._adapters.parallel(probes)
        return [shard for shard, probe in enumerate(probes) if probe.result]

    def due(self) -> Iterator[DueEntry]:
        """Yield every session that is due, and what else is listed as one."""
        now = self._adapters.clock.now()
        for shard in self.due_shards():
            yield from self._entries(shard, now)

    def run_shard(self, shard: int, within: timedelta, maintain: Maintain) -> Counter[Outcome]:
        """Maintain the shard's due sessions, the longest due first, and count how they fared."""
        return self.run(islice(self._entries(shard, self._adapters.clock.now()), MOST_SESSIONS), within, maintain)

    def run(self, heads: Iterable[DueEntry], within: timedelta, maintain: Maintain) -> Counter[Outcome]:
        """Maintain the sessions of these heads, or entries in the index, in their order, and count how they fared."""
        until = self._adapters.clock.now() + within
        return Counter(self._fared(head, until, maintain) for head in heads)

    def _has_due(self, shard: int, now: datetime) -> bool:
        return any(True for _ in self._entries(shard, now, page=1))

    def _entries(self, shard: int, now: datetime, page: int | None = None) -> Iterator[DueEntry]:
        return map(
            DueEntry.of, every(self._adapters.table, Query(due_pk(shard), "", due_sk(now), limit=page, index=True))
        )

    def _fared(self, entry: DueEntry, until: datetime, maintain: Maintain) -> Outcome:
        if self._adapters.clock.now() >= until:
            return "left"
        if entry.is_of_session:
            return self._maintained(entry, until, maintain)
        self._unlist(entry)
        return "damaged"

    def _maintained(self, entry: DueEntry, until: datetime, maintain: Maintain) -> Outcome:
        try:
            report = maintain(entry.session, until)
        except ResourceBusy:
            return "busy"
        except Unavailable:
            return "failed"
        except CairnError:
            self._put_off(entry)
            return "failed"
        if not report.finished:
            return "left"
        return "erased" if report.erased else "maintained"

    def _unlist(self, entry: DueEntry) -> None:
        """Take what is no session's head out of the index, unless it was changed meanwhile."""
        if entry.due is not None:
            with suppress(StoreError, CairnError):
                held = Equals("isk", entry.due)
                self._adapters.table.update(Update(entry.key, remove=("ipk", "isk"), condition=held))

    def _put_off(self, entry: DueEntry) -> None:
        """Let a session that is due be so later, unless whoever holds it has moved its entry meanwhile."""
        if entry.due is None:
            return
        later = due_sk(self._adapters.clock.now() + PUT_OFF)
        with suppress(StoreError, CairnError):
            self._adapters.table.update(Update(entry.key, set={"isk": later}, condition=Equals("isk", entry.due)))
