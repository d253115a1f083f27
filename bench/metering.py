"""Adapters that count: round trips in sequence, calls and capacity units, none of which depend on the machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from cairn.ground.adapters import Adapters
from cairn.ground.ids import Digest, Tenant
from cairn.ground.jobs import Job
from cairn.ground.ports import Blobs, Jobs, KeyRing, Sandbox, Table
from cairn.ground.table import (
    IN_TRANSACTION,
    Attributes,
    Delete,
    Key,
    Page,
    Put,
    Query,
    Update,
    Write,
    index_units,
    key_of,
    read_units,
    stored_bytes,
    write_units,
)
from cairn.process.system import in_turn
from cairn.vault.data_key import DataKey as WrappedKey


class Written(NamedTuple):
    """One item that a call wrote, or tried to: where it is, its bytes, and its units."""

    call: str
    key: Key
    bytes: int
    units: int
    index_units: int


class Meter:
    """Counts what one call asks of its adapters; parallel calls make one round trip."""

    def __init__(self) -> None:
        """Start at zero."""
        self.counts: Counter[str] = Counter()
        self.sizes: Counter[str] = Counter()
        self.written: list[Written] = []
        self.rounds = 0

    def __call__(self, calls: Sequence[Callable[[], object]]) -> list[object]:
        """Run calls as if at once: the longest of their chains counts."""
        start, ends = self.rounds, [self.rounds]

        def timed(call: Callable[[], object]) -> object:
            self.rounds = start
            try:
                return call()
            finally:
                ends.append(self.rounds)
                self.rounds = max(ends)

        return in_turn([partial(timed, call) for call in calls])

    def reset(self) -> None:
        """Start at zero again."""
        self.counts.clear()
        self.sizes.clear()
        self.written.clear()
        self.rounds = 0

    def trip(self, what: str, **units: int) -> None:
        """Count one call and the units it uses."""
        self.rounds += 1
        self.counts.update({what: 1, **units})


class MeteredTable:
    """A table whose calls are counted in DynamoDB's units: consistent reads, writes, double in transactions.

    The index is read eventually, at half a unit, and counted apart. A write whose condition fails is paid for as well.
    """

    def __init__(self, table: Table, meter: Meter) -> None:
        """Count the calls to this table."""
        self._table = table
        self._meter = meter

    def get(self, key: Key) -> Attributes | None:
        """Count and pass on."""
        item = self._table.get(key)
        self._read("get", "read_units", [item] if item else [])
        return item

    def query(self, query: Query) -> Page:
        """Count and pass on."""
        page = self._table.query(query)
        self._read("query", "index_read_units" if query.index else "read_units", page.items)
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
        with self._counted("transact", writes, times=IN_TRANSACTION):
            self._table.transact(writes)

    def _read(self, what: str, units: str, items: Sequence[Attributes]) -> None:
        size = sum(map(stored_bytes, items))
        self._meter.trip(what, **{units: int(read_units(size))})
        self._meter.sizes["read"] += size

    @contextmanager
    def _counted(self, what: str, writes: Sequence[Write], times: int = 1) -> Generator[None]:
        """Count writes by the larger of what they find and leave, and the entries of the index that they change."""
        before = [self._table.get(key_of(write)) or {} for write in writes]
        try:
            yield
        finally:
            after = [self._table.get(key_of(write)) or {} for write in writes]
            written = [
                Written(
                    what,
                    key_of(write),
                    max(stored_bytes(one), stored_bytes(other)),
                    times * write_units(one, other),
                    index_units(one, other),
                )
                for write, one, other in zip(writes, before, after, strict=True)
            ]
            self._meter.written += written
            self._meter.trip(
                what,
                write_units=sum(each.units for each in written),
                index_units=sum(each.index_units for each in written),
            )
            self._meter.sizes["written"] += sum(each.bytes for each in written)


class MeteredBlobs:
    """Blobs whose calls are counted."""

    def __init__(self, blobs: Blobs, meter: Meter) -> None:
        """Count the calls to these blobs."""
        self._blobs = blobs
        self._meter = meter

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        """Count and pass on."""
        self._meter.trip("blob_put")
        self._meter.sizes["blobs_written"] += len(data)
        return self._blobs.put(tenant, data)

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        """Count and pass on."""
        data = self._blobs.get(tenant, digest)
        self._meter.trip("blob_get")
        self._meter.sizes["blobs_read"] += len(data)
        return data

    def get_part(self, tenant: Tenant, digest: Digest, start: int, length: int) -> bytes:
        """Count and pass on."""
        data = self._blobs.get_part(tenant, digest, start, length)
        self._meter.trip("blob_get")
        self._meter.sizes["blobs_read"] += len(data)
        return data

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


class MeteredJobs:
    """A queue whose calls are counted."""

    def __init__(self, jobs: Jobs, meter: Meter) -> None:
        """Count the calls to this queue."""
        self._jobs = jobs
        self._meter = meter

    def send(self, jobs: Sequence[Job]) -> None:
        """Count and pass on."""
        self._meter.trip("job_send")
        self._jobs.send(jobs)


class MeteredSandbox:
    """A sandbox whose calls are counted."""

    def __init__(self, sandbox: Sandbox, meter: Meter) -> None:
        """Count the calls to this sandbox."""
        self._sandbox = sandbox
        self._meter = meter

    def invoke(self, tool: str, arguments: Mapping[str, object], request_id: str) -> Mapping[str, object]:
        """Count and pass on."""
        self._meter.trip("invoke")
        return self._sandbox.invoke(tool, arguments, request_id)


def metered(adapters: Adapters, meter: Meter) -> Adapters:
    """Return the adapters with all its calls counted."""
    return replace(
        adapters,
        table=MeteredTable(adapters.table, meter),
        blobs=MeteredBlobs(adapters.blobs, meter),
        keys=MeteredKeys(adapters.keys, meter),
        jobs=MeteredJobs(adapters.jobs, meter),
        parallel=meter,
    )
