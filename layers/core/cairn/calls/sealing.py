"""Seal the audit log: put records that can no longer be preceded by others into a chain of digests.

A digest is a blob that names all records since the digest before it, and that digest. The table has one item for each
digest, added and never changed, so that sealing may be stopped anywhere and done by two at once: whoever comes second
finds the place in the chain taken and leaves it at that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cairn.calls import layout
from cairn.calls.chain import AuditDigest, Position, SealedRecord
from cairn.calls.day_marker import DayMarker
from cairn.calls.record import SETTLED, day_of, month_of
from cairn.calls.told_units import Use, Uses, summed_up
from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number, text
from cairn.ground.bounded import BoundedCache
from cairn.ground.errors import ConditionFailed
from cairn.ground.ids import Tenant, time_ordered_id
from cairn.ground.paging import every
from cairn.ground.ports import Anchors, Reads
from cairn.ground.table import ABSENT, Attributes, Equals, Key, Put, Query, Scalar, Update
from cairn.ground.units import Units
from cairn.vault.vault import Vault

MOST_RECORDS = 10_000
"""How many records a digest names, so that memory is bounded."""
_MOST_ANCHORED = 4096


@dataclass(frozen=True, slots=True)
class ChainEnd:
    """The newest digest: its number, its blob, its last record's position, its number of records, what calls used.

    The last is there for who asks what calls cost, so that no blob need be read for it; it is the digest's own.
    """

    number: int = 0
    blob: str = ""
    until: Position = field(default_factory=Position)
    records: int = 0
    used: str = ""

    @classmethod
    def of(cls, item: Attributes) -> ChainEnd:
        """Return the digest that an item of the chain stands for; CorruptData where it stands for none."""
        until = Position(text(item, "day"), text(item, "until"))
        place, used = layout.digest_number(Key.of(item).sk), str(item.get("used", ""))
        return cls(place, text(item, "blob"), until, number(item, "records"), used)

    def to_item(self, tenant: Tenant) -> dict[str, Scalar]:
        """Return the item that is stored in the tenant's chain."""
        return {
            "pk": layout.audit_pk(tenant),
            "sk": layout.digest_sk(self.number),
            "blob": self.blob,
            "day": self.until.day,
            "until": self.until.sk,
            "records": self.records,
            **({"used": self.used} if self.used else {}),
        }


@dataclass(frozen=True, slots=True)
class _Settled:
    """Records to seal, and what they say was used."""

    records: Sequence[SealedRecord]
    uses: Uses


def newest_digest(table: Reads, tenant: Tenant) -> ChainEnd:
    """Return the newest digest of a tenant's chain, one of number 0 before the first."""
    low, high = layout.digest_range()
    newest = table.query(Query(layout.audit_pk(tenant), low, high, descending=True, limit=1)).items
    return ChainEnd.of(newest[0]) if newest else ChainEnd()


class Sealer:
    """Seals the audit logs of tenants."""

    def __init__(
        self,
        adapters: Adapters,
        vault: Vault,
        anchors: Anchors | None = None,
        sealed: Callable[[Tenant], None] = lambda _: None,
    ) -> None:
        """Keep each new head in the anchors too, where there are any, and call `sealed` when a log is."""
        self._sealed = sealed
        self._adapters = adapters
        self._vault = vault
        self._anchors = anchors
        self._anchored: BoundedCache[Tenant, int] = BoundedCache(entries=_MOST_ANCHORED)

    def due(self) -> Sequence[Tenant]:
        """Return the tenants that have records of which some may not be sealed."""
        today = day_of(self._adapters.clock.now())
        entries = every(self._adapters.table, Query(layout.unsealed_pk(), "0", today, index=True))
        return sorted({layout.audited_tenant(Key.of(each).pk) for each in entries})

    def seal(self, tenant: Tenant, within: timedelta) -> int:
        """Seal the tenant's settled records and return how many they were; what is left then is due again."""
        number = self._seal(tenant, within)
        self._sealed(tenant)
        return number

    def _seal(self, tenant: Tenant, within: timedelta) -> int:
        now = self._adapters.clock.now()
        end, sealed = newest_digest(self._adapters.table, tenant), 0
        self._anchor(tenant, end)  # whoever appended it may have died before it was kept
        while (settled := self._settled(tenant, end.until, now - SETTLED)).records:
            appended = self._append(tenant, end, settled)
            if appended is None:
                return sealed
            end, sealed = appended, sealed + appended.records
            self._anchor(tenant, end)
            if self._adapters.clock.now() - now >= within:
                return sealed
        self._close(tenant, day_of(now - SETTLED))
        return sealed

    def _anchor(self, tenant: Tenant, end: ChainEnd) -> None:
        if self._anchors is not None and end.number > (self._anchored.peek(tenant) or 0):
            self._anchors.put(tenant, end.number, end.blob)
            self._anchored.put(tenant, end.number)

    def _settled(self, tenant: Tenant, after: Position, settled: datetime) -> _Settled:
        """Return the next records that can be sealed: of one month, so that what was used in each can be told."""
        records, uses = list[SealedRecord](), Uses(before=after.sk)
        for day, item in self._records(tenant, after, settled):
            if records and (len(records) == MOST_RECORDS or month_of(day) != month_of(records[0].position.day)):
                break
            records.append(SealedRecord.of(day, item))
            uses.add(item)
        return _Settled(records, uses)

    def _records(self, tenant: Tenant, after: Position, settled: datetime) -> Iterator[tuple[str, Attributes]]:
        last = time_ordered_id(settled, bytes(10))
        for marker in self._days(tenant, after.day, day_of(settled)):
            query = Query(layout.audit_day_pk(tenant, marker.day), after.low(marker.day), last)
            yield from ((marker.day, item) for item in every(self._adapters.table, query))

    def _append(self, tenant: Tenant, end: ChainEnd, settled: _Settled) -> ChainEnd | None:
        """Add a digest to the chain; None where somebody else has added one at its place.

        One of this month tells what calls of this process used that no record has told.
        """
        is_of_now = month_of(settled.records[0].position.day) == month_of(day_of(self._adapters.clock.now()))
        own = self._adapters.meter.take(tenant) if is_of_now else dict[str, Units]()
        settled.uses.add_all({tool: Use(0, units) for tool, units in own.items()})
        appended: ChainEnd | None = None
        try:
            appended = self._appended(tenant, end, settled)
        finally:
            if appended is None:
                self._adapters.meter.give_back(tenant, own)
        return appended

    def _appended(self, tenant: Tenant, end: ChainEnd, settled: _Settled) -> ChainEnd | None:
        used = summed_up(settled.uses.by_tool)
        digest = AuditDigest(end.number + 1, end.blob, end.until, settled.records, used)
        sealed = self._vault.seal_blob(tenant, layout.digests_key(tenant), codec.pack(digest.document()))
        blob = self._adapters.blobs.put(tenant, sealed)
        appended = ChainEnd(digest.number, blob, digest.until, len(digest.records), used)
        try:
            self._adapters.table.put(Put(appended.to_item(tenant), ABSENT))
        except ConditionFailed as lost:
            if lost.item is None or ChainEnd.of(lost.item).blob != blob:
                self._adapters.blobs.delete(tenant, blob)
                return None
        return appended

    def _close(self, tenant: Tenant, today: str) -> None:
        """Let the days before today be due no more; all their records are sealed."""
        for marker in self._days(tenant, "", today):
            if marker.is_unsealed and marker.day != today:
                where, unchanged = Key(layout.audit_pk(tenant), layout.day_sk(marker.day)), Equals("isk", marker.day)
                with suppress(ConditionFailed):
                    self._adapters.table.update(Update(where, remove=("ipk", "isk"), condition=unchanged))

    def _days(self, tenant: Tenant, first: str, last: str) -> Iterator[DayMarker]:
        query = Query(layout.audit_pk(tenant), layout.day_sk(first), layout.day_sk(last))
        return map(DayMarker.of, every(self._adapters.table, query))
