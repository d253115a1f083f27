"""The indexer: move a log's tail into segments and merge them, while reads and writes go on.

The log is a log-structured merge tree: its memtable is the tail in the table, its tables are segments. A run may be
stopped anywhere, done again, or done twice at once; entries stay in the table, so that nothing can be lost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import TypeAlias

from cairn.ground.adapters import Adapters, Pending
from cairn.ground.damage import sound_or_none
from cairn.ground.errors import CorruptData, NotFound
from cairn.ground.ids import Project, Tenant, is_branch
from cairn.ground.jobs import IndexLog
from cairn.ground.paging import every
from cairn.ground.ports import Embedder, Inventory
from cairn.ground.progress import Told, stepped, untold
from cairn.ground.table import Attributes, Key, Query
from cairn.log.documents import Kind
from cairn.log.entry_vectors import keep_vectors
from cairn.log.layout import MANIFEST, log_of, log_pk, log_range
from cairn.log.manifest import ENTRIES, Manifest, SegmentRef, is_full, merging
from cairn.log.segment import Segment
from cairn.log.segment_writer import Written, paged_of, written
from cairn.log.segments import Segments
from cairn.log.view import MemoryView
from cairn.vault.vault import Vault

FEWEST = ENTRIES // 2
"""How many entries are worth a segment: a log asks at ENTRIES, and its newest may be under way."""
MOST = 32 * ENTRIES
"""How many entries a segment is made of at once, so that memory is bounded."""


@dataclass(frozen=True, slots=True)
class Indexed:
    """Result of a run: entries newly put into a segment, entries that its segments hold, and their bytes."""

    entries: int = 0
    written: int = 0
    bytes: int = 0

    def __add__(self, other: Indexed) -> Indexed:
        """Return what two runs did together."""
        return Indexed(self.entries + other.entries, self.written + other.written, self.bytes + other.bytes)


_NOTHING = Indexed()


def _unwatched() -> None:
    """Do nothing."""


class Indexer:
    """Keeps the tails of logs short by moving them into segments."""

    def __init__(self, adapters: Adapters, vault: Vault, embedder: Embedder | None = None) -> None:
        """Give texts the embedder's vectors, or none without one."""
        self._adapters = adapters
        self._vault = vault
        self._embedder = embedder
        self.segments = Segments(adapters, vault)

    def run(self, tenant: Tenant, project: Project, owner: str, until: datetime | None = None) -> Indexed:
        """Put what is in the tail into segments, if it is worth one; begin nothing new after `until`.

        Where a segment to merge is damaged, or the manifest is, all are made anew.
        """
        pk = log_pk(tenant, project, owner)
        if is_branch(project):  # what it adds is read as it is, behind what it begins with
            return Indexed()
        try:
            done = self._advance(_Log(tenant, pk), self.segments.manifest(pk), until)
        except (CorruptData, NotFound):
            done = self.rebuild(tenant, project, owner, until)
        self.segments.collect(tenant, pk)
        return done

    def do(self, job: IndexLog, within: timedelta) -> Indexed:
        """Do a job, in this time."""
        work = self.rebuild if job.rebuild else self.run
        return work(job.tenant, job.project, job.owner, self._adapters.clock.now() + within)

    def rebuild(
        self,
        tenant: Tenant,
        project: Project,
        owner: str,
        until: datetime | None = None,
        goes_on: Callable[[], None] = _unwatched,
    ) -> Indexed:
        """Make the segments anew from the log alone; `goes_on` is called between steps."""
        if is_branch(project):
            return Indexed()
        log = _Log(tenant, log_pk(tenant, project, owner))
        damaged = self.segments.damaged_manifest(log.pk)
        first = self._step(log, damaged, usable=0)
        return self._advance(log, first.manifest, until, first.done, goes_on) if first else Indexed()

    def _advance(
        self,
        log: _Log,
        manifest: Manifest,
        until: datetime | None,
        done: Indexed = _NOTHING,
        goes_on: Callable[[], None] = _unwatched,
    ) -> Indexed:
        """Take steps until what is left is not worth one, or another indexer was faster."""
        while until is None or self._adapters.clock.now() < until:
            goes_on()
            step = self._step(log, manifest, usable=len(manifest.segments), fewest=FEWEST)
            if step is None:
                break
            manifest = step.manifest
            done = done + step.done
        return done

    def _step(self, log: _Log, manifest: Manifest, *, usable: int, fewest: int = 1) -> _Step | None:
        """Make one segment of the oldest entries that the `usable` oldest segments do not hold, and of newer segments.

        None, and nothing changes, where there are fewer than `fewest` such entries or the manifest is another by now.
        """
        bounds = manifest.bounds()[:usable]
        entries = list(islice(self._after(log.pk, bounds[-1][1].through if bounds else ""), MOST))
        if len(entries) < fewest:
            return None
        # The new segment takes the place of the newest few, as many as the levels call for.
        kept = usable - merging([ref for _, ref in bounds], len(entries))
        merged = bounds[kept:]
        view = MemoryView(self._load(log, merged))
        for entry in entries:
            record = sound_or_none(self._adapters, entry, partial(self._vault.unseal, log.tenant))
            if record is not None:
                view.apply(record)
                keep_vectors(view.tail, self._vault, log.tenant, entry)
        low = bounds[kept - 1][1].through if kept else ""
        through, count = Key.of(entries[-1]).sk, len(entries) + sum(ref.entries for _, ref in merged)
        segment = self._written(view, low, through, paged_of(view) if is_full(count) else ())
        built = self.segments.build(log.tenant, log.pk, through, count, segment)
        new = self.segments.switch(log.pk, manifest, kept, built)
        return None if new is None else _Step(new, Indexed(len(entries), count, segment.size))

    def _written(self, view: MemoryView, low: str, through: str, paged: Sequence[Kind]) -> Written:
        """Return the segment, with vectors where something makes any."""
        if self._embedder is None:
            return written(view, low, through, {}, paged)
        from cairn.recall.embedding import Embedding  # noqa: PLC0415 - numpy, which a process may do without

        return written(view, low, through, Embedding(self._adapters, self._embedder).of(view, paged), paged)

    def _load(self, log: _Log, bounds: Sequence[tuple[str, SegmentRef]]) -> list[Segment]:
        loads = [Pending(partial(self.segments.load, log.tenant, log.pk, low, ref)) for low, ref in bounds]
        self._adapters.parallel(loads)
        return [load.result for load in loads]

    def _after(self, pk: str, through: str) -> Iterator[Attributes]:
        """Yield the entries after one; none comes between them any more."""
        low, high = log_range()
        for entry in every(self._adapters.table, Query(pk, max(low, through), high, limit=MOST)):
            if through < Key.of(entry).sk < MANIFEST:
                yield entry


Wanted: TypeAlias = Callable[[str], bool]


def _all(pk: str) -> bool:
    """Want every log."""
    del pk
    return True


@dataclass(frozen=True, slots=True)
class _Log:
    tenant: Tenant
    pk: str


@dataclass(frozen=True, slots=True)
class _Step:
    manifest: Manifest
    done: Indexed


def reindex(
    indexer: Indexer, inventory: Inventory, tenant: Tenant, *, wanted: Wanted = _all, told: Told = untold
) -> Iterator[Indexed]:
    """Make the segments of each wanted log that has any, and yield what that took; logs are read and written meanwhile.

    A log is wanted by its partition. It may be stopped at any time and run again.
    """
    logs: list[str] = []
    for item in inventory.items(tenant):
        told("items", 0, 0)
        if item["sk"] == MANIFEST and wanted(str(item["pk"])):
            logs.append(str(item["pk"]))
    for done, pk in enumerate(stepped(told, "logs", logs)):
        yield indexer.rebuild(*log_of(pk), goes_on=partial(told, "logs", done, len(logs)))
