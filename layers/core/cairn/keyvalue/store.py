"""Key-value memory: JSON values under namespace and key, with a time to live and compare-and-set.

A value is read in one round trip and written in one where the process knows the key or the key is new; where it does
not, the refused write brings back what is stored, and a second one settles it. Reads are strongly consistent: a value
is seen by every read that begins after its write returned.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from itertools import islice
from math import ceil
from typing import Any

from cairn.ground import attributes
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.codec import base64url, of_base64url
from cairn.ground.damage import sound, sound_or_none
from cairn.ground.errors import CorruptData, InvalidArgument, NotFound
from cairn.ground.ids import Namespace, Tenant
from cairn.ground.paging import every
from cairn.ground.settings import Quotas
from cairn.ground.table import Key, Query, prefix_range
from cairn.keyvalue import layout as keyvalue_layout
from cairn.keyvalue.changes import value_key
from cairn.keyvalue.collection import Collector
from cairn.keyvalue.model import Entry, KeyName, Listing, Place, StoredValue, Usage
from cairn.keyvalue.writing import Writing
from cairn.vault.vault import Vault

SPARE = 50
"""How many keys more than asked for a page reads, so that expired ones among them seldom cost a second read."""


class KeyValue:
    """Reads and writes the key-value memory of all tenants."""

    def __init__(self, adapters: Adapters, vault: Vault, quotas: Quotas) -> None:
        """Hold what tenants store to these quotas."""
        self._adapters = adapters
        self._vault = vault
        self._writing = Writing(adapters, vault, quotas)
        self.collection = Collector(adapters)

    def get(self, place: Place) -> StoredValue:
        """Return what is stored there now; NotFound where nothing is."""
        item = self._adapters.table.get(value_key(place))
        now = self._adapters.clock.now()
        if item is None or not (entry := Entry.of(item)).is_there(now):
            raise NotFound("There is no such key", {"namespace": place.namespace, "key": place.key})
        return StoredValue(
            value=self._writing.unseal(place, item),
            version=entry.version,
            updated_at=attributes.moment(item, "updated_at"),
            ttl_seconds=None if entry.until is None else ceil((entry.until - now).total_seconds()),
        )

    def put(self, place: Place, value: Any, ttl_seconds: int | None = None, if_version: int | None = None) -> int:
        """Store a value and return its version; with a ttl of 0 remove what is there, which leaves it at version 0.

        Conflict where `if_version` is given and is not the version there; 0 stands for none. QuotaExceeded over quota.
        """
        if ttl_seconds == 0:
            self._writing.remove(place, if_version, required=False)
            return 0
        return self._writing.store(place, value, ttl_seconds, if_version)

    def delete(self, place: Place, if_version: int | None = None) -> None:
        """Remove a value; NotFound where there is none, Conflict as for put."""
        self._writing.remove(place, if_version, required=True)

    def list(
        self, tenant: Tenant, namespace: Namespace, prefix: str = "", limit: int = 50, cursor: str | None = None
    ) -> Listing:
        """Return a page of the keys that begin with the prefix, and how many keys the namespace has now.

        InvalidArgument for a cursor of another tenant, namespace or prefix, or one that was changed.
        """
        pk, now = keyvalue_layout.namespace_pk(tenant, namespace), self._adapters.clock.now()
        after = None if cursor is None else unseal_cursor(self._vault, tenant, pk, prefix, cursor)
        names = Pending(lambda: self._names(pk, prefix, after, limit + 1, now))
        total = Pending(lambda: self._total(pk, now))
        self._adapters.parallel([names, total])
        found = names.result[:limit]
        more = seal_cursor(self._vault, tenant, pk, prefix, found[-1]) if len(names.result) > limit else None
        return Listing(tuple(found), more, total.result)

    def _names(self, pk: str, prefix: str, after: KeyName | None, limit: int, now: datetime) -> Sequence[KeyName]:
        low, high = prefix_range(keyvalue_layout.entry_sk(prefix))
        if after is not None:
            low = f"{keyvalue_layout.entry_sk(after)}!"
        items = every(self._adapters.table, Query(pk, low, high, limit=limit + SPARE))
        entries = sound(self._adapters, items, lambda item: (Key.of(item).sk, Entry.of(item)))
        there = (sk for sk, entry in entries if entry.is_there(now))
        return [KeyName(sk.removeprefix(keyvalue_layout.entry_sk(""))) for sk in islice(there, limit)]

    def _total(self, pk: str, now: datetime) -> int:
        """Return how many keys are there: all that are stored, less those that have expired and are not collected."""
        _, high = keyvalue_layout.expired_by(now)
        usage, expired = Usage(), 0
        for item in every(self._adapters.table, Query(pk, keyvalue_layout.USAGE, high)):
            if item["sk"] == keyvalue_layout.USAGE:
                usage = sound_or_none(self._adapters, item, Usage.of) or Usage()
            else:
                expired += 1
        return max(0, usage.items - expired)


def seal_cursor(vault: Vault, tenant: Tenant, pk: str, prefix: str, last: KeyName) -> str:
    """Return the cursor of what follows the last key, fit for a URL."""
    return base64url(vault.seal_blob(tenant, _where(pk, prefix), last.encode()))


def unseal_cursor(vault: Vault, tenant: Tenant, pk: str, prefix: str, cursor: str) -> KeyName:
    """Return the last key of the page before; InvalidArgument for what is no cursor of this listing."""
    try:
        return KeyName(vault.unseal_blob(tenant, _where(pk, prefix), of_base64url(cursor)).decode())
    except (ValueError, CorruptData):
        raise InvalidArgument("cursor", "is no cursor of this namespace and prefix; begin again without one") from None


def _where(pk: str, prefix: str) -> Key:
    return Key(pk, f"cursor#{prefix}")
