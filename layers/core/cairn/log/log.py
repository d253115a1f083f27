"""The memory log: commits append to it, and processes read it as a view that they only bring up to date.

The log's beginning is held by segments, its tail by the entries themselves; see recall.indexing. A cold process reads
the newest entries and the manifest, then in parallel the segments and what lies between.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from threading import RLock
from typing import Any

from cairn.ground.adapters import Adapters, Pending
from cairn.ground.bounded import BoundedCache
from cairn.ground.errors import CorruptData, KeyLost, NotFound, TransactionRefused
from cairn.ground.ids import Digest, Project, Tenant, is_branch, time_ordered_id
from cairn.ground.jobs import EmbedLog, IndexLog, Job
from cairn.ground.paging import every
from cairn.ground.ports import Embedder, LoadedEmbedder
from cairn.ground.table import (
    ABSENT,
    Attributes,
    Key,
    Put,
    Query,
    Write,
    conditions_lost,
    item_bytes,
    key_of,
)
from cairn.log.branch_reading import BranchReading
from cairn.log.branches import Branches
from cairn.log.entries import LogEntry, Retold
from cairn.log.entry_vectors import VECTORS, keep_vectors
from cairn.log.layout import BRANCHES, MANIFEST, NEWEST, log_of, log_pk, log_range, log_sk, logged_at
from cairn.log.manifest import ENTRIES, Manifest, SegmentRef
from cairn.log.newest import EPOCH, TICK, Newest, moving_on, moving_on_from, unmoved
from cairn.log.reading import Reading
from cairn.log.segment import Segment
from cairn.log.segments import Segments, as_far_as_readable, loading
from cairn.log.view import MemoryView
from cairn.vault.vault import Vault

LATE_APPEND = timedelta(seconds=30)
"""How long after its id was made an append may arrive as a rule: no call lives longer than its gateway allows."""
ON_TIME = timedelta(seconds=20)
"""How old an entry may be when its append is sent, so that the call and skewed clocks keep within LATE_APPEND."""
FIRST_PAGE = 12
"""How many items a cold process reads before it knows how long the tail is: the rest comes with the segments."""
MOST_NEWS = 8 * ENTRIES
"""How many new entries a warm process reads one by one, or keeps beside the segments that hold them since."""
MAX_BYTES = 128 * 1024 * 1024
"""How much of all logs together a process keeps in memory; its Lambda has 512 MB."""
MOST_OF_A_LOG = 3 * MAX_BYTES // 4
"""How much of that one log counts for at most, so that the small ones that a call reads beside do not drive it out."""
_SLOT_BYTES = 512
"""What the place of a log takes that was appended to and never read."""
_FOLDED = 10
"""How many times its stored bytes an entry takes in memory."""


@dataclass(slots=True)
class _Slot:
    """A process's cache entry for one log.

    `outran` is when the entry was made that kept one of this process from being appended, in milliseconds.
    """

    lock: RLock = field(default_factory=RLock)
    read: Reading | None = None
    outran: int = 0

    @property
    def weight(self) -> int:
        """Return how many bytes it counts for."""
        return _SLOT_BYTES if self.read is None else min(self.read.size, MOST_OF_A_LOG)


class MemoryLog:
    """Reads and appends the logs, one per owner and project; see log.layout for their keys."""

    def __init__(self, adapters: Adapters, vault: Vault, embedder: Callable[[], Embedder | None] | None = None) -> None:
        """Start with no view in memory; `embedder` returns what embeds here so far, and is None where none will."""
        self._embedder = embedder
        self._adapters = adapters
        self._vault = vault
        self._segments = Segments(adapters, vault)
        self.branches = Branches(adapters)
        self._beginnings = BranchReading(adapters, self.branches)
        self._slots: BoundedCache[str, _Slot] = BoundedCache(weight=MAX_BYTES, weigh=lambda slot: slot.weight)

    def append(
        self, tenant: Tenant, project: Project, owner: str, entry: LogEntry | Retold, moment: datetime | None = None
    ) -> Put:
        """Return the write that appends the entry; its id follows all that was read, whatever the clock says.

        The id is of the time of the entry, or of this moment where the entry tells of what was long before. The
        transaction that writes it holds what `in_order` returns as well.
        """
        return self.append_together(tenant, project, [(owner, entry)], moment)[0]

    def append_together(
        self,
        tenant: Tenant,
        project: Project,
        entries: Sequence[tuple[str, LogEntry | Retold]],
        moment: datetime | None = None,
    ) -> list[Put]:
        """Return the writes that append one entry to each of some owners' logs, all at one moment, as append() does.

        So whoever reads the logs as they were at a time knows all of them or none.
        """
        told = [(log_pk(tenant, project, owner), entry) for owner, entry in entries]
        at = max((max(moment or entry.at, self._soonest(pk)) for pk, entry in told), default=EPOCH)
        return [self._append(tenant, pk, entry, at) for pk, entry in told]

    def _append(self, tenant: Tenant, pk: str, entry: LogEntry | Retold, at: datetime) -> Put:
        where = Key(pk, log_sk(time_ordered_id(at, self._adapters.entropy.token(10))))
        content = self._vault.seal(tenant, where, entry.to_record())
        return Put({"pk": where.pk, "sk": where.sk, **content}, ABSENT)

    def _soonest(self, pk: str) -> datetime:
        """Return the moment after what outran this process, and after the newest entry that it has read.

        Clocks of processes differ.
        """
        with self._exclusive(pk) as slot:
            newest, outran = slot.read.newest if slot.read else "", slot.outran
        return max(EPOCH + outran * TICK, logged_at(newest) if newest else EPOCH) + TICK

    def in_order(self, *appends: Put) -> list[Write]:
        """Return the writes that let these appends through only where all of them are newer than their logs' newest.

        So an append may be under way for however long: what was read of a log, up to some entry, stays all there is.
        """
        logs: dict[str, list[str]] = {}
        for append in appends:
            where = key_of(append)
            logs.setdefault(where.pk, []).append(where.sk)
        return [*(moving_on(pk, entries) for pk, entries in logs.items()), *self._adding(logs)]

    def _adding(self, pks: Iterable[str]) -> list[Write]:
        """Return what appends to these logs are made with where they are a branch's: each item is written once."""
        writes = (write for pk in pks if _is_of_branch(pk) for write in self.branches.adding(pk))
        return list({key_of(write): write for write in writes}.values())

    def newest(self, tenant: Tenant, project: Project, owner: str) -> Newest | None:
        """Return when the log's newest entry was made, None where it has none: to be asked before the log is read."""
        item = self._adapters.table.get(Key(log_pk(tenant, project, owner), NEWEST))
        return None if item is None else Newest.of(item)

    def alone(self, append: Put, newest: Mapping[str, Newest | None]) -> list[Write]:
        """Return the writes that let an append through only where nobody appended since the newest was asked for.

        That is given for each log that has to be unchanged, by its partition, and for the append's own.
        """
        where = key_of(append)
        moves = moving_on_from(where.pk, newest[where.pk], where.sk)
        still = (unmoved(pk, each) for pk, each in newest.items() if pk != where.pk)
        return [moves, *still, *self._adding([where.pk])]

    def was_outrun(self, writes: Sequence[Write], refused: TransactionRefused) -> bool:
        """Tell whether all that was wrong is that others appended first; the next append follows theirs.

        NotFound or Conflict where the logs are a branch's that is gone, or is being closed.
        """
        failed = conditions_lost(writes, refused)
        for where, refusal in failed.items():
            if where.sk.startswith(BRANCHES):
                self.branches.read_again(where)
            if where.sk == NEWEST:
                with self._exclusive(where.pk) as slot:
                    slot.outran = max(slot.outran, Newest.of(refusal.item).made if refusal.item else 0)
        return bool(failed) and all(where.sk == NEWEST for where in failed)

    def refresh(self, tenant: Tenant, project: Project, owner: str) -> None:
        """Read what was appended since the view was last brought up to date; one query when warm."""
        pk = log_pk(tenant, project, owner)
        with self._exclusive(pk) as slot:
            self._told(self._bring_up_to_date(tenant, pk, slot))

    def refresh_to(self, tenant: Tenant, project: Project, owner: str, version: str) -> None:
        """Bring the view up to date unless that was done for this version, which changes when the log may have."""
        pk = log_pk(tenant, project, owner)
        with self._exclusive(pk) as slot:
            if slot.read is None or slot.read.damaged or slot.read.lost or slot.read.version != version:
                self._bring_up_to_date(tenant, pk, slot).version = version
            if slot.read is not None:
                self._told(slot.read)

    @contextmanager
    def view(self, tenant: Tenant, project: Project, owner: str) -> Generator[MemoryView]:
        """Hold the view as last refreshed, read now if it never was; it must not be used after the with block."""
        pk = log_pk(tenant, project, owner)
        with self._exclusive(pk) as slot:
            read = slot.read or self._told(self._bring_up_to_date(tenant, pk, slot))
            self._adapters.tally.seen(pk, read.newest)
            yield read.view

    def has_read(self, tenant: Tenant, project: Project, owner: str, sk: str) -> bool:
        """Tell whether the view is as new as an entry of this sort key, of whichever log."""
        with self._exclusive(log_pk(tenant, project, owner)) as slot:
            return slot.read is not None and slot.read.newest >= sk

    def wanted(self, tenant: Tenant, project: Project, owner: str, *across: str) -> list[Job]:
        """Return what whoever appends one more entry is to have done: its vectors, and at each ENTRIES a segment.

        To the owner's log, and to those across projects beside it, whose vectors the same job makes. That a segment is
        damaged is said once.
        """
        if is_branch(project):  # it is read as it is, and goes when it is merged
            return []
        due = (
            self._job(tenant, project, each, lambda read: (read.unindexed + 1) % ENTRIES == 0)
            for each in (owner, *across)
        )
        return [*self.vectors_wanted(tenant, project, owner), *(job for job in due if job)]

    def vectors_wanted(self, tenant: Tenant, project: Project, owner: str) -> list[Job]:
        """Return the job that gives what is appended its vectors, where the deployment has any and it is not done here.

        That of the owner's log across projects is given them as well.
        """
        is_left = self._embedder is not None and not self.gives_vectors and not is_branch(project)
        return [EmbedLog(tenant, project, owner)] if is_left else []

    @property
    def gives_vectors(self) -> bool:
        """Tell whether who appends gives vectors itself: its model is loaded, and a job is a call that is paid for."""
        embedder = None if self._embedder is None or self._adapters.own_disk else self._embedder()
        return isinstance(embedder, LoadedEmbedder) and embedder.is_loaded

    def overdue(self, tenant: Tenant, project: Project, owner: str) -> IndexLog | None:
        """Return what should have been done by now, as last read; that a segment is damaged is said once."""
        return self._job(tenant, project, owner, lambda read: read.unindexed >= ENTRIES)

    def _job(self, tenant: Tenant, project: Project, owner: str, is_due: Callable[[Reading], bool]) -> IndexLog | None:
        with self._exclusive(log_pk(tenant, project, owner)) as slot:
            read = slot.read
            if read is None or read.beginning is not None or not (read.is_damaged or is_due(read)):
                return None
            is_damaged, read.is_damaged = read.is_damaged, False
        return IndexLog(tenant, project, owner, rebuild=is_damaged)

    def _told(self, read: Reading) -> Reading:
        """Count what was passed over, at each call that reads the log: its answer lacks it."""
        for where in read.damaged:
            self._adapters.tally.damaged(where)
        return read

    def _bring_up_to_date(self, tenant: Tenant, pk: str, slot: _Slot) -> Reading:
        read, lost = slot.read, slot.read.lost if slot.read else frozenset[Digest]()
        # What was damaged may have been put back or taken away since, and what was lost replaced.
        if read is None or read.damaged or lost or read.indexed >= MOST_NEWS or not self._catch_up(tenant, pk, read):
            read = slot.read = self._read(tenant, pk, read.sound_segments if read else {})
            # A segment that is lost and still named will not be replaced unless somebody asks.
            read.is_damaged |= not lost.isdisjoint(read.segments)
        self._weigh_again(pk, slot)
        return read

    def _catch_up(self, tenant: Tenant, pk: str, read: Reading) -> bool:
        """Apply what is new; False, and nothing is, where too much is.

        So it is where the newest entry known is gone, or the manifest tells of an erasure: the log, or some of it, was
        erased, and may not be told any more.
        """
        low, high = log_range()
        newest = read.own_newest
        news = Pending(lambda: self._adapters.table.query(Query(pk, max(low, newest), high, limit=MOST_NEWS)))
        if (beginning := read.beginning) is None:
            news()
        else:
            goes_on = Pending(lambda: self._beginnings.goes_on(beginning))
            self._adapters.parallel([news, goes_on])
            if not goes_on.result:
                return False
        page = news.result
        item, entries = _parted(page.items)
        # The newest entry known is read again on purpose: where it is gone, the log was erased.
        if page.next or (newest and (not entries or _sk(entries[0]) != newest)):
            return False
        fresh = entries[1:] if newest else entries
        if item is not None and not read.manifest.is_in(item):
            try:
                manifest = Manifest.of(item)
            except CorruptData:
                return False
            if manifest.erasures != read.manifest.erasures:
                return False
            read.manifest = manifest
        if newest and entries and read.tail and Key.of(entries[0]) not in read.damaged:
            # They were stored since it was read, mostly: this process need not make them again.
            keep_vectors(read.view.tail, self._vault, tenant, entries[0])
        self._fold(tenant, read, fresh)
        return True

    def _read(self, tenant: Tenant, pk: str, known: Mapping[Digest, Segment]) -> Reading:
        """Read the log anew; the segments that the process has need not be loaded again."""
        if _is_of_branch(pk):
            read, entries = self._beginnings.read(pk, lambda of: partial(self._load, tenant, of, known))
        else:
            read, entries = self._with_segments(tenant, pk, known) or self._without_segments(pk)
        self._fold(tenant, read, entries)
        return read

    def _with_segments(
        self, tenant: Tenant, pk: str, known: Mapping[Digest, Segment]
    ) -> tuple[Reading, list[Attributes]] | None:
        """Return what the segments say and the entries that follow them; None where a segment is lost or damaged.

        One may just have been merged into another since the manifest was read, which another look at it tells.
        """
        with suppress(CorruptData):
            # Once more with the next manifest; segments that are gone twice are lost.
            for _ in range(2):
                with suppress(NotFound):
                    return self._loaded(tenant, pk, known)
        return None

    def _loaded(self, tenant: Tenant, pk: str, known: Mapping[Digest, Segment]) -> tuple[Reading, list[Attributes]]:
        low, high = log_range()
        page = self._adapters.table.query(Query(pk, low, high, descending=True, limit=FIRST_PAGE))
        item, newest = _parted(page.items)
        manifest = Manifest() if item is None else Manifest.of(item)
        # One round reads the newest entries and the manifest, the next one the segments and what lies between them,
        # whatever the length.
        oldest = _sk(newest[-1]) if newest else ""
        between = Pending(lambda: self._between(pk, manifest.through, oldest) if page.next else [])
        loads = [Pending(partial(self._load, tenant, pk, known, *bound)) for bound in manifest.bounds()]
        self._adapters.parallel([between, *loading(manifest.segments, loads)])
        segments = {ref.digest: load.result for ref, load in zip(manifest.segments, loads, strict=True)}
        entries = [*between.result, *(entry for entry in reversed(newest) if _sk(entry) > manifest.through)]
        return Reading(MemoryView(segments.values()), manifest, manifest, segments), entries

    def _load(self, tenant: Tenant, pk: str, known: Mapping[Digest, Segment], low: str, ref: SegmentRef) -> Segment:
        return known.get(ref.digest) or self._segments.load(tenant, pk, low, ref)

    def _between(self, pk: str, through: str, oldest: str) -> list[Attributes]:
        """Return the entries after one and before another."""
        if oldest <= through:
            return []
        low, _ = log_range()
        found = every(self._adapters.table, Query(pk, max(low, through), oldest))
        return [entry for entry in found if through < _sk(entry) < oldest]

    def _without_segments(self, pk: str) -> tuple[Reading, list[Attributes]]:
        """Return all entries of the log, which holds what its segments should."""
        item, entries = _parted(list(every(self._adapters.table, Query(pk, *log_range()))))
        passed_over = replace(as_far_as_readable(item), segments=())
        return Reading(MemoryView(), Manifest(), passed_over, {}, is_damaged=True), entries

    def _fold(self, tenant: Tenant, read: Reading, entries: Sequence[Attributes]) -> None:
        records = [(entry, self._record(tenant, entry)) for entry in entries]
        for entry, record in records:
            if record is None:
                read.damaged.append(Key.of(entry))
            else:
                read.view.apply(record)
                keep_vectors(read.view.tail, self._vault, tenant, entry)
            read.tail.append(_sk(entry))
            read.folded += _FOLDED * item_bytes({name: entry[name] for name in entry if name != VECTORS})

    def _record(self, tenant: Tenant, entry: Attributes) -> Any:
        try:
            return self._vault.unseal(tenant, entry)
        except KeyLost:
            raise
        except CorruptData:
            return None

    @contextmanager
    def _exclusive(self, pk: str) -> Generator[_Slot]:
        slot = self._slots.get_or_put(pk, _Slot)
        with slot.lock:
            yield slot

    def _weigh_again(self, pk: str, slot: _Slot) -> None:
        with self._slots.lock:
            if self._slots.peek(pk) is slot:  # it may have been evicted while this thread was reading
                self._slots.put(pk, slot)


def _parted(items: Sequence[Attributes]) -> tuple[Attributes | None, list[Attributes]]:
    """Return the manifest item, None where it is not among the items, and the entries."""
    manifest = next((item for item in items if item["sk"] == MANIFEST), None)
    return manifest, [item for item in items if item is not manifest]


def _is_of_branch(pk: str) -> bool:
    return is_branch(log_of(pk)[1])


def _sk(item: Attributes) -> str:
    return Key.of(item).sk  # which a row has that cannot be read at all
