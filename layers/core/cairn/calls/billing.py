"""Read what a tenant's calls used in a month, so far as it was told: from the digests, and from records not sealed yet.

A process keeps what it has added up and can change no more: the digests, and the records behind them that are settled.
So a reading takes what came since the one before, and at most MOST_READ records.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Final

from cairn.calls import layout
from cairn.calls.bill import Bill
from cairn.calls.chain import Position
from cairn.calls.day_marker import DayMarker
from cairn.calls.record import SETTLED, began_at, day_of, month_of
from cairn.calls.sealing import ChainEnd
from cairn.calls.told_units import Use, Uses, taken_apart
from cairn.ground.adapters import Adapters
from cairn.ground.bounded import BoundedCache
from cairn.ground.damage import MALFORMED, sound
from cairn.ground.ids import Tenant, time_ordered_id
from cairn.ground.paging import every
from cairn.ground.table import Attributes, Key, Query

MOST_READ: Final = 10_000
"""How many records that nobody has sealed are read at once; the next reading goes on behind them."""
DAY: Final = timedelta(days=1)
_MOST_TENANTS: Final = 256
_DIGESTS_AT_ONCE: Final = 100
_LAST: Final = "\U0010ffff"
_Sums = Mapping[str, Use]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What a process has added up of a month: the sealed records up to a digest, and settled ones behind it."""

    month: str
    since: datetime
    digest: int = 0
    sealed: _Sums = field(default_factory=dict[str, Use])
    sealed_to: Position
    settled: _Sums = field(default_factory=dict[str, Use])
    settled_to: Position

    @classmethod
    def nothing(cls, now: datetime) -> _Known:
        """Return what is known of the month at first."""
        begins = now.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        before = Position(day_of(begins), "")
        return cls(month=month_of(before.day), since=begins, sealed_to=before, settled_to=before)

    def with_digests(self, ends: Sequence[ChainEnd]) -> _Known:
        """Return it with newer digests; those of another month, and of older releases, tell nothing of this one."""
        if not ends:
            return self
        uses, since = Uses(self.sealed), self.since
        for end in (each for each in ends if month_of(each.until.day) == self.month):
            used = _used(end)
            if used is None:
                since = max(since, began_at(end.until.sk))
            else:
                uses.add_all(used)
        newest = max(ends, key=lambda end: end.number)
        to = max(newest.until, self.sealed_to)
        return replace(
            self, since=since, digest=newest.number, sealed=uses.by_tool, sealed_to=to, settled={}, settled_to=to
        )


class Billing:
    """Tells what tenants' calls cost this month."""

    def __init__(self, adapters: Adapters) -> None:
        """Start with nothing added up."""
        self._adapters = adapters
        self._known: BoundedCache[Tenant, _Known] = BoundedCache(entries=_MOST_TENANTS)

    def bill(self, tenant: Tenant) -> Bill:
        """Return what the tenant's calls of this month used."""
        now = self._adapters.clock.now()
        known = self._known.peek(tenant)
        if known is None or known.month != month_of(day_of(now)):
            known = _Known.nothing(now)
        known = known.with_digests(list(self._digests(tenant, known)))
        known, by_tool, ended = self._with_records(tenant, known, now)
        self._known.put(tenant, known)
        return Bill(month=known.month, since=known.since, until=ended or now, by_tool=by_tool, whole=ended is None)

    def last_day(self, tenant: Tenant) -> Bill:
        """Return what the calls of the last 24 hours used, as their records and later ones until now tell it."""
        now = self._adapters.clock.now()
        since = now - DAY
        last, uses = Position(day_of(since), time_ordered_id(since, bytes(10))), Uses()
        records = self._records(tenant, last, day_of(now))
        for last, record in islice(records, MOST_READ):  # noqa: B007 - the last that was read
            uses.add(record)
        whole = next(records, None) is None
        until = now if whole else began_at(last.sk)
        return Bill(month=month_of(day_of(now)), since=since, until=until, by_tool=uses.by_tool, whole=whole)

    def _digests(self, tenant: Tenant, known: _Known) -> Iterator[ChainEnd]:
        """Yield the digests since the one that is known, or else as far back as the last of another month."""
        low, high = layout.digest_sk(known.digest + 1), layout.digest_range()[1]
        query = Query(layout.audit_pk(tenant), low, high, descending=True, limit=_DIGESTS_AT_ONCE)
        for end in sound(self._adapters, every(self._adapters.table, query), ChainEnd.of):
            yield end
            if month_of(end.until.day) < known.month:
                return

    def _with_records(self, tenant: Tenant, known: _Known, now: datetime) -> tuple[_Known, _Sums, datetime | None]:
        """Return what is known with the records that are settled now, the sums of all, and where the reading ended."""
        settled = time_ordered_id(now - SETTLED, bytes(10))
        uses, last, kept = Uses(known.settled, known.settled_to.sk), known.settled_to, None
        records = self._records(tenant, known.settled_to, day_of(now))
        for place, record in islice(records, MOST_READ):
            if kept is None and place.sk >= settled:
                kept = replace(known, settled=dict(uses.by_tool), settled_to=last)
            uses.add(record)
            last = place
        ended = None if next(records, None) is None else began_at(last.sk)
        sums = Uses(known.sealed)
        sums.add_all(uses.by_tool)
        return kept or replace(known, settled=uses.by_tool, settled_to=last), sums.by_tool, ended

    def _records(self, tenant: Tenant, after: Position, today: str) -> Iterator[tuple[Position, Attributes]]:
        for day in self._days(tenant, after.day, today):
            query = Query(layout.audit_day_pk(tenant, day), after.low(day), _LAST)
            for record in every(self._adapters.table, query):
                yield Position(day, Key.of(record).sk), record

    def _days(self, tenant: Tenant, first: str, last: str) -> Iterator[str]:
        query = Query(layout.audit_pk(tenant), layout.day_sk(first), layout.day_sk(last))
        return (marker.day for marker in sound(self._adapters, every(self._adapters.table, query), DayMarker.of))


def _used(end: ChainEnd) -> _Sums | None:
    """Return what a digest's item says was used, None where it says nothing."""
    try:
        return taken_apart(end.used)
    except MALFORMED:
        return None
