"""Worlds in memory, as many as a test wants: the embedded store's rules without its disk."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import pytest

from builders import RecordingJobs
from cairn.domain.errors import ConditionFailed, NotFound, Refusal, TransactionRefused
from cairn.domain.ids import Digest, Tenant
from cairn.domain.table import Attributes, Delete, Key, Page, Put, Query, Update, Write, check_writes, key_of
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.semantics import applied, permits
from cairn.runtime.system import in_turn
from cairn.service.world import World


class MemoryTable:
    """Items in a dict; one write at a time."""

    def __init__(self) -> None:
        self.items: dict[Key, Attributes] = {}
        self._lock = threading.Lock()

    def get(self, key: Key) -> Attributes | None:
        return self.items.get(key)

    def query(self, query: Query) -> Page:
        partition, sort = ("ipk", "isk") if query.index else ("pk", "sk")
        keys = ("pk", "sk", "ipk", "isk")

        def place(item: Attributes) -> tuple[str, ...]:
            return str(item[sort]), str(item["pk"]), str(item["sk"])

        held = [item for item in list(self.items.values()) if item.get(partition) == query.pk and sort in item]
        ordered = sorted((item for item in held if query.low <= str(item[sort]) <= query.high), key=place)
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
            held = [self.items.get(key_of(write)) for write in writes]
            pairs = list(zip(writes, held, strict=True))
            reasons = [None if permits(write, item) else Refusal("condition", item) for write, item in pairs]
            if any(reasons):
                raise TransactionRefused(reasons)
            for write, item in pairs:
                self._apply(write, item)

    def _write(self, write: Write) -> Attributes | None:
        check_writes([write])
        with self._lock:
            item = self.items.get(key_of(write))
            if not permits(write, item):
                raise ConditionFailed(item)
            return self._apply(write, item)

    def _apply(self, write: Write, item: Attributes | None) -> Attributes | None:
        new = applied(write, item)
        if new is None:
            self.items.pop(key_of(write), None)
        else:
            self.items[key_of(write)] = new
        return new


class MemoryBlobs:
    """Bytes in a dict."""

    def __init__(self) -> None:
        self.blobs: dict[tuple[Tenant, str], bytes] = {}

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        digest = sha256(data).hexdigest()
        self.blobs[tenant, digest] = data
        return Digest(digest)

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        if (tenant, digest) not in self.blobs:
            raise NotFound("no such blob")
        return self.blobs[tenant, digest]

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        self.blobs.pop((tenant, digest), None)


@pytest.fixture
def world_in_memory(clock: Any, entropy: Any) -> Callable[[], World]:
    """Return a function that makes an empty world in memory; all of them share the test's clock."""
    return lambda: World(
        MemoryTable(), MemoryBlobs(), LocalKeyRing(bytes(32)), clock, entropy, in_turn, RecordingJobs()
    )
