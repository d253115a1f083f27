"""Late puts of the embedded table: they share the commit of a thread's next write, and wait no longer than told."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.embedded.database import Database
from cairn.embedded.table import SqliteTable
from cairn.ground.errors import ConditionFailed, TransactionRefused, Unavailable
from cairn.ground.table import ABSENT, Equals, Key, Put, Query
from cairn.local.store import LOCAL_TENANT, services
from cairn.tool.call import Call
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from cairn_tools.recall import recall
from cairn_tools.remember import remember

LATE = Put({"pk": "p", "sk": "late", "n": 1}, late=True)
OTHER = Put({"pk": "p", "sk": "other"}, ABSENT)
WHERE = Key("p", "late")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.db"


@pytest.fixture
def table(path: Path) -> Iterator[SqliteTable]:
    made = SqliteTable(path, busy_seconds=0.2)
    yield made
    made.close()


@pytest.fixture
def commits(table: SqliteTable) -> list[str]:
    """Return a list that every commit of the table is noted in."""
    inside: Any = table.database
    connection: sqlite3.Connection = inside._borrow()
    noted: list[str] = []
    connection.set_trace_callback(lambda statement: noted.append(statement) if statement == "COMMIT" else None)
    inside._idle.append(connection)
    return noted


def refusing(database: Database, **how: bool) -> Any:
    """Take no writes."""
    raise Unavailable(f"busy: {database}, {how}")


def stored(path: Path) -> set[str]:
    """Return what is on disk, as another process sees it."""
    other = SqliteTable(path)
    try:
        return {str(item["sk"]) for item in other.query(Query("p", "", "~")).items}
    finally:
        other.close()


def test_a_late_put_shares_the_commit_of_the_write_that_follows(
    table: SqliteTable, path: Path, commits: list[str]
) -> None:
    with table.gathering():
        table.put(LATE)
        assert commits == []
        table.transact([OTHER])
        assert stored(path) == {"late", "other"}

    assert commits == ["COMMIT"]


def test_it_is_stored_when_its_group_ends_and_outside_of_groups_at_once(table: SqliteTable, path: Path) -> None:
    with table.gathering():
        table.put(LATE)
        assert stored(path) == set()
    assert stored(path) == {"late"}

    table.put(Put({"pk": "p", "sk": "later"}, late=True))
    assert stored(path) == {"late", "later"}


def test_an_inner_group_does_not_end_before_it_is_stored(table: SqliteTable, path: Path) -> None:
    with table.gathering():
        with table.gathering():
            table.put(LATE)
        assert stored(path) == {"late"}


def test_its_thread_never_misses_it(table: SqliteTable) -> None:
    with table.gathering():
        table.put(LATE)
        assert table.get(WHERE) == LATE.item
        table.put(Put({**LATE.item, "n": 2}, late=True))
        assert [item["n"] for item in table.query(Query("p", "", "~")).items] == [2]


def test_a_refused_transaction_leaves_it_to_be_stored(table: SqliteTable, path: Path) -> None:
    table.put(OTHER)
    with table.gathering():
        table.put(LATE)
        with pytest.raises(TransactionRefused):
            table.transact([OTHER])
        assert stored(path) == {"other"}

    assert stored(path) == {"late", "other"}


def test_a_group_whose_late_put_cannot_be_stored_fails_and_leaves_nothing_behind(
    table: SqliteTable, path: Path
) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable), table.gathering():
        table.put(LATE)
    other.execute("ROLLBACK")
    other.close()

    with table.gathering():
        table.transact([OTHER])
    assert stored(path) == {"other"}


def test_a_brief_late_put_is_given_up_where_the_store_takes_no_writes_and_reads_go_on(
    table: SqliteTable, path: Path
) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with table.gathering():
        table.put(replace(LATE, brief=True))
        with pytest.raises(Unavailable):
            table.put(replace(OTHER, brief=True))
        assert table.get(WHERE) is None
        table.put(replace(LATE, brief=True))
        assert table.get(WHERE) is None, "what comes before a read is tried alone, and given up too"
        table.put(replace(LATE, brief=True))
    other.execute("ROLLBACK")
    other.close()

    with table.gathering():
        table.put(replace(LATE, brief=True))
        with suppress(ConditionFailed):
            table.put(replace(OTHER, condition=Equals("n", 1)))
    assert stored(path) == {"late"}, "a write that is refused takes none with it"


def test_another_thread_s_writes_do_not_wait_for_it(table: SqliteTable, path: Path) -> None:
    written = Event()

    def write() -> None:
        table.put(OTHER)
        written.set()

    with table.gathering():
        table.put(LATE)
        Thread(target=write).start()
        assert written.wait(5)
        assert stored(path) == {"other"}


def test_threads_that_write_take_turns_and_give_up_in_time(table: SqliteTable) -> None:
    refused: list[Unavailable] = []

    def write() -> None:
        try:
            table.put(OTHER)
        except Unavailable as error:
            refused.append(error)

    with table.database.writing():
        waiting = Thread(target=write)
        waiting.start()
        waiting.join()

    assert len(refused) == 1
    assert table.get(Key("p", "other")) is None


def test_on_one_machine_a_call_s_record_is_on_disk_with_its_first_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []
    writing = Database.writing

    def counted(database: Database, **how: bool) -> Any:
        begun.append(database)
        return writing(database, **how)

    def transactions(tool: Any, arguments: dict[str, Any]) -> int:
        begun.clear()
        tool.execute(arguments, call)
        return len(begun)

    with services(tmp_path / "data", {}) as opened:
        caller = Caller(LOCAL_TENANT, frozenset({"read", "write"}), "request", (ALL_PROJECTS,))
        call = Call(caller, opened)
        note = dict(remember.example)
        memory_after_turn.execute(EXAMPLE, call)
        remember.execute(note, call)
        monkeypatch.setattr(Database, "writing", counted)

        assert transactions(remember, {**note, "content": "Something else."}) == 1
        assert transactions(memory_after_turn, {**EXAMPLE, "turn_id": "turn-2"}) == 3


def test_on_one_machine_a_call_that_reads_stores_its_record_and_its_receipt_in_one_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[object] = []
    writing = Database.writing

    def counted(database: Database, **how: bool) -> Any:
        begun.append(database)
        return writing(database, **how)

    with services(tmp_path / "data", {}) as opened:
        call = Call(Caller(LOCAL_TENANT, frozenset({"read", "write"}), "request", (ALL_PROJECTS,)), opened)
        remember.execute(dict(remember.example), call)
        recall.execute(dict(recall.example), call)
        monkeypatch.setattr(Database, "writing", counted)

        answer = recall.execute(dict(recall.example), call)
        assert len(begun) == 1
        name = answer["receipt"].partition(".")[0]
        record = opened.receipts.record(LOCAL_TENANT, name)
        assert record is not None
        assert opened.receipts.kept(LOCAL_TENANT, record) is not None


def test_an_answer_names_no_receipt_that_is_lost_with_its_call_s_record(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with services(tmp_path / "data", {}) as opened:
        call = Call(Caller(LOCAL_TENANT, frozenset({"read", "write"}), "request", (ALL_PROJECTS,)), opened)
        recall.execute(dict(recall.example), call)
        monkeypatch.setattr(Database, "writing", refusing)

        answer = recall.execute(dict(recall.example), call)

    assert answer.get("receipt") is None
