"""Erase a tenant: its data keys first, so that no copy of the rest can be opened."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from cairn.access.key_store import Credentials
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.ground.paging import every
from cairn.ground.ports import Inventory
from cairn.ground.table import Attributes, Delete, Key, Query
from cairn.plans.layout import everything, plans_pk
from cairn.vault.layout import key_range, keys_pk


@dataclass(frozen=True, slots=True)
class ErasedTenant:
    """Counts what was removed, and the items and blobs that a recount still found."""

    api_keys: int = 0
    data_keys: int = 0
    items: int = 0
    blobs: int = 0
    left: int = 0


class EraseTenant:
    """Erases a tenant, for an operator; it can be stopped at any time and run again."""

    def __init__(self, adapters: Adapters, inventory: Inventory) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._inventory = inventory

    def run(self, tenant: Tenant, shredded: Callable[[], None] = lambda: None) -> ErasedTenant:
        """Revoke the tenant's API keys, delete its data keys, call `shredded` if it had any, then delete the rest.

        The rest are items and blobs. From `shredded` on nothing that it ever stored can be opened, but by a process
        that unwrapped a key before and keeps it for vault.KEY_LIFETIME.
        """
        api_keys = Credentials(self._adapters).revoke_all(tenant)
        data_keys = self._shred(tenant)
        if data_keys:
            shredded()
        plans = plans_pk(tenant)
        items = sum(map(self._delete, (item for item in self._inventory.items(tenant) if item["pk"] != plans)))
        blobs = 0
        for digest in self._inventory.blobs(tenant):
            self._adapters.blobs.delete(tenant, digest)
            blobs += 1
        # Last, since an erasure that waited for its time is found by its plan, however often it was stopped.
        items += sum(map(self._delete, every(self._adapters.table, Query(plans, *everything()))))
        self._inventory.scrub()
        left = sum(1 for _ in self._inventory.items(tenant)) + sum(1 for _ in self._inventory.blobs(tenant))
        return ErasedTenant(api_keys, data_keys, items, blobs, left)

    def _shred(self, tenant: Tenant) -> int:
        keys = list(every(self._adapters.table, Query(keys_pk(tenant), *key_range())))
        deleted = sum(map(self._delete, keys))
        self._inventory.scrub()
        return deleted

    def _delete(self, item: Attributes) -> int:
        self._adapters.table.delete(Delete(Key.of(item)))
        return 1
