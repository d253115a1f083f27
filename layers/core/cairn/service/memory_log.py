"""The memory log: appended by commits, read as a view that a warm process only brings up to date."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from threading import Lock, RLock

from cairn.domain import layout
from cairn.domain.ids import Project, Tenant, time_ordered_id
from cairn.domain.memory_view import LogEntry, MemoryView
from cairn.ports import ABSENT, Attributes, Key, Put, Query
from cairn.service.paging import every
from cairn.service.vault import Vault
from cairn.service.world import World

LATE_APPEND = timedelta(seconds=30)
"""How long after its id was made an append may still arrive: no call lives longer than its gateway allows."""
ON_TIME = timedelta(seconds=20)
"""How old an entry may be when its append is sent, so that the call and skewed clocks keep within LATE_APPEND."""
TICK = timedelta(milliseconds=1)
MAX_VIEWS = 256


@dataclass(slots=True)
class _Cached:
    lock: RLock = field(default_factory=RLock)
    view: MemoryView = field(default_factory=MemoryView)
    applied: set[str] = field(default_factory=set[str])
    newest: str = ""
    read_from: str = ""
    is_read: bool = False

    def reset(self) -> None:
        """Forget all that was read; the next refresh reads the log from its beginning."""
        self.view, self.applied, self.newest, self.read_from, self.is_read = MemoryView(), set(), "", "", False


class MemoryLog:
    """One append-only log per owner and project; see domain.layout for who owns what."""

    def __init__(self, world: World, vault: Vault) -> None:
        """Start with no view in memory."""
        self._world = world
        self._vault = vault
        self._views: OrderedDict[str, _Cached] = OrderedDict()
        self._lock = Lock()

    def append(self, tenant: Tenant, project: Project, owner: str, entry: LogEntry) -> Put:
        """Return the write that appends the entry; its id follows all that was read, whatever the clock says."""
        pk = layout.log_pk(tenant, project, owner)
        with self._exclusive(pk) as cached:
            at = max(entry.at, layout.logged_at(cached.newest) + TICK) if cached.newest else entry.at
        where = Key(pk, layout.log_sk(time_ordered_id(at, self._world.entropy.token(10))))
        content = self._vault.seal(tenant, where, entry.to_record())
        return Put({"pk": where.pk, "sk": where.sk, **content}, ABSENT)

    def refresh(self, tenant: Tenant, project: Project, owner: str) -> None:
        """Read what was appended since the view was last brought up to date; one query when warm."""
        pk = layout.log_pk(tenant, project, owner)
        with self._exclusive(pk) as cached:
            self._bring_up_to_date(tenant, pk, cached)

    @contextmanager
    def view(self, tenant: Tenant, project: Project, owner: str) -> Generator[MemoryView]:
        """Hold the view as last refreshed, read now if it never was; it must not be used after the with block."""
        with self._exclusive(layout.log_pk(tenant, project, owner)) as cached:
            if not cached.is_read:
                self._bring_up_to_date(tenant, layout.log_pk(tenant, project, owner), cached)
            yield cached.view

    def _bring_up_to_date(self, tenant: Tenant, pk: str, cached: _Cached) -> None:
        started = self._world.clock.now()
        fresh = [item for item in self._since(pk, cached.read_from) if str(item["sk"]) not in cached.applied]
        if fresh and str(fresh[0]["sk"]) < cached.newest:
            cached.reset()
            fresh = list(self._since(pk, ""))
        self._fold(tenant, cached, fresh)
        late = layout.log_sk_at(_no_earlier_than_epoch(started - LATE_APPEND))
        cached.read_from, cached.is_read = min(late, cached.newest), True
        cached.applied = {sk for sk in cached.applied if sk >= cached.read_from}

    def _fold(self, tenant: Tenant, cached: _Cached, items: list[Attributes]) -> None:
        records = [(str(item["sk"]), self._vault.unseal(tenant, item)) for item in items]
        for sk, record in records:
            cached.view.apply(record)
            cached.newest = sk
            cached.applied.add(sk)

    def _since(self, pk: str, sk: str) -> Iterator[Attributes]:
        low, high = layout.prefix_range("m#")
        return every(self._world.table, Query(pk, max(low, sk), high))

    @contextmanager
    def _exclusive(self, pk: str) -> Generator[_Cached]:
        with self._lock:
            cached = self._views.setdefault(pk, _Cached())
            self._views.move_to_end(pk)
            while len(self._views) > MAX_VIEWS:
                self._views.popitem(last=False)
        with cached.lock:
            yield cached


def _no_earlier_than_epoch(moment: datetime) -> datetime:
    return max(moment, datetime.fromtimestamp(0, tz=moment.tzinfo))
