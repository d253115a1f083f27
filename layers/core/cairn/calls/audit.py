"""Read the audit log: list a tenant's records by time, and verify all of them against the chain of digests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import partial
from itertools import chain, islice

from cairn.calls import layout
from cairn.calls.chain import AuditDigest, Finding, Position, StoredRecord, Verification, compared
from cairn.calls.day_marker import DayMarker
from cairn.calls.journal import PURPOSE
from cairn.calls.numbering import Numbering
from cairn.calls.record import TAG, AuditRecord, day_of, message_of
from cairn.calls.sealing import ChainEnd
from cairn.calls.writers import WriterCount
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number
from cairn.ground.damage import sound, sound_or_none
from cairn.ground.errors import CorruptData, InvalidArgument, NotFound, Unavailable
from cairn.ground.ids import Digest, Tenant, time_ordered_id
from cairn.ground.paging import every
from cairn.ground.ports import Anchors
from cairn.ground.table import DAMAGED, Attributes, Key, Query
from cairn.vault.vault import Vault

MOST_LISTED = 1000
_LAST = "\U0010ffff"
_DAY_SECONDS = 86_400


class AuditLog:
    """Lists what was called, and verifies that the log was not changed."""

    def __init__(self, adapters: Adapters, vault: Vault, anchors: Anchors | None = None) -> None:
        """Hold each chain against the heads in the anchors too, where there are any."""
        self._adapters = adapters
        self._vault = vault
        self._anchors = anchors

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
        return list(islice(sound(self._adapters, found, partial(AuditRecord.of, tenant)), limit))

    def verify(self, tenant: Tenant, holds: str | None = None, within: timedelta | None = None) -> Verification:
        """Hold the tenant's records against its chain, and the chain against itself.

        `holds` is the head of an earlier verification: a chain without it was cut off or made anew. Unavailable where
        that takes longer than `within`.
        """
        anchored: Mapping[int, str] = {} if self._anchors is None else self._anchors.heads(tenant)
        return _Check(self._adapters, self._vault, tenant, within).verification(holds, anchored)

    def _days(self, query: Query) -> Iterator[str]:
        return (DayMarker.of(item).day for item in every(self._adapters.table, query))


class _Check:
    """One verification of a tenant's log.

    Counts are read before the records: those that are written meanwhile are more than was counted, never fewer.
    """

    def __init__(self, adapters: Adapters, vault: Vault, tenant: Tenant, within: timedelta | None = None) -> None:
        self._adapters = adapters
        self._vault = vault
        self._tenant = tenant
        self._now = adapters.clock.now()
        self._until = None if within is None else self._now + within
        self._findings: list[Finding] = []
        self._numbering = Numbering()
        self._unknown: set[str] = set()  # the days of digests that cannot be read, whose numbers nobody knows
        self._markers = self._known_days()

    def verification(self, holds: str | None, anchored: Mapping[int, str]) -> Verification:
        """Return what is found; the chain has to hold the head `holds`, and those anchored at their places."""
        self._count_writers()
        end, heads, records = ChainEnd(), {0: ""}, 0
        for item in every(self._adapters.table, Query(layout.audit_pk(self._tenant), *layout.digest_range())):
            self._go_on()
            before, end = end, ChainEnd.of(item)
            lost = range(before.number + 1, end.number)
            self._findings += [Finding("missing", "digest", layout.digest_sk(number)) for number in lost]
            digest = self._opened(end, before)
            if digest is None or lost:
                self._unknown.update(_dates(before.until.day or end.until.day, end.until.day))
            if digest is not None:
                self._compare(digest)
                records += len(digest.records)
            heads[end.number] = end.blob
        if holds and holds not in heads.values():
            self._findings.append(Finding("missing", "digest", holds))
        cut_off = [head for number, head in sorted(anchored.items()) if heads.get(number) != head]
        self._findings += [Finding("missing", "digest", head) for head in cut_off if head != holds]
        unsealed = self._unsealed(end.until)
        return Verification(end.number, records, unsealed, end.blob, [*self._findings, *self._gaps()])

    def _opened(self, end: ChainEnd, before: ChainEnd) -> AuditDigest | None:
        """Return a digest of the chain; None where it cannot be read, or stands in another's place."""
        name = layout.digest_sk(end.number)
        try:
            sealed = self._adapters.blobs.get(self._tenant, Digest(end.blob))
            plain = self._vault.unseal_blob(self._tenant, layout.digests_key(self._tenant), sealed)
        except NotFound:
            self._findings.append(Finding("missing", "digest", name))
            return None
        except CorruptData:
            self._findings.append(Finding("changed", "digest", name))
            return None
        digest = AuditDigest.parse(codec.unpack(plain))
        if digest.number != end.number:
            self._findings.append(Finding("reordered", "digest", name))
            return None
        is_another_s = before.number + 1 == end.number and digest.previous != before.blob
        if is_another_s or digest.used != end.used:
            self._findings.append(Finding("changed", "digest", name))
        return digest

    def _compare(self, digest: AuditDigest) -> None:
        for sealed in digest.records:
            self._numbering.add(sealed.position.day, sealed.writer, sealed.number)
        stored = {
            position: each
            for position, each in self._stored(digest.days(), digest.since)
            if digest.since < position <= digest.until
        }
        self._findings += compared(digest.records, stored, self._now)

    def _unsealed(self, after: Position) -> int:
        """Return how many records no digest names yet; find those that are not as they were written."""
        today = day_of(self._now)
        first = after.day or min(self._markers, default=today)
        stored = [(at, each) for at, each in self._stored(_dates(first, today), after) if at > after]
        self._findings += [Finding("changed", "record", at.sk) for at, each in stored if not each.genuine]
        unmarked = {at.day for at, _ in stored} - set(self._markers)
        self._findings += [Finding("missing", "day", day) for day in sorted(unmarked)]
        return len(stored)

    def _gaps(self) -> Sequence[Finding]:
        """Return which records that were never sealed are gone; a day of which some may have expired is left out."""
        gaps = {day: found for day, found in self._numbering.gaps().items() if self._is_whole(day)}
        for day in gaps:  # a page may have been read just before a record came whose successor is on the next
            for _ in self._stored([day], Position()):
                pass
        again = self._numbering.gaps()
        return [finding for day in gaps for finding in again.get(day, ())]

    def _is_whole(self, day: str) -> bool:
        # A marker outlives the first of its day's records by a day.
        until = self._markers.get(day)
        return day not in self._unknown and (until is None or until - 2 * _DAY_SECONDS > self._now.timestamp())

    def _known_days(self) -> dict[str, int]:
        """Return until when, in epoch seconds, each day is known to have records."""
        items = every(self._adapters.table, Query(layout.audit_pk(self._tenant), *layout.day_range()))
        return {marker.day: marker.expires_at for marker in sound(self._adapters, items, DayMarker.of)}

    def _count_writers(self) -> None:
        for item in every(self._adapters.table, Query(layout.audit_pk(self._tenant), *layout.writer_range())):
            self._go_on()
            counted = sound_or_none(self._adapters, item, WriterCount.of)
            if counted is None:
                self._findings.append(Finding("changed", "count", Key.of(item).sk))
                continue
            tag = str(item.get(TAG)).replace(":", ".")
            if self._vault.verify(self._tenant, PURPOSE, message_of(item), tag):
                self._numbering.count(counted.day, counted.writer, counted.count)
            elif self._is_whole(counted.day):
                self._findings.append(Finding("changed", "count", Key.of(item).sk))

    def _stored(self, days: Sequence[str], after: Position) -> Iterator[tuple[Position, StoredRecord]]:
        for day in days:
            pk = layout.audit_day_pk(self._tenant, day)
            for item in every(self._adapters.table, Query(pk, after.low(day), _LAST)):
                self._go_on()
                genuine, by = self._is_genuine(item), str(item.get("writer", ""))
                self._numbering.add(day, by, number(item, "number", 0), genuine=genuine)
                yield Position(day, Key.of(item).sk), StoredRecord(str(item.get(TAG)), genuine)

    def _go_on(self) -> None:
        if self._until is not None and self._adapters.clock.now() >= self._until:
            raise Unavailable("The audit log is too long to be checked in the time there is; run `cairn audit verify`")

    def _is_genuine(self, item: Attributes) -> bool:
        # A row that cannot be read at all says nothing that was ever signed.
        return DAMAGED not in item and self._vault.verify(self._tenant, PURPOSE, message_of(item), str(item.get(TAG)))


def _dates(first: str, last: str) -> Sequence[str]:
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    return [(start + timedelta(days=number)).isoformat() for number in range((end - start).days + 1)]
