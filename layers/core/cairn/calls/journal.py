"""The journal: write one record of every call, in parallel with the call's work, so that it adds no delay.

The record says that the call was let in, and its answer waits until that is stored. A call that fails afterwards gets a
second record with its outcome. Records are added and never changed, so that sealing one meets no later change.
Where the store takes no writes, a call that only reads is answered all the same; its record is written beside a later
call.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TypeVar, cast

from cairn.access.callers import Caller
from cairn.calls.anomalies import AnomalyDetector
from cairn.calls.day_marker import DayMarker
from cairn.calls.names import Names
from cairn.calls.rate_limits import RateLimits
from cairn.calls.record import DONE, OPERATOR, TAG, UNITS, AuditRecord, message_of
from cairn.calls.told_units import room_of
from cairn.calls.unwritten import Unwritten
from cairn.calls.writers import Writer, WriterCount, Writers, count_tag
from cairn.ground.adapters import Adapters
from cairn.ground.bounded import BoundedCache
from cairn.ground.errors import (
    CairnError,
    CorruptData,
    InternalError,
    KeyUnusable,
    StoreError,
    Unavailable,
)
from cairn.ground.ids import Tenant, following_id, time_ordered_id
from cairn.ground.rates import Bucket
from cairn.ground.session import Subject
from cairn.ground.table import Attributes, Put
from cairn.ground.units import written_down
from cairn.vault.vault import Vault

T = TypeVar("T")

PURPOSE = "audit"
_RANDOM_BYTES = 10
WRITER_BYTES = 6
"""How long the random part of a writer's name is."""
_MOST_DAYS = 4096


class Journal:
    """Admits calls and records them."""

    def __init__(self, adapters: Adapters, vault: Vault, retention: timedelta) -> None:
        """Keep records for this long."""
        self._adapters = adapters
        self._vault = vault
        self._retention = retention
        self.names = Names(vault)
        self._limits = RateLimits(adapters)
        self._unwritten = Unwritten()
        self._anomalies = AnomalyDetector()
        self._days: BoundedCache[tuple[Tenant, str], bool] = BoundedCache(entries=_MOST_DAYS)
        self._writers = Writers(lambda: adapters.entropy.token(WRITER_BYTES).hex())

    def begin(self, caller: Caller, tool: str) -> AuditRecord:
        """Return the record of a call that begins now."""
        return AuditRecord(
            id=self._new_id(),
            tenant=caller.tenant,
            tool=tool,
            credential=caller.credential,
            request_id=caller.request_id,
        )

    def refuse(self, record: AuditRecord, error: CairnError, buckets: Sequence[Bucket]) -> None:
        """Record a call that is not let in, for which there is an error already; RateLimited beyond the rates."""
        self._pass(record, buckets)
        self._write_if_possible(record.ended(error.code, self._adapters.clock.now()))

    def run(
        self,
        record: AuditRecord,
        buckets: Sequence[Bucket],
        work: Callable[[], T],
        *,
        only_reads: bool = False,
        beside: Sequence[Callable[[], None]] = (),
    ) -> T:
        """Return what the work returns, once the call is recorded; RateLimited, before any work, beyond the rates.

        A call that only reads is answered where its record cannot be written, which is kept for later then. `beside`
        the work stands what must not fail it.
        """
        renewals = self._pass(record, buckets, brief=only_reads)
        write = self._write_or_keep if only_reads else self._write
        kept = [self._write_kept] if self._unwritten else []
        outcome = InternalError.code
        try:
            with self._writers.lent(record.tenant, record.day) as writer:
                # On one machine, where calls are made in turn, what stands beside shares the commit of the record.
                *_, answer = self._adapters.parallel([*kept, *renewals, *beside, partial(write, record, writer), work])
            outcome = ""
        except CairnError as error:
            outcome = error.code
            if isinstance(error, CorruptData):
                self._adapters.tally.damaged()
            raise
        finally:
            if outcome:
                end = self._write_or_keep_alone if only_reads else self._write_if_possible
                end(record.ended(outcome, self._adapters.clock.now()))
        return cast("T", answer)

    @contextmanager
    def command(self, tenant: Tenant, name: str, subject: Subject, by: str = OPERATOR) -> Generator[None]:
        """Record an operator's command before it begins, and how it ended; Unavailable where that cannot be recorded.

        The end is a record of its own time: a command may last longer than it takes until its beginning is sealed. `by`
        is the credential of who had it done, where that was told.
        """
        operator = Caller(tenant, frozenset(), "", (), credential=by)
        begun = replace(self.begin(operator, name), subject=subject, shown=self.names.subject(tenant, subject))
        self._write_alone(begun)
        outcome = InternalError.code
        try:
            yield
            outcome = ""
        except CairnError as error:
            outcome = error.code
            raise
        finally:
            # Ids of one millisecond are in no order, and a clock may go back: the end is listed after its beginning.
            end_id = max(self._new_id(), following_id(begun.id))
            ended = replace(begun.ended(outcome or DONE, self._adapters.clock.now()), id=end_id, ends=False)
            (self._write_if_possible if outcome else self._write_alone)(ended)

    def _new_id(self) -> str:
        return time_ordered_id(self._adapters.clock.now(), self._adapters.entropy.token(_RANDOM_BYTES))

    def _pass(
        self, record: AuditRecord, buckets: Sequence[Bucket], *, brief: bool = False
    ) -> Sequence[Callable[[], None]]:
        """Hold the call to the rates and return what renews its tokens; the key of its tag is fetched meanwhile."""
        renewals = self._limits.take(buckets, partial(self._vault.prepare, record.tenant), brief=brief)
        if self._anomalies.is_anomaly(record):
            self._adapters.tally.access_anomaly()
        return renewals

    def _write_if_possible(self, record: AuditRecord) -> None:
        """Write the record of a call that has failed already; the caller is to see why that was."""
        with suppress(Unavailable):
            self._write_alone(record)

    def _write_alone(self, record: AuditRecord) -> None:
        with self._writers.lent(record.tenant, record.day) as writer:
            self._write(record, writer)

    def _write_or_keep(self, record: AuditRecord, writer: Writer) -> None:
        """Write the record of a read, soon, or else keep it for later."""
        try:
            self._write(record, writer, brief=True)
        except Unavailable as error:
            if isinstance(error, KeyUnusable):
                raise
            self._unwritten.keep([record])

    def _write_or_keep_alone(self, record: AuditRecord) -> None:
        with self._writers.lent(record.tenant, record.day) as writer:
            self._write_or_keep(record, writer)

    def _write_kept(self) -> None:
        """Write records that were kept for later, and keep on those that cannot be written yet."""
        left = deque(self._unwritten.take(self._adapters.clock.now(), self._new_id))
        with suppress(StoreError, CairnError):
            while left:
                with self._writers.lent(left[0].tenant, left[0].day) as writer:
                    self._store(left[0], writer, brief=True)
                left.popleft()
        self._unwritten.keep(left)

    def _write(self, record: AuditRecord, writer: Writer, *, brief: bool = False) -> None:
        try:
            self._store(record, writer, brief=brief)
        except (StoreError, CairnError) as error:
            writer.is_lost = True
            self._adapters.tally.unrecorded()
            if isinstance(error, KeyUnusable | CorruptData):
                raise
            raise Unavailable("The call could not be recorded; it may have been done all the same") from error

    def _store(self, record: AuditRecord, writer: Writer, *, brief: bool = False) -> None:
        """Store the writer's next record; with the first of a writer or a day, that there are records of it.

        It tells what calls used so far: its own call's units are not known yet, and a write more would cost one. Where
        nobody knows whether a record was stored, the next one tells the same again.
        """
        record = replace(record, writer=writer.id, number=writer.stored + 1)
        item = record.item(self._retention)
        told = self._adapters.meter.take(record.tenant, room_of(item))
        try:
            self._store_item(record, {**item, UNITS: written_down(told)} if told else item, writer, brief=brief)
        except (StoreError, CairnError):
            self._adapters.meter.give_back(record.tenant, told)
            raise

    def _store_item(self, record: AuditRecord, item: Attributes, writer: Writer, *, brief: bool) -> None:
        item = {**item, TAG: self._vault.sign(record.tenant, PURPOSE, message_of(item))}
        expires_at = int((record.at + self._retention + timedelta(days=1)).timestamp())
        counted = WriterCount(record.day, record.writer, record.number, expires_at).to_item(record.tenant)
        count = {**counted, TAG: count_tag(self._vault.sign(record.tenant, PURPOSE, message_of(counted)))}
        if writer.stored:
            self._adapters.table.put(Put(item, late=not brief, brief=brief, beside=count))
        else:
            day = (record.tenant, record.day)
            marker = DayMarker(record.day, expires_at).to_item(record.tenant)
            # Writers of other processes put the same marker, and transactions that meet there are refused.
            days = [] if self._days.peek(day) else [Put(marker)]
            self._adapters.table.transact([Put(item, brief=brief), Put(count), *days])
            self._days.put(day, True)
        writer.stored += 1
