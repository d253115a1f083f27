"""A sorted map on disk, so that a bundle of any size is gone through in the same memory."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator


class SpilledMap:
    """Bytes under bytes, in a file without a name that goes with the map; SQLite keeps 2 MB of it in memory."""

    def __init__(self) -> None:
        """Hold nothing yet."""
        self._database = sqlite3.connect("", isolation_level=None)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("CREATE TABLE held (key BLOB PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID")
        self._database.execute("BEGIN")

    def add(self, key: bytes, value: bytes) -> bool:
        """Keep a value, and tell whether there was none under its key; else that one stays."""
        return self._database.execute("INSERT OR IGNORE INTO held VALUES (?, ?)", (key, value)).rowcount == 1

    def get(self, key: bytes) -> bytes | None:
        """Return the value, None if there is none."""
        row = self._database.execute("SELECT value FROM held WHERE key = ?", (key,)).fetchone()
        return None if row is None else row[0]

    def begun_with(self, prefix: bytes) -> list[bytes]:
        """Return the keys that begin so and go on, in their order."""
        found = self._database.execute("SELECT key FROM held WHERE key > ? AND key < ?", (prefix, prefix + b"\xff"))
        return [row[0] for row in found]

    def __contains__(self, key: bytes) -> bool:
        """Tell whether there is a value."""
        return self.get(key) is not None

    def __len__(self) -> int:
        """Return how many there are."""
        return self._database.execute("SELECT COUNT(*) FROM held").fetchone()[0]

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        """Yield all, by their keys."""
        yield from self._database.execute("SELECT key, value FROM held ORDER BY key")
