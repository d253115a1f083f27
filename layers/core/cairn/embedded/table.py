"""The table of items in SQLite, from Python's standard library."""

from __future__ import annotations

import base64
import json
import sqlite3
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, cast

from cairn.embedded.database import Database
from cairn.embedded.semantics import applied, permits
from cairn.ground.adapters import NoMeter
from cairn.ground.errors import ConditionFailed, CorruptData, Refusal, TransactionRefused, Unavailable
from cairn.ground.table import (
    DAMAGED,
    IN_TRANSACTION,
    MAX_PAGE_BYTES,
    REQUEST_MARK_BYTES,
    Attributes,
    Delete,
    Key,
    Page,
    Put,
    Query,
    Scalar,
    Update,
    Write,
    changed_units,
    check_writes,
    item_bytes,
    key_of,
    read_units,
    refused_units,
    stored_bytes,
    tenant_of,
)

if TYPE_CHECKING:
    from cairn.ground.ports import Meter

# SQLite compares text as its UTF-8 bytes, which is the order that the port asks for.
_SCHEMA = """
CREATE TABLE IF NOT EXISTS items (
    pk TEXT NOT NULL, sk TEXT NOT NULL, ipk TEXT, isk TEXT, expires_at INTEGER, body TEXT NOT NULL
);
CREATE UNIQUE INDEX IF NOT EXISTS by_key ON items (pk, sk);
CREATE INDEX IF NOT EXISTS sparse ON items (ipk, isk, pk, sk) WHERE ipk IS NOT NULL AND isk IS NOT NULL;
CREATE INDEX IF NOT EXISTS by_expiry ON items (expires_at) WHERE expires_at IS NOT NULL
"""
# A body is read as bytes: text that is no UTF-8 any more would fail the whole page.
_ITEM = "pk, sk, CAST(body AS BLOB)"
_RANGE = f"SELECT {_ITEM} FROM items WHERE pk = :pk AND sk BETWEEN :low AND :high AND sk <> :sk ORDER BY sk"  # noqa: S608  constants
_GET = f"SELECT {_ITEM} FROM items WHERE pk = ? AND sk = ?"  # noqa: S608  constants
_ITEMS_UP, _ITEMS_DOWN = _RANGE, f"{_RANGE} DESC"
# Row values compare from left to right, as the index is sorted: the page goes on behind its last row.
_INDEX_UP = """SELECT pk, sk, ipk, isk FROM items WHERE ipk = :pk AND isk BETWEEN :low AND :high
    AND (isk, pk, sk) > (:edge, :start_pk, :sk) ORDER BY isk, pk, sk"""
_INDEX_DOWN = """SELECT pk, sk, ipk, isk FROM items WHERE ipk = :pk AND isk BETWEEN :low AND :high
    AND (isk, pk, sk) < (:edge, :start_pk, :sk) ORDER BY isk DESC, pk DESC, sk DESC"""
_AFTER_ALL_TEXT = b""  # SQLite sorts every blob after every text
_SWEEP = """DELETE FROM items WHERE rowid IN
    (SELECT rowid FROM items WHERE expires_at <= :now LIMIT :batch)"""
# Larger batches sweep faster and keep writers waiting longer; the same for a page of _OWNED and its memory.
_SWEEP_BATCH = 500
_OWNED = f"SELECT {_ITEM} FROM items WHERE (pk, sk) > (:pk, :sk) AND pk <= :end ORDER BY pk, sk LIMIT :batch"  # noqa: S608  constants
_OWNED_BATCH = 100
_NEXT_PARTITION = "SELECT pk FROM items WHERE pk > ? ORDER BY pk LIMIT 1"
# SQLite's integers have 64 bits with a sign.
_LARGEST_INTEGER = 2**63 - 1


class _Late(local):
    """The late puts of a thread that are not stored yet, and within how many groups of calls it is."""

    def __init__(self) -> None:
        self.puts: list[Put] = []
        self.depth = 0


class SqliteTable:
    """Keeps items in one SQLite file, shared safely by threads and processes; a write that returned is on disk.

    What calls use is counted as DynamoDB would: a write whose condition fails is paid for as well.
    """

    def __init__(self, path: Path, *, busy_seconds: float = 5.0, meter: Meter | None = None) -> None:
        """Open the file, made if absent; a writer waits this long for others, then raises Unavailable."""
        self.database = Database(path, _SCHEMA, busy_seconds)
        self._late = _Late()
        self._meter = meter or NoMeter()

    def close(self) -> None:
        """Close the connections; the table opens new ones if it is used again."""
        self.database.close()

    @contextmanager
    def gathering(self) -> Generator[None]:
        """Let late puts of this thread wait for its next transaction; at the latest they are stored with the block.

        Where the store takes no writes then, those that are brief are given up.
        """
        self._late.depth += 1
        try:
            yield
        finally:
            self._late.depth -= 1
            try:
                self._settle()
            finally:
                self._late.puts.clear()

    def get(self, key: Key) -> Attributes | None:
        """Return the item, None if there is none."""
        self._settle()
        with self.database.reading() as connection:
            item = _stored(connection, key)
        self._meter.used(tenant_of(key.pk), read_units=read_units(stored_bytes(item)))
        return item

    def query(self, query: Query) -> Page:
        """Return one page of a key range, in UTF-8 byte order of the sort key."""
        self._settle()
        with self.database.reading() as connection:
            page, size = _queried(connection, query)
        self._meter.used(tenant_of(query.pk), read_units=read_units(size, index=query.index))
        return page

    def put(self, write: Put) -> None:
        """Write the item; ConditionFailed if its condition does not hold, ValueError over 400 KB."""
        if write.late and self._late.depth:
            check_writes([write])
            self._late.puts.append(write)
            self._count(write, changed_units(None, write.item))
        else:
            self._write(write, brief=write.brief)

    def update(self, write: Update) -> Attributes:
        """Change the item and return it whole as it is afterwards; ConditionFailed and ValueError as for put."""
        return self._write(write)

    def delete(self, write: Delete) -> None:
        """Remove the item; ConditionFailed if one is there and its condition does not hold."""
        self._write(write)

    def transact(self, writes: Sequence[Write]) -> None:
        """Apply 1 to 100 writes to distinct items, all or none; TransactionRefused with a reason each."""
        check_writes(writes)
        with self._writing(brief=any(isinstance(write, Put) and write.brief for write in writes)) as connection:
            items = [_stored(connection, key_of(write)) for write in writes]
            for write, item in zip(writes, items, strict=True):
                _sound(write, item)
            reasons = [_refusal(write, item) for write, item in zip(writes, items, strict=True)]
            if any(reasons):
                self._count(writes[0], sum(map(partial(refused_units, times=IN_TRANSACTION), writes, items)))
                raise TransactionRefused(reasons)
            left = [_apply(connection, write, item) for write, item in zip(writes, items, strict=True)]
        self._count(writes[0], sum(map(partial(changed_units, times=IN_TRANSACTION), items, left)))

    def owned(self, prefix: str, after: Key | None = None) -> list[Attributes]:
        """Return the next items, by key, whose partition begins with the prefix; none at the end."""
        with self.database.reading() as connection:
            return _owned(connection, prefix, after)

    @contextmanager
    def snapshot(self) -> Generator[TableSnapshot]:
        """Lend reads of the table as it is now, whatever is written meanwhile."""
        self._settle()
        with self.database.snapshot() as connection:
            yield TableSnapshot(connection)

    def owners(self) -> Iterator[str]:
        """Yield what stands before the `#` of partitions, each once; a look at the index for each, whatever it owns."""

        def next_partition(after: str) -> str | None:
            with self.database.reading() as connection:
                return _next_partition(connection, after)

        return _owners(next_partition)

    def sweep(self, now: datetime) -> int:
        """Delete the items that have expired and return how many; other writers get in between the batches."""
        swept = 0
        while True:
            with self.database.writing() as connection:
                count = connection.execute(_SWEEP, {"now": int(now.timestamp()), "batch": _SWEEP_BATCH}).rowcount
            swept += count
            if count < _SWEEP_BATCH:
                return swept

    @contextmanager
    def _writing(self, *, brief: bool = False) -> Generator[sqlite3.Connection]:
        """Lend a connection inside a transaction that stores this thread's late puts as well."""
        try:
            with self.database.writing(brief=brief) as connection:
                for put in self._late.puts:
                    _apply(connection, put, None)
                yield connection
        except Unavailable:
            self._late.puts = [put for put in self._late.puts if not put.brief]
            raise
        self._late.puts.clear()

    def _settle(self) -> None:
        if self._late.puts:
            brief = all(put.brief for put in self._late.puts)
            with suppress(*(Unavailable,) * brief), self._writing(brief=brief):
                pass

    def _write(self, write: Write, *, brief: bool = False) -> Attributes:
        """Apply a single write and return the item as it is afterwards, empty if it is gone."""
        check_writes([write])
        with self._writing(brief=brief) as connection:
            item = _stored(connection, key_of(write))
            _sound(write, item)
            if not permits(write, item):
                self._count(write, refused_units(write, item))
                raise ConditionFailed(item)
            new = _apply(connection, write, item)
        self._count(write, changed_units(item, new))
        return new or {}

    def _count(self, write: Write, units: int) -> None:
        self._meter.used(tenant_of(key_of(write).pk), write_units=units)


class TableSnapshot:
    """Reads one state of the table, as long as its connection's transaction lasts."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read by this connection, which is in a transaction."""
        self._connection = connection

    def get(self, key: Key) -> Attributes | None:
        """Return the item, None if there is none."""
        return _stored(self._connection, key)

    def query(self, query: Query) -> Page:
        """Return one page of a key range, as SqliteTable.query() does."""
        return _queried(self._connection, query)[0]

    def owned(self, prefix: str, after: Key | None = None) -> list[Attributes]:
        """Return the next items of a prefix, as SqliteTable.owned() does."""
        return _owned(self._connection, prefix, after)

    def owners(self) -> Iterator[str]:
        """Yield what stands before the `#` of partitions, as SqliteTable.owners() does."""
        return _owners(partial(_next_partition, self._connection))

    def copy(self, file: Path) -> None:
        """Write this state of the whole database into a new file."""
        with closing(sqlite3.connect(file)) as target:
            self._connection.backup(target)


def _owners(next_partition: Callable[[str], str | None]) -> Iterator[str]:
    partition = next_partition("")
    while partition is not None:
        owner = partition.partition("#")[0]
        yield owner
        partition = next_partition(f"{owner}#\U0010ffff")


def _next_partition(connection: sqlite3.Connection, after: str) -> str | None:
    row = connection.execute(_NEXT_PARTITION, (after,)).fetchone()
    return None if row is None else row[0]


def _refusal(write: Write, item: Attributes | None) -> Refusal | None:
    if not permits(write, item):
        return Refusal("condition", item)
    try:
        applied(write, item)
    except ValueError:
        return Refusal("other")
    return None


def _apply(connection: sqlite3.Connection, write: Write, item: Attributes | None) -> Attributes | None:
    new = applied(write, item)
    key = key_of(write)
    if new is None:
        connection.execute("DELETE FROM items WHERE pk = ? AND sk = ?", (key.pk, key.sk))
    elif new is not item:
        # A mere check leaves the item as it is, and needs no write.
        connection.execute(
            # No REPLACE: that deletes and inserts, which moves the row and writes all indexes.
            """INSERT INTO items (pk, sk, ipk, isk, expires_at, body) VALUES (?, ?, ?, ?, ?, ?)
            ON CONFLICT (pk, sk) DO UPDATE
            SET ipk = excluded.ipk, isk = excluded.isk, expires_at = excluded.expires_at, body = excluded.body""",
            (key.pk, key.sk, new.get("ipk"), new.get("isk"), _expiry(new), _encoded(new)),
        )
    if isinstance(write, Put) and write.beside is not None:
        _apply(connection, Put(write.beside), None)
    return new


def _stored(connection: sqlite3.Connection, key: Key) -> Attributes | None:
    row = connection.execute(_GET, (key.pk, key.sk)).fetchone()
    return None if row is None else _decoded(*row)


def _queried(connection: sqlite3.Connection, query: Query) -> tuple[Page, int]:
    if query.limit is not None and query.limit < 1:
        raise ValueError("a page has a limit of at least 1")
    return _index_page(connection, query) if query.index else _item_page(connection, query)


def _owned(connection: sqlite3.Connection, prefix: str, after: Key | None) -> list[Attributes]:
    place = after or Key(prefix, "")
    # U+10FFFF sorts behind every character that a key may go on with.
    bounds = {"pk": place.pk, "sk": place.sk, "end": prefix + "\U0010ffff", "batch": _OWNED_BATCH}
    return [_decoded(*row) for row in connection.execute(_OWNED, bounds)]


def _item_page(connection: sqlite3.Connection, query: Query) -> tuple[Page, int]:
    start = (query.start or {}).get("sk", "")
    statement = _ITEMS_DOWN if query.descending else _ITEMS_UP
    with closing(connection.execute(statement, {**_range(query, start), "sk": start})) as rows:
        return _page((_decoded(*row) for row in rows), query.limit, ("pk", "sk"))


def _index_page(connection: sqlite3.Connection, query: Query) -> tuple[Page, int]:
    beyond = _AFTER_ALL_TEXT if query.descending else ""
    start = query.start or {}
    bounds = _range(query, start.get("isk", ""))
    place = {name: start.get(key, beyond) for name, key in (("edge", "isk"), ("start_pk", "pk"), ("sk", "sk"))}
    names = ("pk", "sk", "ipk", "isk")
    with closing(connection.execute(_INDEX_DOWN if query.descending else _INDEX_UP, {**bounds, **place})) as rows:
        return _page((dict(zip(names, row, strict=True)) for row in rows), query.limit, names)


def _range(query: Query, start: str) -> dict[str, str]:
    """Return the range that is left after a page, so that SQLite seeks to it instead of stepping there."""
    low, high = query.low, query.high
    if start and query.descending:
        high = min(high, start)
    elif start:
        low = max(low, start)
    return {"pk": query.pk, "low": low, "high": high}


def _page(items: Iterable[Attributes], limit: int | None, key_names: tuple[str, ...]) -> tuple[Page, int]:
    """Return as many of the items as a page takes, and how many bytes they count."""
    taken: list[Attributes] = []
    size = 0
    for item in items:
        larger = size + item_bytes(item)
        # One item is always returned, however large, or a page would never end. As in DynamoDB, which counts 1 MB a
        # page.
        if taken and (len(taken) == limit or larger > MAX_PAGE_BYTES):
            after = {name: str(taken[-1][name]) for name in key_names}
            return Page(tuple(taken), after), size + REQUEST_MARK_BYTES * len(taken)
        taken.append(item)
        size = larger
    return Page(tuple(taken)), size + REQUEST_MARK_BYTES * len(taken)


def _expiry(item: Attributes) -> int | None:
    moment = item.get("expires_at")
    # What DynamoDB's TTL would pass over is not swept here either.
    if not isinstance(moment, int) or isinstance(moment, bool) or not 0 <= moment <= _LARGEST_INTEGER:
        return None
    return moment


def _encoded(item: Attributes) -> str:
    """Return an item as JSON; bytes are {"b": base64}, which no other value looks like."""
    values = {
        name: {"b": base64.b64encode(value).decode()} if isinstance(value, bytes) else value
        for name, value in item.items()
    }
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _decoded(pk: str, sk: str, body: bytes | None) -> dict[str, Scalar]:
    """Return an item with the key that it is found under: a row that was moved is not what was sealed or signed."""
    try:
        values: dict[str, object] = {**json.loads(body or b""), "pk": pk, "sk": sk}
        return {name: _scalar(value) for name, value in values.items()}
    except (ValueError, TypeError, LookupError):
        return {"pk": pk, "sk": sk, DAMAGED: body or b""}


def _scalar(value: object) -> Scalar:
    if isinstance(value, str | int):
        return value
    return base64.b64decode(cast("dict[str, str]", value)["b"], validate=True)


def _sound(write: Write, item: Attributes | None) -> None:
    """Raise CorruptData where a write would build on a row that cannot be decoded, and not just take its place."""
    if item is not None and DAMAGED in item and not (isinstance(write, Put | Delete) and write.condition is None):
        raise CorruptData("a stored item cannot be read at all")
