"""Tell how far a tenant's audit log is sealed, and how many records wait for it that could be."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from cairn.calls import layout
from cairn.calls.chain import Position
from cairn.calls.record import SETTLED, began_at, day_of
from cairn.calls.sealing import newest_digest
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant, time_ordered_id
from cairn.ground.paging import every
from cairn.ground.table import Key, Query

MOST_COUNTED = 500
"""How many records are counted, so that a log that nobody seals costs no more."""
_MOST_DAYS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsealed:
    """The times of the newest record that is sealed and of the oldest that is not, None where there is none.

    Only what is settled counts as not sealed: `records` are so many, and with `more` at least so many.
    """

    sealed_until: datetime | None
    oldest: datetime | None
    records: int
    more: bool


def unsealed(adapters: Adapters, tenant: Tenant) -> Unsealed:
    """Return what of the tenant's log is not sealed yet."""
    sealed = newest_digest(adapters.table, tenant).until
    settled = adapters.clock.now() - SETTLED
    markers = Query(layout.audit_pk(tenant), layout.day_sk(sealed.day), layout.day_sk(day_of(settled)))
    days = [layout.day_of_marker(Key.of(each).sk) for each in islice(every(adapters.table, markers), _MOST_DAYS + 1)]
    waiting = list(islice(_behind(adapters, tenant, sealed, settled, days[:_MOST_DAYS]), MOST_COUNTED + 1))
    return Unsealed(
        sealed_until=began_at(sealed.sk) if sealed.sk else None,
        oldest=began_at(waiting[0]) if waiting else None,
        records=min(len(waiting), MOST_COUNTED),
        more=len(waiting) > MOST_COUNTED or len(days) > _MOST_DAYS,
    )


def _behind(
    adapters: Adapters, tenant: Tenant, sealed: Position, settled: datetime, days: Sequence[str]
) -> Iterator[str]:
    """Yield the sort keys of the settled records behind a position, of these days."""
    last = time_ordered_id(settled, bytes(10))
    for day in days:
        behind = Query(layout.audit_day_pk(tenant, day), sealed.low(day), last, limit=MOST_COUNTED + 1)
        yield from (Key.of(each).sk for each in every(adapters.table, behind))
