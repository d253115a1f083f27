"""A store that goes wrong at one of its calls, as a process meets it: refused, unanswered, or the process's last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import Attributes, Delete, Key, Page, Put, Query, Update, Write


class Stopped(BaseException):
    """The process was killed."""


class FaultyStore:
    """A table and blobs of one process whose call number `at` goes wrong as `fault` says."""

    def __init__(self, adapters: Adapters, at: int, fault: Callable[[Callable[[], object]], object]) -> None:
        self._adapters = adapters
        self._at = at
        self._fault = fault
        self._killed = False
        self.calls = 0

    def get(self, key: Key) -> Attributes | None:
        return self.make(partial(self._adapters.table.get, key))

    def query(self, query: Query) -> Page:
        return self.make(partial(self._adapters.table.query, query))

    def update(self, write: Update) -> Attributes:
        return self.make(partial(self._adapters.table.update, write))

    def delete(self, write: Delete) -> None:
        return self.make(partial(self._adapters.table.delete, write))

    def transact(self, writes: Sequence[Write]) -> None:
        return self.make(partial(self._adapters.table.transact, writes))

    def put(self, write: Put) -> None:
        return self.make(partial(self._adapters.table.put, write))

    def make(self, call: Callable[[], Any]) -> Any:
        """Make a call, or have it go wrong; a process that was killed makes none any more."""
        self.calls += 1
        if self._killed:
            raise Stopped
        try:
            return self._fault(call) if self.calls == self._at else call()
        except Stopped:
            self._killed = True
            raise


class FaultyBlobs:
    """The blobs of a process, which count as calls of its store."""

    def __init__(self, adapters: Adapters, store: FaultyStore) -> None:
        self._blobs = adapters.blobs
        self._store = store

    def put(self, tenant: Tenant, data: bytes) -> Digest:
        return self._store.make(partial(self._blobs.put, tenant, data))

    def get(self, tenant: Tenant, digest: Digest) -> bytes:
        return self._store.make(partial(self._blobs.get, tenant, digest))

    def get_part(self, tenant: Tenant, digest: Digest, start: int, length: int) -> bytes:
        return self._store.make(partial(self._blobs.get_part, tenant, digest, start, length))

    def delete(self, tenant: Tenant, digest: Digest) -> None:
        return self._store.make(partial(self._blobs.delete, tenant, digest))


def killed_before(_: Callable[[], object]) -> object:
    raise Stopped


def killed_after(call: Callable[[], object]) -> object:
    call()
    raise Stopped


def refused(_: Callable[[], object]) -> object:
    raise Unavailable("throttled")


def unacknowledged(call: Callable[[], object]) -> object:
    call()
    raise Unavailable("no answer")


FAULTS = (killed_before, killed_after, refused, unacknowledged)
