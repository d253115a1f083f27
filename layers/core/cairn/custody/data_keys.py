"""Rotate a tenant's data keys: make a new one, move what the old ones sealed to it, and delete the old ones.

A key is deleted only once a full pass found nothing that needs it, and no process can still be sealing under it. What
cannot be moved keeps its key: a blob that its address names by its bytes, and a tag over what is not stored.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from cairn.ground import attributes
from cairn.ground.adapters import Adapters
from cairn.ground.errors import ConditionFailed, CorruptData, NotFound
from cairn.ground.ids import Digest, Tenant
from cairn.ground.paging import every
from cairn.ground.ports import Inventory
from cairn.ground.table import AllOf, Attributes, Delete, Equals, Key, Query, Update
from cairn.log.layout import MANIFEST, log_of
from cairn.log.segments import as_far_as_readable
from cairn.recall.indexing import Indexer
from cairn.vault.data_key import WrappedKey
from cairn.vault.layout import key_range, key_sk, keys_pk
from cairn.vault.vault import KEY_LIFETIME, Vault, blob_of, key_number

STRAGGLERS = timedelta(minutes=1)
"""How long after KEY_LIFETIME a call may still write that began with the old key: 29 s, and skewed clocks."""
_TAG = re.compile(r"(\d{1,6})\.[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class KeyInUse:
    """A data key, when it was made (None if that was not noted yet), and how many items and blobs need it."""

    number: int
    created_at: datetime | None
    needed_by: int


@dataclass(frozen=True, slots=True)
class Rewrapped:
    """Counts what was moved to the newest key and what still needs each older one, and names the keys deleted."""

    newest: int
    items: int = 0
    logs: int = 0
    deleted: tuple[int, ...] = ()
    kept: Mapping[int, int] = field(default_factory=dict[int, int])
    settles_at: datetime | None = None
    """Until when old keys are kept in any case, since a process may still be sealing under them; None once past."""


class DataKeys:
    """Lists, rotates and deletes the data keys of tenants, for an operator."""

    def __init__(self, adapters: Adapters, inventory: Inventory) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._inventory = inventory

    def rotate(self, tenant: Tenant) -> int:
        """Make a new data key and return its number; other processes seal under it within KEY_LIFETIME."""
        return Vault(self._adapters).rotate(tenant)

    def list(self, tenant: Tenant) -> tuple[KeyInUse, ...]:
        """Return the tenant's keys, the oldest first, with what needs them; reads everything that it has."""
        needed = self._needed(tenant)
        return tuple(KeyInUse(number, key.created_at, needed[number]) for number, key in self._stored(tenant).items())

    def rewrap(self, tenant: Tenant) -> Rewrapped:
        """Seal all that can be moved under the newest key, then delete the older ones that nothing needs.

        It may be stopped anywhere and run again, while others read and write. NotFound for a tenant without a key.
        """
        keys = self._stored(tenant)
        if not keys:
            raise NotFound("This tenant has no data key: nothing was ever stored for it, or it was erased")
        newest = max(keys)
        settles_at = (keys[newest].created_at or self._adapters.clock.now()) + KEY_LIFETIME + STRAGGLERS
        is_settled = len(keys) == 1 or settles_at <= self._adapters.clock.now()
        items, logs = self._move(tenant, newest)
        needed = self._needed(tenant)
        old = [number for number in keys if number != newest]
        deleted = [number for number in old if is_settled and not needed[number]]
        for number in deleted:
            self._adapters.table.delete(Delete(Key(keys_pk(tenant), key_sk(number))))
        if deleted:
            self._inventory.scrub()
        kept = {number: needed[number] for number in old if number not in deleted}
        return Rewrapped(newest, items, logs, tuple(deleted), kept, None if is_settled else settles_at)

    def _stored(self, tenant: Tenant) -> dict[int, WrappedKey]:
        keys = map(WrappedKey.of, every(self._adapters.table, Query(keys_pk(tenant), *key_range())))
        return {key.number: key for key in keys}

    def _move(self, tenant: Tenant, newest: int) -> tuple[int, int]:
        vault, items, logs = Vault(self._adapters), 0, 0
        indexer = Indexer(self._adapters, vault)
        for item in self._inventory.items(tenant):
            if item["sk"] == MANIFEST and any(number != newest for number in self._segment_keys(tenant, item)):
                logs += indexer.rebuild(*log_of(Key.of(item).pk)).entries > 0
            elif item.get("kid", newest) != newest:
                items += self._reseal(vault, tenant, item)
            elif (blob := _sealed_blob(item)) is not None and self._blob_key(tenant, blob) != newest:
                items += self._reseal_blob(vault, tenant, item, blob)
        return items, logs

    def _reseal(self, vault: Vault, tenant: Tenant, item: Attributes) -> bool:
        """Seal an item anew unless it changes meanwhile, in which case it is read again; False where it is damaged."""
        where = Key.of(item)
        stored: Attributes | None = item
        while stored is not None and "kid" in stored:
            try:
                content = vault.seal(tenant, where, vault.unseal(tenant, stored))
            except (CorruptData, NotFound):
                return False
            gone = tuple(name for name in ("data", "blob") if name in stored and name not in content)
            same = AllOf(tuple(Equals(name, stored[name]) for name in ("kid", "data", "blob") if name in stored))
            try:
                self._adapters.table.update(Update(where, set=content, remove=gone, condition=same))
            except ConditionFailed as changed:
                self._discard(tenant, content)
                stored = changed.item if changed.item and changed.item.get("kid") != content["kid"] else None
            else:
                self._discard(tenant, stored)
                return True
        return False

    def _reseal_blob(self, vault: Vault, tenant: Tenant, item: Attributes, blob: Digest) -> bool:
        """Seal anew what seal_blob() sealed for an item; False where it changed meanwhile or is bound elsewhere."""
        where = Key.of(item)
        try:
            plain = vault.unseal_blob(tenant, where, self._adapters.blobs.get(tenant, blob))
        except (CorruptData, NotFound):
            return False
        content = {"blob": self._adapters.blobs.put(tenant, vault.seal_blob(tenant, where, plain))}
        try:
            self._adapters.table.update(Update(where, set=content, condition=Equals("blob", blob)))
        except ConditionFailed:
            self._discard(tenant, content)
            return False
        self._discard(tenant, item)
        return True

    def _discard(self, tenant: Tenant, content: Attributes) -> None:
        if (blob := blob_of(content)) is not None:
            self._adapters.blobs.delete(tenant, blob)

    def _needed(self, tenant: Tenant) -> Counter[int]:
        now = int(self._adapters.clock.now().timestamp())
        with self._inventory.snapshot() as snapshot:
            live = (item for item in snapshot.items(tenant) if attributes.number(item, "expires_at", now + 1) > now)
            return Counter(number for item in live for number in self._keys_of(tenant, item))

    def _keys_of(self, tenant: Tenant, item: Attributes) -> Iterator[int]:
        """Yield the keys an item needs: by `kid` or an attribute that ends so, by a tag, by its blob or segments."""
        if item["sk"] == MANIFEST:
            yield from self._segment_keys(tenant, item)
        if (blob := _sealed_blob(item)) is not None:
            yield self._blob_key(tenant, blob)
        for name, value in item.items():
            if isinstance(value, int) and name.endswith("kid"):
                yield value
            elif isinstance(value, str) and (tag := _TAG.fullmatch(value)):
                yield int(tag[1])

    def _segment_keys(self, tenant: Tenant, manifest: Attributes) -> Iterator[int]:
        return (self._blob_key(tenant, ref.digest) for ref in as_far_as_readable(manifest).segments)

    def _blob_key(self, tenant: Tenant, digest: Digest) -> int:
        """Return the key under which seal_blob() sealed a blob, 0 where it is lost or damaged."""
        try:
            return key_number(self._adapters.blobs.get(tenant, digest))
        except (CorruptData, NotFound):
            return 0


def _sealed_blob(item: Attributes) -> Digest | None:
    """Return the blob that seal_blob() made for an item, if any: one of seal() stands beside the number of its key."""
    return None if "kid" in item else blob_of(item)
