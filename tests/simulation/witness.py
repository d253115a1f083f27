"""A table that remembers every state it had, as a digest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

from cairn.embedded.table import SqliteTable
from cairn.ground.table import Attributes, Delete, Key, Page, Put, Query, Update, Write


def state_of(table: SqliteTable) -> str:
    """Return what stands for all that a table holds."""
    with table.database.reading() as connection:
        rows = connection.execute("SELECT pk, sk, CAST(body AS BLOB) FROM items ORDER BY pk, sk").fetchall()
    return sha256(repr(rows).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class WitnessedTable:
    """The table of one machine; `states` has what it held after each write."""

    table: SqliteTable
    states: list[str] = field(default_factory=list[str])

    def get(self, key: Key) -> Attributes | None:
        return self.table.get(key)

    def query(self, query: Query) -> Page:
        return self.table.query(query)

    def put(self, write: Put) -> None:
        self.table.put(write)
        self._witness()

    def update(self, write: Update) -> Attributes:
        found = self.table.update(write)
        self._witness()
        return found

    def delete(self, write: Delete) -> None:
        self.table.delete(write)
        self._witness()

    def transact(self, writes: Sequence[Write]) -> None:
        self.table.transact(writes)
        self._witness()

    def _witness(self) -> None:
        self.states.append(state_of(self.table))
