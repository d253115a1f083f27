"""The journal: write one record of every call, in parallel with the call's work, so that it adds no delay.

The record says that the call was let in, and its answer waits until that is stored. A call that fails afterwards gets a
second record with its outcome. Records are added and never changed, so that sealing one meets no later change.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import TypeVar, cast

from cairn.access.callers import Caller
from cairn.calls.anomalies import AnomalyDetector
from cairn.calls.day_marker import DayMarker
from cairn.calls.rate_limits import RateLimits
from cairn.calls.record import DONE, OPERATOR, TAG, AuditRecord, message_of
from cairn.ground.adapters import Adapters
from cairn.ground.bounded import BoundedCache
from cairn.ground.errors import CairnError, InternalError, KeyUnusable, StoreError, Unavailable
from cairn.ground.ids import Tenant, following_id, time_ordered_id
from cairn.ground.rates import Bucket
from cairn.ground.session import Subject
from cairn.ground.table import Put
from cairn.vault.vault import Vault

T = TypeVar("T")

PURPOSE = "audit"
_RANDOM_BYTES = 10
_MOST_DAYS = 4096


class Journal:
    """Admits calls and records them."""

    def __init__(self, adapters: Adapters, vault: Vault, retention: timedelta) -> None:
        """Keep records for this long."""
        self._adapters = adapters
        self._vault = vault
        self._retention = retention
        self._limits = RateLimits(adapters)
        self._anomalies = AnomalyDetector()
        self._days: BoundedCache[tuple[Tenant, str], bool] = BoundedCache(entries=_MOST_DAYS)

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

    def run(self, record: AuditRecord, buckets: Sequence[Bucket], work: Callable[[], T]) -> T:
        """Return what the work returns, once the call is recorded; RateLimited, before any work, beyond the rates."""
        renewals = self._pass(record, buckets)
        outcome = InternalError.code
        try:
            *_, answer = self._adapters.parallel([partial(self._write, record), *renewals, work])
            outcome = ""
        except CairnError as error:
            outcome = error.code
            raise
        finally:
            if outcome:
                self._write_if_possible(record.ended(outcome, self._adapters.clock.now()))
        return cast("T", answer)

    @contextmanager
    def command(self, tenant: Tenant, name: str, subject: Subject) -> Generator[None]:
        """Record an operator's command before it begins, and how it ended; Unavailable where that cannot be recorded.

        The end is a record of its own time: a command may last longer than it takes until its beginning is sealed.
        """
        operator = Caller(tenant, frozenset(), "", (), credential=OPERATOR)
        begun = replace(self.begin(operator, name), subject=subject)
        self._write(begun)
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
            (self._write_if_possible if outcome else self._write)(ended)

    def _new_id(self) -> str:
        return time_ordered_id(self._adapters.clock.now(), self._adapters.entropy.token(_RANDOM_BYTES))

    def _pass(self, record: AuditRecord, buckets: Sequence[Bucket]) -> Sequence[Callable[[], None]]:
        """Hold the call to the rates and return what renews its tokens; the key of its tag is fetched meanwhile."""
        renewals = self._limits.take(buckets, partial(self._vault.prepare, record.tenant))
        if self._anomalies.is_anomaly(record):
            self._adapters.tally.access_anomaly()
        return renewals

    def _write_if_possible(self, record: AuditRecord) -> None:
        """Write the record of a call that has failed already; the caller is to see why that was."""
        with suppress(Unavailable):
            self._write(record)

    def _write(self, record: AuditRecord) -> None:
        try:
            self._store(record)
        except (StoreError, CairnError) as error:
            self._adapters.tally.unrecorded()
            if isinstance(error, KeyUnusable):
                raise
            raise Unavailable("The call could not be recorded; it may have been done all the same") from error

    def _store(self, record: AuditRecord) -> None:
        """Store the record; with the first of a day, that the tenant has records of this day."""
        item = record.item(self._retention)
        item = {**item, TAG: self._vault.sign(record.tenant, PURPOSE, message_of(item))}
        day = (record.tenant, record.day)
        if self._days.peek(day):
            self._adapters.table.put(Put(item, late=True))
            return
        self._adapters.table.transact([Put(item), Put(_marker(record, self._retention).to_item(record.tenant))])
        self._days.put(day, True)


def _marker(record: AuditRecord, retention: timedelta) -> DayMarker:
    return DayMarker(record.day, int((record.at + retention + timedelta(days=1)).timestamp()))
