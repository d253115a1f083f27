"""The embedded store's rules without its disk: as many stores as a test wants, each with a copy at hand."""

from __future__ import annotations

import threading
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256

from cairn.embedded.semantics import applied, permits
from cairn.ground.adapters import Adapters
from cairn.ground.errors import ConditionFailed, NotFound, Refusal, TransactionRefused
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import Attributes, Delete, Key, Page, Put, Query, Update, Write, check_writes, key_of


class MemoryTable:
    """Items in a dict per partition; one write at a time."""

    def __init__(self, partitions: dict[str, dict[str, Attributes]] | None = None) -> None:
        self._partitions = partitions or {}
        self._lock = threading.Lock()

    def copy(self) -> MemoryTable:
        """Return a table of its own with the same items, which are never changed in place."""
        return MemoryTable({pk: dict(items) for pk, items in self._partitions.items()})

    def items(self) -> Iterator[Attributes]:
        """Yield every item."""
        for partition in list(self._partitions.values()):
            yield from list(partition.values())

    def get(self, key: Key) -> Attributes | None:
        return self._partitions.get(key.pk, {}).get(key.sk)

    def query(self, query: Query) -> Page:
        sort = "isk" if query.index else "sk"
        keys = ("pk", "sk", "ipk", "isk")

        def place(item: Attributes) -> tuple[str, ...]:
            return str(item[sort]), str(item["pk"]), str(item["sk"])

        ordered = sorted((item for item in self._held(query) if query.low <= str(item[sort]) <= query.high), key=place)
        ordered = ordered[::-1] if query.descending else ordered
        if query.start:
            start = place(query.start)
            ordered = [item for item in ordered if (place(item) < start if query.descending else place(item) > start)]
        taken = ordered[: query.limit]
        shown = [{name: item[name] for name in keys} for item in taken] if query.index else taken
        more = {name: str(taken[-1][name]) for name in keys if name in taken[-1]} if len(taken) < len(ordered) else None
        return Page(tuple(shown), more)

    def put(self, write: Put) -> None:
        self._write(write)

    def update(self, write: Update) -> Attributes:
        return self._write(write) or {}

    def delete(self, write: Delete) -> None:
        self._write(write)

    def transact(self, writes: Sequence[Write]) -> None:
        check_writes(writes)
        with self._lock:
            pairs = [(write, self.get(key_of(write))) for write in writes]
            reasons = [None if permits(write, item) else Refusal("condition", item) for write, item in pairs]
            if any(reasons):
                raise TransactionRefused(reasons)
            for write, item in pairs:
                self._apply(write, item)

    def _held(self, query: Query) -> list[Attributes]:
        if not query.index:
            return list(self._partitions.get(query.pk, {}).values())
        return [item for item in self.items() if item.get("ipk") == query.pk and "isk" in item]

    def _write(self, write: Write) -> Attributes | None:
        check_writes([write])
        with self._lock:
            item = self.get(key_of(write))
            if not permits(write, item):
                raise ConditionFailed(item)
            return self._apply(write, item)

    def _apply(self, write: Write, item: Attributes | None) -> Attributes | None:
        new, key = applied(write, item), key_of(write)
        if new is None:
            self._partitions.get(key.pk, {}).pop(key.sk, None)
        else:
            self._partitions.setdefault(key.pk, {})[key.sk] = new
        return new


class MemoryBlobs:
    """Bytes in a dict."""

    def __init__(self, blobs: dict[tuple[Tenant, str], bytes] | None = None) -> None:
        self.blobs = blobs or {}

    def copy(self) -> MemoryBlobs:
        """Return blobs of their own with the same bytes."""
        return MemoryBlobs(dict(self.blobs))

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        digest = sha256(data).hexdigest()
        self.blobs[tenant, digest] = data
        return Digest(digest)

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        if (tenant, digest) not in self.blobs:
            raise NotFound("no such blob")
        return self.blobs[tenant, digest]

    def get_part(self, tenant: Tenant, digest: Digest, start: int, length: int) -> bytes:
        return self.get(tenant, digest)[start : start + length]

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        self.blobs.pop((tenant, digest), None)


class MemoryInventory:
    """The way to all that a table and blobs in memory hold."""

    def __init__(self, table: MemoryTable, blobs: MemoryBlobs) -> None:
        self._table = table
        self._blobs = blobs

    def items(self, tenant: Tenant) -> Iterator[Attributes]:
        found = [item for item in self._table.items() if str(item["pk"]).startswith(f"{tenant}#")]
        return iter(sorted(found, key=lambda item: (str(item["pk"]), str(item["sk"]))))

    @contextmanager
    def snapshot(self) -> Generator[MemorySnapshot]:
        yield MemorySnapshot(self._table.copy())

    def blobs(self, tenant: Tenant) -> Iterator[Digest]:
        return (Digest(digest) for owner, digest in sorted(self._blobs.blobs) if owner == tenant)

    def dated_blobs(self, tenant: Tenant) -> Iterator[tuple[Digest, datetime]]:
        return ((digest, datetime.min.replace(tzinfo=UTC)) for digest in self.blobs(tenant))

    def scrub(self) -> None:
        """Leave nothing behind: there is no file."""


class MemorySnapshot:
    """A copy of a table, as it was at a moment."""

    def __init__(self, table: MemoryTable) -> None:
        self.get = table.get
        self.query = table.query
        self.items = MemoryInventory(table, MemoryBlobs()).items


def copied(adapters: Adapters) -> Adapters:
    """Return other adapters with the same items and blobs."""
    table, blobs = adapters.table, adapters.blobs
    assert isinstance(table, MemoryTable)
    assert isinstance(blobs, MemoryBlobs)
    return replace(adapters, table=table.copy(), blobs=blobs.copy())
