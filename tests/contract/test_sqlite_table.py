"""What only the embedded table promises."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cairn.embedded.table import SqliteTable
from cairn.ground.errors import ConditionFailed, CorruptData, Refusal, TransactionRefused, Unavailable
from cairn.ground.table import ABSENT, MAX_ITEM_BYTES, Key, Put, Query, Scalar, Update

KEY = Key("p", "s")
NOW = datetime(2026, 3, 1, tzinfo=UTC)
EPOCH = int(NOW.timestamp())
AT_ONCE, NEW_FILES = 4, 100


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "memory.sqlite"


@pytest.fixture
def table(make_sqlite_table: Callable[[], SqliteTable]) -> SqliteTable:
    return make_sqlite_table()


def test_what_was_written_is_there_when_the_file_is_opened_again(path: Path) -> None:
    item: dict[str, Scalar] = {"pk": "p", "sk": "s", "b": b"\x00", "t": True, "n": 2**70}
    first = SqliteTable(path)
    first.put(Put(item))
    first.close()
    second = SqliteTable(path)
    assert second.get(KEY) == item
    second.close()


@pytest.mark.req("R309")
def test_what_stands_beside_a_put_is_written_with_it_or_neither_is(table: SqliteTable) -> None:
    item: dict[str, Scalar] = {"pk": "p", "sk": "record", "v": 1}
    count: dict[str, Scalar] = {"pk": "p", "sk": "count", "v": 1}
    table.put(Put(item, beside=count))
    assert (table.get(Key("p", "record")), table.get(Key("p", "count"))) == (item, count)

    with pytest.raises(TransactionRefused):
        table.transact([Put({**item, "v": 2}, beside={**count, "v": 2}), Put({"pk": "p", "sk": "count"}, ABSENT)])

    assert (table.get(Key("p", "record")), table.get(Key("p", "count"))) == (item, count)


def test_two_tables_on_one_file_see_each_others_writes_at_once(path: Path) -> None:
    one, two = SqliteTable(path), SqliteTable(path)
    one.put(Put({"pk": "p", "sk": "s"}, ABSENT))
    with pytest.raises(ConditionFailed):
        two.put(Put({"pk": "p", "sk": "s"}, ABSENT))
    one.close()
    two.close()


def test_several_that_open_a_new_file_at_once_all_open_it(tmp_path: Path) -> None:
    def opened(number: int) -> None:
        SqliteTable(tmp_path / f"{number // AT_ONCE}.sqlite").close()

    with ThreadPoolExecutor(AT_ONCE) as threads:
        assert len(list(threads.map(opened, range(NEW_FILES * AT_ONCE)))) == NEW_FILES * AT_ONCE


def test_a_commit_is_forced_to_disk(table: SqliteTable) -> None:
    with table.database.reading() as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)


def test_there_are_no_more_connections_than_threads_at_work(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[sqlite3.Connection] = []
    connect = sqlite3.connect

    def counted(*args: Any, **kwargs: Any) -> sqlite3.Connection:
        opened.append(connect(*args, **kwargs))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", counted)
    table = SqliteTable(path)
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(table.get, [KEY] * 100))
    table.close()
    assert 1 <= len(opened) <= 5
    with pytest.raises(sqlite3.ProgrammingError, match="closed"):
        opened[0].execute("SELECT 1")


def test_a_writer_that_waits_too_long_for_another_is_told_unavailable_and_a_reader_does_not_wait(path: Path) -> None:
    table = SqliteTable(path, busy_seconds=0.01)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable) as refused:
        table.put(Put({"pk": "p", "sk": "s"}))
    assert refused.value.retryable
    assert table.get(KEY) is None
    other.execute("ROLLBACK")
    table.put(Put({"pk": "p", "sk": "s"}))
    other.close()
    table.close()


def test_a_full_disk_is_unavailable_and_leaves_what_was_there(table: SqliteTable) -> None:
    table.put(Put({"pk": "p", "sk": "s", "v": "kept"}))
    with table.database.reading() as connection:
        connection.execute("PRAGMA max_page_count = 1")
    big = Put({"pk": "p", "sk": "big", "v": "x" * 300_000})
    with pytest.raises(Unavailable):
        table.put(big)
    with pytest.raises(Unavailable):
        table.transact([Put({"pk": "p", "sk": "s", "v": "torn"}), big])
    assert table.get(KEY) == {"pk": "p", "sk": "s", "v": "kept"}
    assert table.get(Key("p", "big")) is None


def test_a_file_that_is_no_database_is_corrupt(path: Path) -> None:
    path.write_bytes(b"something else " * 1000)
    with pytest.raises(CorruptData):
        SqliteTable(path)


def test_a_file_that_cannot_be_made_is_unavailable(path: Path) -> None:
    with pytest.raises(Unavailable):
        SqliteTable(path / "below" / "nothing")


def test_an_update_in_a_transaction_that_grows_over_400_kb_is_refused_for_another_reason(table: SqliteTable) -> None:
    table.put(Put({"pk": "p", "sk": "s", "v": "x" * (MAX_ITEM_BYTES - 10)}))
    with pytest.raises(TransactionRefused) as refused:
        table.transact([Put({"pk": "p", "sk": "t"}), Update(KEY, set={"w": "y" * 10})])
    first, second = refused.value.reasons
    assert first is None
    assert isinstance(second, Refusal)
    assert second.code == "other"
    assert table.get(Key("p", "t")) is None


def test_a_sum_of_more_than_38_digits_is_refused_as_dynamodb_does_and_moto_does_not(table: SqliteTable) -> None:
    table.put(Put({"pk": "p", "sk": "s", "n": 10**38 - 1}))
    with pytest.raises(ValueError, match="38 digits"):
        table.update(Update(KEY, add={"n": 1}))
    assert table.get(KEY) == {"pk": "p", "sk": "s", "n": 10**38 - 1}


@pytest.mark.req("R250")
def test_a_sweep_removes_what_has_expired_and_nothing_else(table: SqliteTable) -> None:
    moments: list[Scalar] = [EPOCH - 1, EPOCH, EPOCH + 1, 10**30, True, "5", -1]
    for number, moment in enumerate(moments):
        table.put(Put({"pk": "p", "sk": str(number), "ipk": "i", "isk": str(number), "expires_at": moment}))
    table.put(Put({"pk": "p", "sk": "never"}))
    assert table.sweep(NOW) == 2
    left = ["2", "3", "4", "5", "6", "never"]
    assert [item["sk"] for item in table.query(Query("p", "0", "z")).items] == left
    assert [item["sk"] for item in table.query(Query("i", "0", "z", index=True)).items] == left[:-1]
    assert table.sweep(NOW) == 0
    assert table.sweep(NOW + timedelta(seconds=1)) == 1


def test_an_expiry_that_moves_or_goes_is_heeded(table: SqliteTable) -> None:
    table.put(Put({"pk": "p", "sk": "s", "expires_at": EPOCH}))
    table.update(Update(KEY, set={"expires_at": EPOCH + 60}))
    assert table.sweep(NOW) == 0
    table.update(Update(KEY, remove=("expires_at",)))
    assert table.sweep(NOW + timedelta(days=400)) == 0
    assert table.get(KEY) == {"pk": "p", "sk": "s"}


def test_a_sweep_of_more_than_one_batch_removes_all(table: SqliteTable) -> None:
    for batch in range(11):
        table.transact([Put({"pk": "p", "sk": f"{batch}-{n}", "expires_at": 1}) for n in range(100)])
    assert table.sweep(NOW) == 1100


@pytest.mark.parametrize("descending", [False, True])
def test_a_page_deep_in_a_partition_is_sought_and_not_stepped_to(table: SqliteTable, *, descending: bool) -> None:
    for batch in range(20):
        table.transact([Put({"pk": "p", "sk": f"{batch:02}{n:02}", "ipk": "i", "isk": f"{n}"}) for n in range(100)])
    steps = [0]

    def count() -> None:
        steps[0] += 1

    def work(query: Query) -> int:
        steps[0] = 0
        with table.database.reading() as connection:
            connection.set_progress_handler(count, 1)
        page = table.query(query)
        with table.database.reading() as connection:
            connection.set_progress_handler(None, 1)
        assert len(page.items) == 5
        return steps[0]

    first = work(Query("p", "00", "99", descending=descending, limit=5))
    deep = work(Query("p", "00", "99", descending=descending, limit=5, start={"pk": "p", "sk": "1000"}))
    assert deep <= first * 2
    assert work(Query("i", "0", "99", descending=descending, limit=5, index=True)) <= first * 2


def test_a_row_that_was_moved_by_other_means_is_known_by_where_it_is(path: Path) -> None:
    table = SqliteTable(path)
    table.put(Put({"pk": "p", "sk": "s", "n": 1}))
    with sqlite3.connect(path) as other:
        other.execute("UPDATE items SET pk = 'q', sk = 't'")

    moved = {"pk": "q", "sk": "t", "n": 1}
    assert table.get(Key("q", "t")) == moved
    assert list(table.query(Query("q", "a", "z")).items) == [moved]
    table.close()
