"""Turn a change of a key into the writes of one transaction: its value, name, expiry, blob and counters.

The value's item decides: every change is conditioned on the version it holds. A removed key leaves that item behind,
empty, for the table to expire, so that a removal can be conditioned like any other change. Counters hold what is
stored, expired keys included until they are collected.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cairn.ground.codec import rfc3339
from cairn.ground.errors import QuotaExceeded
from cairn.ground.ids import Digest, Namespace, Tenant
from cairn.ground.settings import Quotas
from cairn.ground.table import (
    ABSENT,
    AllOf,
    AnyOf,
    Condition,
    Delete,
    Equals,
    Key,
    LessThan,
    Missing,
    Put,
    Scalar,
    Update,
    Write,
)
from cairn.keyvalue import layout
from cairn.keyvalue.model import Entry, Place

GRACE = timedelta(hours=1)
"""How long a blob outlives its value: longer than any call that may have read where it is, or has yet to commit it."""


@dataclass(frozen=True, slots=True)
class Change:
    """A key's entry before and after; `new` is None if the key is to be removed, `content` is its value's."""

    place: Place
    old: Entry | None
    new: Entry | None
    content: dict[str, Scalar] = field(default_factory=dict[str, Scalar])

    @property
    def left(self) -> Entry:
        """Return what is known of the key afterwards; a removal has a version too, so that no two changes share one."""
        return self.new or Entry(version=0 if self.old is None else self.old.version + 1, removed=True)

    @property
    def items(self) -> int:
        """Return how many keys more are stored."""
        return (self.new is not None) - _is_stored(self.old)

    @property
    def size(self) -> int:
        """Return how many bytes more are stored."""
        before = self.old.size if self.old is not None and not self.old.removed else 0
        return (self.new.size if self.new is not None else 0) - before


def value_key(place: Place) -> Key:
    """Return where the value is, and what decides over its key."""
    return Key(layout.namespace_pk(place.tenant, place.namespace), layout.value_sk(place.key))


def entry_key(place: Place) -> Key:
    """Return where the key is listed, with what is known of it."""
    return Key(layout.namespace_pk(place.tenant, place.namespace), layout.entry_sk(place.key))


def usage_keys(tenant: Tenant, namespace: Namespace) -> dict[str, Key]:
    """Return the counters of the namespace and of the tenant."""
    return {
        "namespace": Key(layout.namespace_pk(tenant, namespace), layout.USAGE),
        "tenant": Key(layout.namespaces_pk(tenant), layout.USAGE),
    }


def writes(change: Change, now: datetime) -> list[Write]:
    """Return the writes of a change but for the counters, the one that decides first."""
    return [_value(change, now), _entry(change), *_expiries(change), *_blobs(change, now), *_registration(change)]


def counting(changes: Sequence[Change], quotas: Quotas | None) -> list[Write]:
    """Return the writes that count changes in one namespace, each held to its quota if quotas are given.

    QuotaExceeded where they could not fit if there were nothing else.
    """
    items, size = sum(each.items for each in changes), sum(each.size for each in changes)
    added = {name: number for name, number in (("items", items), ("size", size)) if number}
    if not added:
        return []
    place = changes[0].place
    return [
        Update(key, add=added, condition=_room(which, items, size, quotas) if quotas is not None else None)
        for which, key in usage_keys(place.tenant, place.namespace).items()
    ]


def garbage(tenant: Tenant, pk: str, digest: Digest, when: datetime) -> Put:
    """Return the write that says a blob is of no use from this moment on."""
    due = {"ipk": layout.namespaces_pk(tenant), "isk": rfc3339(when)}
    return Put({"pk": pk, "sk": layout.garbage_sk(digest), **due})


def _value(change: Change, now: datetime) -> Put:
    key, old, new = value_key(change.place), change.old, change.new
    condition: Condition = ABSENT if old is None else Equals("version", old.version)
    if new is not None:
        return Put({"pk": key.pk, "sk": key.sk, **new.attributes(), **change.content}, condition)
    return Put({"pk": key.pk, "sk": key.sk, **change.left.attributes(), "expires_at": int(now.timestamp())}, condition)


def _entry(change: Change) -> Write:
    key = entry_key(change.place)
    return Delete(key) if change.new is None else Put({"pk": key.pk, "sk": key.sk, **change.new.attributes()})


def _expiries(change: Change) -> list[Write]:
    pk, key = layout.namespace_pk(change.place.tenant, change.place.namespace), change.place.key
    before = change.old.until if change.old is not None and not change.old.removed else None
    after = change.new.until if change.new is not None else None
    if before == after:
        return []
    changed: list[Write] = []
    if before is not None:
        changed.append(Delete(Key(pk, layout.expiry_sk(before, key))))
    if after is not None:
        due = {"ipk": layout.namespaces_pk(change.place.tenant), "isk": rfc3339(after)}
        changed.append(Put({"pk": pk, "sk": layout.expiry_sk(after, key), **due}))
    return changed


def _blobs(change: Change, now: datetime) -> list[Write]:
    pk = layout.namespace_pk(change.place.tenant, change.place.namespace)
    changed: list[Write] = []
    if change.old is not None and change.old.blob is not None:
        changed.append(garbage(change.place.tenant, pk, change.old.blob, now + GRACE))
    if change.new is not None and change.new.blob is not None:
        changed.append(Delete(Key(pk, layout.garbage_sk(change.new.blob))))
    return changed


def _registration(change: Change) -> list[Write]:
    """Make the namespace known to its tenant with each key that is new to it."""
    if change.items <= 0:
        return []
    place = change.place
    return [Put({"pk": layout.namespaces_pk(place.tenant), "sk": layout.namespace_sk(place.namespace)})]


def _is_stored(entry: Entry | None) -> bool:
    return entry is not None and not entry.removed


def _room(which: str, items: int, size: int, quotas: Quotas) -> Condition | None:
    limits = {
        "namespace": (quotas.namespace_items, quotas.namespace_bytes),
        "tenant": (quotas.tenant_items, quotas.tenant_bytes),
    }
    rooms: list[Condition] = []
    for name, more, most in zip(("items", "size"), (items, size), limits[which], strict=True):
        if more > most:
            raise quota_exceeded(which)
        if more > 0:
            rooms.append(AnyOf((Missing(name), LessThan(name, most - more + 1))))
    return AllOf(tuple(rooms)) if rooms else None


def quota_exceeded(which: str) -> QuotaExceeded:
    """Return the refusal of what is over the quota of the namespace or of the tenant."""
    return QuotaExceeded(f"The {which} holds as many keys or bytes as it may; delete some", {"quota": which})
