"""Write key-value memory: each change is one transaction, based on what this process knows of the key."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any

from cairn.ground import codec, retries
from cairn.ground.adapters import Adapters
from cairn.ground.bounded import BoundedCache
from cairn.ground.errors import CairnError, Conflict, NotFound, Refusal, ResourceBusy, TransactionRefused
from cairn.ground.ids import Digest
from cairn.ground.settings import Quotas
from cairn.ground.table import Attributes, Key, Scalar, conditions_lost
from cairn.keyvalue import changes
from cairn.keyvalue.changes import GRACE, Change
from cairn.keyvalue.collection import Collector
from cairn.keyvalue.model import Entry, Place
from cairn.vault.cipher import NONCE_BYTES, TAG_BYTES
from cairn.vault.vault import MAX_INLINE_BYTES, Vault

COLLECT_AT = 16
"""How much has to have fallen due before a write collects it, which costs it three round trips more."""
MOST_KNOWN = 4096
"""Of how many keys a process keeps what it last wrote: a guess, which the store confirms or corrects."""


@dataclass(frozen=True, slots=True)
class _Content:
    """A sealed value, and the metadata that its entry will hold."""

    attributes: dict[str, Scalar]
    canonical: bytes
    size: int
    until: datetime | None
    blob: Digest | None


class Writing:
    """Stores and removes values."""

    def __init__(self, adapters: Adapters, vault: Vault, quotas: Quotas) -> None:
        """Know of no key yet."""
        self._adapters = adapters
        self._vault = vault
        self._quotas = quotas
        self._known: BoundedCache[Place, Entry] = BoundedCache(entries=MOST_KNOWN)
        self._collection = Collector(adapters)

    def unseal(self, place: Place, item: Attributes) -> Any:
        """Return the value that an item holds or names."""
        blob = item.get("blob")
        if not isinstance(blob, str):
            return self._vault.unseal(place.tenant, item)
        sealed = self._vault.blob(place.tenant, blob)
        return codec.unpack(self._vault.unseal_blob(place.tenant, changes.value_key(place), sealed))

    def store(self, place: Place, value: Any, ttl_seconds: int | None, if_version: int | None) -> int:
        """Store a value and return its version; Conflict, QuotaExceeded."""
        return self._commit(place, self._sealed(place, value, ttl_seconds, if_version), if_version, required=False)

    def remove(self, place: Place, if_version: int | None, *, required: bool) -> None:
        """Remove a value; Conflict, and NotFound where there is none and one is required."""
        self._commit(place, None, if_version, required=required)

    def _commit(self, place: Place, content: _Content | None, if_version: int | None, *, required: bool) -> int:
        """Change a key and return its version, 0 where it has none any more; only what was read is refused for good."""
        old, is_read = self._known.peek(place), False
        for attempt in range(retries.ATTEMPTS):
            now = self._adapters.clock.now()
            there = old if old is not None and old.is_there(now) else None
            objection = _objection(there, if_version, required=required)
            nothing = content is None and there is None
            if (objection or nothing) and not is_read:
                old, is_read = self._read(place), True
                continue
            if objection is not None:
                return self._repeated(place, content, objection)
            if nothing:
                return 0
            change = _change(place, old, content, now)
            failed = self._try(change, now)
            if failed is None:
                return self._remember(change)
            old, is_read = self._learned(change, failed, is_read=is_read, attempt=attempt)
        raise ResourceBusy("Too many calls are writing this namespace; try again", {"resource": "namespace"})

    def _sealed(self, place: Place, value: Any, ttl_seconds: int | None, if_version: int | None) -> _Content:
        now = self._adapters.clock.now()
        attributes: dict[str, Scalar] = {"updated_at": codec.rfc3339(now)}
        attributes |= {
            name: number for name, number in (("ttl", ttl_seconds), ("prior", if_version)) if number is not None
        }
        packed, blob = codec.pack(value), None
        if NONCE_BYTES + len(packed) + TAG_BYTES <= MAX_INLINE_BYTES:
            attributes |= self._vault.seal(place.tenant, changes.value_key(place), value)
        else:
            blob = self._stored_blob(place, packed)
        return _Content(
            attributes=attributes,
            canonical=codec.canonical(value),
            size=len(place.key) + len(codec.canonical(value)),
            until=None if ttl_seconds is None else now + timedelta(seconds=ttl_seconds),
            blob=blob,
        )

    def _stored_blob(self, place: Place, packed: bytes) -> Digest:
        """Store a blob, noted as of no use until its value is committed."""
        where = changes.value_key(place)
        sealed = self._vault.seal_blob(place.tenant, where, packed)
        digest = Digest(sha256(sealed).hexdigest())
        self._adapters.table.put(changes.garbage(place.tenant, where.pk, digest, self._adapters.clock.now() + GRACE))
        self._adapters.blobs.put(place.tenant, sealed)
        return digest

    def _try(self, change: Change, now: datetime) -> Mapping[Key, Refusal] | None:
        """Commit a change and look meanwhile for what has fallen due; return what failed where it was refused."""
        writes = [*changes.writes(change, now), *changes.counting([change], self._quotas)]
        tenant = change.place.tenant
        due: list[Attributes] = []

        def look() -> None:
            with suppress(CairnError):  # a later write finds it again
                due.extend(self._collection.due(tenant))

        try:
            self._adapters.parallel([lambda: self._adapters.table.transact(writes), look])
        except TransactionRefused as refused:
            return conditions_lost(writes, refused)
        if len(due) >= COLLECT_AT:
            with suppress(CairnError):
                self._collection.collect(tenant, due)
        return None

    def _learned(
        self, change: Change, failed: Mapping[Key, Refusal], *, is_read: bool, attempt: int
    ) -> tuple[Entry | None, bool]:
        """Return what is known of the key after a refusal, and whether it was read; QuotaExceeded if that was it."""
        place = change.place
        if (raced := failed.get(changes.value_key(place))) is not None:
            return (None if raced.item is None else Entry.of(raced.item)), True
        full = [which for which, key in changes.usage_keys(place.tenant, place.namespace).items() if key in failed]
        for which in full:
            self._make_room(place, which)
        if not full:
            retries.wait(self._adapters, attempt)
        return change.old, is_read

    def _make_room(self, place: Place, which: str) -> None:
        """Collect what has expired; QuotaExceeded where nothing has."""
        if which == "namespace":
            due = self._collection.expired(place.tenant, place.namespace)
        else:
            due = self._collection.due(place.tenant)
        if not due:
            raise changes.quota_exceeded(which)
        self._collection.collect(place.tenant, due)

    def _read(self, place: Place) -> Entry | None:
        item = self._adapters.table.get(changes.value_key(place))
        return None if item is None else Entry.of(item)

    def _repeated(self, place: Place, content: _Content | None, objection: CairnError) -> int:
        """Return the version there if this very write made it, whose answer was lost; raise the objection otherwise."""
        item = self._adapters.table.get(changes.value_key(place)) if content is not None else None
        if content is None or item is None:
            raise objection
        same = all(item.get(name) == content.attributes.get(name) for name in ("prior", "ttl"))
        if not same or "prior" not in item or codec.canonical(self.unseal(place, item)) != content.canonical:
            raise objection
        return Entry.of(item).version

    def _remember(self, change: Change) -> int:
        """Remember what is stored now, and return its version."""
        self._known.put(change.place, change.left)
        return 0 if change.new is None else change.new.version


def _objection(there: Entry | None, if_version: int | None, *, required: bool) -> CairnError | None:
    """Return why what is there must not be changed so, None where it may."""
    version = 0 if there is None else there.version
    if if_version is not None and if_version != version:
        return Conflict("The key has another version", {"version": version})
    return NotFound("There is no such key") if required and there is None else None


def _change(place: Place, old: Entry | None, content: _Content | None, now: datetime) -> Change:
    if content is None:
        return Change(place, old, None)
    version = retries.next_version(now, -1 if old is None else old.version)
    new = Entry(version=version, size=content.size, until=content.until, blob=content.blob)
    return Change(place, old, new, content.attributes)
