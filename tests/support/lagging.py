"""A table whose index lags: what a query of it sees is some time old; everything else is as in the table behind."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime, timedelta

from cairn.ground.adapters import Adapters
from cairn.ground.ports import Clock, Table
from cairn.ground.table import Attributes, Delete, Key, Page, Put, Query, Update, Write, key_of
from support.memory_store import MemoryTable

KEYS = ("pk", "sk", "ipk", "isk")


class LaggingTable:
    """A table of one process whose index learns of each write that goes through it when `lag` is over."""

    def __init__(self, table: Table, clock: Clock, lag: timedelta) -> None:
        self.lag = lag
        self._table = table
        self._clock = clock
        self._index = MemoryTable()
        self._coming: deque[tuple[datetime, Put | Delete]] = deque()

    def get(self, key: Key) -> Attributes | None:
        return self._table.get(key)

    def query(self, query: Query) -> Page:
        if not query.index:
            return self._table.query(query)
        while self._coming and self._coming[0][0] + self.lag <= self._clock.now():
            self._index.transact([self._coming.popleft()[1]])
        return self._index.query(query)

    def put(self, write: Put) -> None:
        with self._told([write]):
            self._table.put(write)

    def update(self, write: Update) -> Attributes:
        with self._told([write]):
            return self._table.update(write)

    def delete(self, write: Delete) -> None:
        with self._told([write]):
            self._table.delete(write)

    def transact(self, writes: Sequence[Write]) -> None:
        with self._told(writes):
            self._table.transact(writes)

    @contextmanager
    def _told(self, writes: Sequence[Write]) -> Generator[None]:
        """Have the index learn of the items that are written, as they are afterwards."""
        yield
        for key in map(key_of, writes):
            item = self._table.get(key) or {}
            listed = Put({name: item[name] for name in KEYS}) if {"ipk", "isk"} <= item.keys() else Delete(key)
            self._coming.append((self._clock.now(), listed))


def lagging(adapters: Adapters, lag: timedelta) -> Adapters:
    """Return the adapters with an index that lags, as those of all processes over this store."""
    return replace(adapters, table=LaggingTable(adapters.table, adapters.clock, lag))
