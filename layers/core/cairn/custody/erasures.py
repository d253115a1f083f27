"""Find whom operators had erased since a time, so that a restored copy can be without them too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import TypeAlias

from cairn.calls import layout
from cairn.calls.day_marker import DayMarker
from cairn.calls.record import ERASING, AuditRecord, day_of
from cairn.custody.scope import DataScope
from cairn.ground.ids import Tenant, time_ordered_id
from cairn.ground.paging import every
from cairn.ground.ports import Reads
from cairn.ground.table import Key, Query
from cairn.vault.data_key import WrappedKey

Keys: TypeAlias = Mapping[str, Mapping[str, str]]
"""Digests of the wrapped data keys of a store, by owner and number."""
_CLOCKS_ARE_OFF = timedelta(days=1)
"""How long before a copy was made an erasure may be said to have been that came later."""
_LAST = "\U0010ffff"


def erasures(reads: Reads, tenant: Tenant, since: datetime, copy: Reads) -> list[DataScope]:
    """Return of whom the audit log says that an erasure began or ended, and the log of a copy of then does not.

    What the copy has on record was done to it, however close to its time, or off, the clock was.
    """
    return list(dict.fromkeys(_scopes(reads, tenant, since - _CLOCKS_ARE_OFF, copy)))


def _scopes(reads: Reads, tenant: Tenant, since: datetime, copy: Reads) -> Iterator[DataScope]:
    days = Query(layout.audit_pk(tenant), layout.day_sk(day_of(since)), layout.day_range()[1])
    for day in [DayMarker.of(item).day for item in every(reads, days)]:
        records = Query(layout.audit_day_pk(tenant, day), time_ordered_id(since, bytes(10)), _LAST)
        for item in every(reads, records):
            if item.get("tool") in ERASING and "user_id" in item and copy.get(Key.of(item)) is None:
                subject = AuditRecord.of(tenant, item).subject
                yield DataScope(tenant, subject.project, subject.user_id)


def digests_of(keys: Iterable[tuple[Tenant, WrappedKey]]) -> Keys:
    """Return the digests of data keys."""
    found: dict[str, dict[str, str]] = {}
    for owner, key in keys:
        found.setdefault(owner, {})[str(key.number)] = sha256(key.wrapped).hexdigest()
    return found


def tenants_of(keys: Keys) -> list[Tenant]:
    """Return the tenants among the owners of data keys."""
    return [Tenant(owner) for owner in keys if not owner.startswith("~")]


def tenants_erased(then: Keys, now: Keys) -> list[Tenant]:
    """Return the tenants whose data keys were destroyed meanwhile.

    Keys are numbered on: who has none, others under the same numbers, or earlier numbers alone, lost those of then.
    """
    return [tenant for tenant in tenants_of(then) if not _follows(then[tenant], now.get(tenant, {}))]


def _follows(own: Mapping[str, str], now: Mapping[str, str]) -> bool:
    same = all(now[number] == digest for number, digest in own.items() if number in now)
    return same and max(map(int, now), default=0) >= max(map(int, own), default=0)
