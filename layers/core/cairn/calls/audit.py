"""Read the audit log: list a tenant's records by time, and verify all of them against the chain of digests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import chain, islice

from cairn.calls import layout
from cairn.calls.chain import AuditDigest, Finding, Position, StoredRecord, Verification, compared
from cairn.calls.day_marker import DayMarker
from cairn.calls.journal import PURPOSE
from cairn.calls.record import TAG, AuditRecord, day_of, message_of
from cairn.calls.sealing import ChainEnd
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData, InvalidArgument, NotFound
from cairn.ground.ids import Digest, Tenant, time_ordered_id
from cairn.ground.paging import every
from cairn.ground.table import Key, Query
from cairn.vault.vault import Vault

MOST_LISTED = 1000
_LAST = "\U0010ffff"


class AuditLog:
    """Lists what was called, and verifies that the log was not changed."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault

    def records(self, tenant: Tenant, since: datetime, until: datetime, limit: int = 100) -> Sequence[AuditRecord]:
        """Return the tenant's newest records of that time, the newest first; limit is 1 to 1000."""
        if not 1 <= limit <= MOST_LISTED:
            raise InvalidArgument("limit", f"must be 1 to {MOST_LISTED}")
        low, high = time_ordered_id(since, bytes(10)), time_ordered_id(until, b"\xff" * 10) + _LAST
        days = Query(
            layout.audit_pk(tenant),
            layout.day_sk(day_of(since)),
            layout.day_sk(day_of(until)),
            descending=True,
        )
        found = chain.from_iterable(
            every(
                self._adapters.table,
                Query(layout.audit_day_pk(tenant, day), low, high, descending=True, limit=limit),
            )
            for day in self._days(days)
        )
        return [AuditRecord.of(tenant, item) for item in islice(found, limit)]

    def verify(self, tenant: Tenant, holds: str | None = None) -> Verification:
        """Hold the tenant's records against its chain, and the chain against itself.

        `holds` is the head of an earlier verification: a chain without it was cut off or made anew.
        """
        findings: list[Finding] = []
        end, heads, records = ChainEnd(), [""], 0
        for item in every(self._adapters.table, Query(layout.audit_pk(tenant), *layout.digest_range())):
            before, end = end, ChainEnd.of(item)
            lost = range(before.number + 1, end.number)
            findings += [Finding("missing", "digest", layout.digest_sk(number)) for number in lost]
            digest = self._opened(tenant, end, before, findings)
            if digest is not None:
                findings += self._compared(tenant, digest)
                records += len(digest.records)
            heads.append(end.blob)
        if holds and holds not in heads:
            findings.append(Finding("missing", "digest", holds))
        unsealed, forged = self._unsealed(tenant, end.until)
        return Verification(end.number, records, unsealed, heads[-1], [*findings, *forged])

    def _opened(self, tenant: Tenant, end: ChainEnd, before: ChainEnd, findings: list[Finding]) -> AuditDigest | None:
        """Return a digest of the chain; None where it cannot be read, or stands in another's place."""
        name = layout.digest_sk(end.number)
        try:
            sealed = self._adapters.blobs.get(tenant, Digest(end.blob))
            plain = self._vault.unseal_blob(tenant, layout.digests_key(tenant), sealed)
        except NotFound:
            findings.append(Finding("missing", "digest", name))
            return None
        except CorruptData:
            findings.append(Finding("changed", "digest", name))
            return None
        digest = AuditDigest.parse(codec.unpack(plain))
        if digest.number != end.number:
            findings.append(Finding("reordered", "digest", name))
            return None
        if before.number + 1 == end.number and digest.previous != before.blob:
            findings.append(Finding("changed", "digest", name))
        return digest

    def _compared(self, tenant: Tenant, digest: AuditDigest) -> Sequence[Finding]:
        days = digest.days()
        stored = {
            position: each
            for position, each in self._stored(tenant, days, digest.since)
            if digest.since < position <= digest.until
        }
        return compared(digest.records, stored, self._adapters.clock.now())

    def _unsealed(self, tenant: Tenant, after: Position) -> tuple[int, Sequence[Finding]]:
        """Return how many records no digest names yet, and those of them that are not as they were written."""
        today = day_of(self._adapters.clock.now())
        days = self._days(Query(layout.audit_pk(tenant), layout.day_sk(after.day), layout.day_sk(today)))
        stored = [(position, each) for position, each in self._stored(tenant, days, after) if position > after]
        return len(stored), [Finding("changed", "record", at.sk) for at, each in stored if not each.genuine]

    def _stored(
        self, tenant: Tenant, days: Iterator[str] | Sequence[str], after: Position
    ) -> Iterator[tuple[Position, StoredRecord]]:
        for day in days:
            for item in every(self._adapters.table, Query(layout.audit_day_pk(tenant, day), after.low(day), _LAST)):
                tag = str(item.get(TAG))
                genuine = self._vault.verify(tenant, PURPOSE, message_of(item), tag)
                yield Position(day, Key.of(item).sk), StoredRecord(tag, genuine)

    def _days(self, query: Query) -> Iterator[str]:
        return (DayMarker.of(item).day for item in every(self._adapters.table, query))
