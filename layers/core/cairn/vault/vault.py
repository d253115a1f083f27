"""The vault: seal contents before they reach any store, and open them again.

A tenant's data keys are random, wrapped by the key ring and kept in the tenant's own partition; deleting them makes
all that the tenant ever stored unreadable. An unwrapped key stays in the process for five minutes, and for a bounded
number of seals: then the store is asked again which key is the newest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from threading import Lock
from typing import Any

from cairn.ground import codec
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.attributes import text
from cairn.ground.bounded import BoundedCache
from cairn.ground.errors import ConditionFailed, CorruptData, KeyLost, MissingBlob, NotFound
from cairn.ground.ids import Digest, Tenant, is_digest
from cairn.ground.table import ABSENT, FORMAT, Attributes, Key, Put, Query, Scalar
from cairn.vault import cipher
from cairn.vault.data_key import WrappedKey
from cairn.vault.layout import key_range, key_sk, keys_pk

KEY_LIFETIME = timedelta(minutes=5)
MAX_SEALS = 2**20
"""How often a process uses a key before it asks for it again; a random nonce is safe for 2**32 seals in all."""
MAX_CACHED_KEYS = 1024
MAX_INLINE_BYTES = 32 * 1024
SCHEMA_VERSION = 1
_NUMBER_BYTES = 4
SEAL_BYTES = _NUMBER_BYTES + cipher.NONCE_BYTES + cipher.TAG_BYTES
"""How much longer seal_blob() makes what it seals."""
_RESTORE_THE_KEY = "Unless it was erased on purpose, put its item back from a backup; nothing else opens what it sealed"


@dataclass(slots=True)
class _CachedKey:
    number: int
    secret: bytes = field(repr=False)
    until: datetime
    format: int
    seals: int = 0


class Vault:
    """Seals values into the attributes `data` or `blob` and `kid`, and opens them again."""

    def __init__(self, adapters: Adapters, signs_with: int | None = None) -> None:
        """Start with no key unwrapped; sign with the newest, or with the one of this number."""
        self._adapters = adapters
        self._signs_with = signs_with
        self._keys: BoundedCache[tuple[Tenant, int | None], _CachedKey] = BoundedCache(entries=MAX_CACHED_KEYS)
        self._established: BoundedCache[Tenant, datetime] = BoundedCache(entries=MAX_CACHED_KEYS)
        self._fetching = Lock()

    def prepare(self, tenant: Tenant) -> None:
        """Get the tenant's newest key ready, if it has one; whoever needs it meanwhile waits for it."""
        self._current(tenant)

    def has_key(self, tenant: Tenant) -> bool:
        """Tell whether the tenant has a data key: whether anything was stored for it since it was last erased."""
        return self._current(tenant) is not None

    def newest(self, tenant: Tenant) -> WrappedKey | None:
        """Return the tenant's newest data key as the store has it, None where there is none."""
        low, high = key_range()
        found = self._adapters.table.query(Query(keys_pk(tenant), low, high, descending=True, limit=1)).items
        return WrappedKey.of(found[0]) if found else None

    def establish(self, tenant: Tenant) -> None:
        """Make the tenant's first data key if it has none; the store is asked at most once in KEY_LIFETIME.

        In AWS the roles of tools may make no key. None is unwrapped here.
        """
        now = self._adapters.clock.now()
        until = self._established.peek(tenant)
        if until is None or now >= until:
            if self.newest(tenant) is None:
                self._create(tenant, 1)
            self._established.put(tenant, now + KEY_LIFETIME)

    def rotate(self, tenant: Tenant) -> int:
        """Make a new data key, under which all that is sealed from now on is sealed, and return its number.

        Other processes follow within KEY_LIFETIME. Rotations at once are one.
        """
        newest = self.newest(tenant)
        return self._create(tenant, 1 + (newest.number if newest else 0)).number

    def seal(self, tenant: Tenant, where: Key, value: object) -> dict[str, Scalar]:
        """Return the attributes that hold a JSON value in the item at `where`; over 32 KB it becomes a blob."""
        key = self._sealing(tenant)
        nonce = self._adapters.entropy.token(cipher.NONCE_BYTES)
        sealed = cipher.seal(key.secret, nonce, codec.pack(value), _context(tenant, where))
        if len(sealed) <= MAX_INLINE_BYTES:
            return {"kid": key.number, "data": sealed}
        return {"kid": key.number, "blob": self._adapters.blobs.put(tenant, sealed)}

    def unseal(self, tenant: Tenant, item: Attributes) -> Any:
        """Return the JSON value of a stored item; CorruptData if it was changed, moved or is another tenant's."""
        number, data, blob = item.get("kid"), item.get("data"), item.get("blob")
        if isinstance(blob, str):
            data = self.blob(tenant, blob)
        if not isinstance(number, int) or not isinstance(data, bytes):
            raise CorruptData("a stored item lacks its content")
        where = Key.of(item)
        plain = cipher.unseal(self._numbered(tenant, number).secret, data, _context(tenant, where))
        return codec.unpack(plain)

    def blob(self, tenant: Tenant, name: str) -> bytes:
        """Return the blob that a stored item names; MissingBlob if it is gone, CorruptData if it was changed."""
        if not is_digest(name):
            raise CorruptData("a stored item names no blob")
        try:
            return self._adapters.blobs.get(tenant, Digest(name))
        except NotFound:
            raise MissingBlob("a blob is gone") from None

    def fetched(self, tenant: Tenant, items: Iterable[Attributes], at_once: int) -> Iterator[Attributes]:
        """Yield stored items with what their blobs hold in them; those of so many items are fetched in parallel.

        An item whose blob is gone or damaged is yielded as it is.
        """
        left = iter(items)
        while some := list(islice(left, at_once)):
            gets = {
                number: Pending(partial(self._blob_if_sound, tenant, blob))
                for number, item in enumerate(some)
                if isinstance(blob := item.get("blob"), str)
            }
            if gets:
                self._adapters.parallel(list(gets.values()))
            for number, item in enumerate(some):
                data = gets[number].result if number in gets else None
                yield item if data is None else {**_without_blob(item), "data": data}

    def seal_blob(self, tenant: Tenant, where: Key, plain: bytes) -> bytes:
        """Return bytes that open only for the tenant and this item: the number of the key, then nonce, content, tag."""
        key = self._sealing(tenant)
        nonce = self._adapters.entropy.token(cipher.NONCE_BYTES)
        number = key.number.to_bytes(_NUMBER_BYTES)
        return number + cipher.seal(key.secret, nonce, plain, number + _context(tenant, where))

    def unseal_blob(self, tenant: Tenant, where: Key, sealed: bytes) -> bytes:
        """Return what seal_blob() was given; CorruptData if it was changed, moved or is another tenant's."""
        number = sealed[:_NUMBER_BYTES]
        key = self._numbered(tenant, key_number(sealed))
        return cipher.unseal(key.secret, memoryview(sealed)[_NUMBER_BYTES:], number + _context(tenant, where))

    def seal_alike(self, tenant: Tenant, purpose: str, plain: bytes) -> tuple[int, bytes]:
        """Return the number of a key and what it seals: for the same bytes, tenant and key the same every time."""
        key = self._sealing(tenant)
        return key.number, cipher.seal_alike(key.secret, purpose, plain, _shared_context(tenant, purpose))

    def unseal_alike(self, tenant: Tenant, purpose: str, number: int, sealed: bytes) -> bytes:
        """Return what seal_alike() was given; CorruptData if it was changed, or is another tenant's or purpose's."""
        key = self._numbered(tenant, number)
        return cipher.unseal_alike(key.secret, purpose, sealed, _shared_context(tenant, purpose))

    def sign(self, tenant: Tenant, purpose: str, message: bytes) -> str:
        """Return a tag that only this tenant's Cairn can make: key number, dot, 32 hex digits."""
        key = self._sealing(tenant) if self._signs_with is None else self._numbered(tenant, self._signs_with)
        return f"{key.number}.{cipher.mac(key.secret, purpose, message)}"

    def verify(self, tenant: Tenant, purpose: str, message: bytes, tag: str) -> bool:
        """Tell whether sign() made this tag for this tenant, purpose and message."""
        number, _, digest = tag.partition(".")
        if not (number.isascii() and number.isdigit() and len(number) <= 6):  # noqa: PLR2004  width of a key's sort key
            return False
        try:
            key = self._numbered(tenant, int(number))
        except CorruptData:
            return False
        return cipher.same(digest, cipher.mac(key.secret, purpose, message))

    def derive(self, tenant: Tenant, purpose: str, message: bytes) -> tuple[int, bytes]:
        """Return the number of a key and a secret of 32 bytes that follows from that key, purpose and message."""
        key = self._sealing(tenant)
        return key.number, cipher.derive(key.secret, purpose, message)

    def derived(self, tenant: Tenant, purpose: str, number: int, message: bytes) -> bytes:
        """Return the secret that derive() returned with this number; CorruptData where its key is gone."""
        return cipher.derive(self._numbered(tenant, number).secret, purpose, message)

    def _blob_if_sound(self, tenant: Tenant, name: str) -> bytes | None:
        try:
            return self.blob(tenant, name)
        except CorruptData:
            return None

    def _current(self, tenant: Tenant) -> _CachedKey | None:
        with self._fetching:
            cached = self._cached(tenant, None)
            if cached is not None:
                return cached
            newest = self.newest(tenant)
            return self._opened(tenant, newest, current=True) if newest else None

    def _sealing(self, tenant: Tenant) -> _CachedKey:
        key = self._current(tenant) or self._create(tenant, 1)
        if key.format < FORMAT:
            # A key that earlier programs never learn, so that they stop at it; nobody may change one that is stored.
            key = self._create(tenant, key.number + 1)
        with self._fetching:
            key.seals += 1
        return key

    def _numbered(self, tenant: Tenant, number: int) -> _CachedKey:
        with self._fetching:
            cached = self._cached(tenant, number)
            if cached is not None:
                return cached
            item = self._adapters.table.get(Key(keys_pk(tenant), key_sk(number)))
            if item is None:
                lost = CorruptData if self.newest(tenant) else KeyLost
                raise lost("the data key of stored content is gone", _RESTORE_THE_KEY)
            return self._opened(tenant, WrappedKey.of(item), current=False)

    def _create(self, tenant: Tenant, number: int) -> _CachedKey:
        fresh = self._adapters.keys.generate(tenant)
        key = WrappedKey(number, fresh.wrapped, self._adapters.clock.now(), FORMAT)
        try:
            self._adapters.table.put(Put(key.to_item(tenant), ABSENT))
        except ConditionFailed as lost:
            return self._opened(tenant, WrappedKey.of(lost.item or {}), current=True)
        return self._cache(tenant, key, fresh.secret, current=True)

    def _cached(self, tenant: Tenant, number: int | None) -> _CachedKey | None:
        cached = self._keys.peek((tenant, number))
        if cached is None or cached.seals >= MAX_SEALS:
            return None
        # Not where the clock was turned back since either: the key could be gone from the store long before `until`.
        now = self._adapters.clock.now()
        return cached if cached.until - KEY_LIFETIME <= now < cached.until else None

    def _opened(self, tenant: Tenant, key: WrappedKey, *, current: bool) -> _CachedKey:
        """Return a key unwrapped; unwrapping asks the key ring, so that it is done once for both its names."""
        known = self._cached(tenant, key.number)
        if known is None:
            return self._cache(tenant, key, self._adapters.keys.unwrap(tenant, key.wrapped), current=current)
        if current:
            self._keys.put((tenant, None), known)
        return known

    def _cache(self, tenant: Tenant, wrapped: WrappedKey, secret: bytes, *, current: bool) -> _CachedKey:
        key = _CachedKey(wrapped.number, secret, self._adapters.clock.now() + KEY_LIFETIME, wrapped.format)
        self._keys.put((tenant, key.number), key)
        if current:
            self._keys.put((tenant, None), key)
        return key


def sealed_content(item: Attributes) -> dict[str, Scalar]:
    """Return the attributes of an item that hold what seal() sealed."""
    return {name: value for name, value in item.items() if name in {"kid", "data", "blob"}}


def blob_of(item: Attributes) -> Digest | None:
    """Return the blob that an item names, None where it names none; CorruptData where that is no text."""
    return Digest(text(item, "blob")) if "blob" in item else None


def _without_blob(item: Attributes) -> Attributes:
    return {name: value for name, value in item.items() if name != "blob"}


def key_number(sealed: bytes) -> int:
    """Return the number of the key that seal_blob() used."""
    return int.from_bytes(sealed[:_NUMBER_BYTES])


def _context(tenant: Tenant, where: Key) -> bytes:
    return codec.canonical([SCHEMA_VERSION, tenant, where.pk, where.sk])


def _shared_context(tenant: Tenant, purpose: str) -> bytes:
    return codec.canonical([SCHEMA_VERSION, tenant, purpose])
