"""A world that counts: round trips in sequence, calls and capacity units, none of which depend on the machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from math import ceil

from cairn.domain.attributes import item_bytes
from cairn.domain.ids import Digest, Tenant
from cairn.domain.table import Attributes, Delete, Key, Page, Put, Query, Update, Write, key_of
from cairn.ports import Blobs, KeyRing, Table
from cairn.ports import DataKey as WrappedKey

READ_UNIT_BYTES = 4096
WRITE_UNIT_BYTES = 1024


class Meter:
    """Counts what one call asks of its world; parallel calls make one round trip."""

    def __init__(self) -> None:
        """Start at zero."""
        self.counts: Counter[str] = Counter()
        self.rounds = 0

    def __call__(self, calls: Sequence[Callable[[], object]]) -> list[object]:
        """Run calls as if at once: the longest of their chains counts."""
        start, longest, results = self.rounds, self.rounds, list[object]()
        for call in calls:
            self.rounds = start
            results.append(call())
            longest = max(longest, self.rounds)
        self.rounds = longest
        return results

    def trip(self, what: str, **units: int) -> None:
        """Count one call and the units it uses."""
        self.rounds += 1
        self.counts.update({what: 1, **units})


class MeteredTable:
    """A table whose calls are counted in DynamoDB's units: consistent reads, writes, double in transactions."""

    def __init__(self, table: Table, meter: Meter) -> None:
        """Count the calls to this table."""
        self._table = table
        self._meter = meter

    def get(self, key: Key) -> Attributes | None:
        """Count and pass on."""
        item = self._table.get(key)
        self._meter.trip("get", read_units=_read_units([item] if item else []))
        return item

    def query(self, query: Query) -> Page:
        """Count and pass on."""
        page = self._table.query(query)
        self._meter.trip("query", read_units=_read_units(page.items))
        return page

    def put(self, write: Put) -> None:
        """Count and pass on."""
        with self._counted("put", [write]):
            self._table.put(write)

    def update(self, write: Update) -> Attributes:
        """Count and pass on."""
        with self._counted("update", [write]):
            return self._table.update(write)

    def delete(self, write: Delete) -> None:
        """Count and pass on."""
        with self._counted("delete", [write]):
            self._table.delete(write)

    def transact(self, writes: Sequence[Write]) -> None:
        """Count and pass on."""
        with self._counted("transact", writes, times=2):
            self._table.transact(writes)

    @contextmanager
    def _counted(self, what: str, writes: Sequence[Write], times: int = 1) -> Generator[None]:
        """Count writes by the larger of what they find and leave, and the entries of the index that they change."""
        before = [self._table.get(key_of(write)) or {} for write in writes]
        yield
        after = [self._table.get(key_of(write)) or {} for write in writes]
        pairs = list(zip(before, after, strict=True))
        units = sum(times * max(_write_units(one), _write_units(other)) for one, other in pairs)
        index = sum(_index_units(one, other) for one, other in pairs)
        self._meter.trip(what, write_units=units, index_units=index)


class MeteredBlobs:
    """Blobs whose calls are counted."""

    def __init__(self, blobs: Blobs, meter: Meter) -> None:
        """Count the calls to these blobs."""
        self._blobs = blobs
        self._meter = meter

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        """Count and pass on."""
        self._meter.trip("blob_put")
        return self._blobs.put(tenant, data)

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        """Count and pass on."""
        self._meter.trip("blob_get")
        return self._blobs.get(tenant, digest)

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        """Count and pass on."""
        self._meter.trip("blob_delete")
        self._blobs.delete(tenant, digest)


class MeteredKeys:
    """A key ring whose calls are counted."""

    def __init__(self, keys: KeyRing, meter: Meter) -> None:
        """Count the calls to this key ring."""
        self._keys = keys
        self._meter = meter

    def generate(self, tenant: Tenant) -> WrappedKey:
        """Count and pass on."""
        self._meter.trip("key_generate")
        return self._keys.generate(tenant)

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        """Count and pass on."""
        self._meter.trip("key_unwrap")
        return self._keys.unwrap(tenant, wrapped)


def _read_units(items: Sequence[Attributes]) -> int:
    return max(1, ceil(sum(item_bytes(item) for item in items) / READ_UNIT_BYTES))


def _index_units(before: Attributes, after: Attributes) -> int:
    """Return what a change costs in the index: one unit to take an entry out, one to put one in."""
    entries = [tuple(item[name] for name in ("ipk", "isk") if name in item) for item in (before, after)]
    return sum(map(bool, entries)) if entries[0] != entries[1] else 0


def _write_units(item: Attributes) -> int:
    return max(1, ceil(item_bytes(item) / WRITE_UNIT_BYTES))
