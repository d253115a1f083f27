"""The memory log's view: whole, in order, and cheap to bring up to date."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Refusal, TransactionRefused
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.table import Page, Query, Write
from cairn.log import log as memory_log
from cairn.log.entries import LogEntry, TurnEntry
from cairn.log.layout import log_pk
from cairn.log.log import MemoryLog
from cairn.vault.vault import Vault

TENANT, PROJECT, SESSION = Tenant("acme"), Project("garden"), SessionId("monday")


@dataclass
class CountingTable:
    table: Any
    queries: int = 0
    items: int = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.table, name)

    def query(self, query: Query) -> Page:
        page = self.table.query(query)
        self.queries += 1
        self.items += len(page.items)
        return page


class Log:
    """One process's memory log, with the seqs it shows."""

    def __init__(self, adapters: Adapters, owner: str = "u:ada") -> None:
        self.log = MemoryLog(adapters, Vault(adapters))
        self.adapters = adapters
        self.owner = owner

    def append(self, seq: int, at: datetime | None = None) -> None:
        self.adapters.table.put(self.prepared(seq, at))

    def prepared(self, seq: int, at: datetime | None = None) -> Any:
        entry = TurnEntry(turn_id=TurnId(f"t{seq}"), seq=seq, events=1, texts=((f"e{seq}", "user", f"text {seq}"),))
        written = LogEntry(session_id=SESSION, at=at or self.adapters.clock.now(), turn=entry)
        return self.log.append(TENANT, PROJECT, self.owner, written)

    def ordered(self, seq: int) -> list[Write]:
        append = self.prepared(seq)
        return [append, *self.log.in_order(append)]

    def shown(self, *, fresh: bool = True) -> list[int]:
        if fresh:
            self.log.refresh(TENANT, PROJECT, self.owner)
        with self.log.view(TENANT, PROJECT, self.owner) as view:
            return [turn.seq for turn in view.turns(SESSION)]


@pytest.fixture
def new_log(adapters: Adapters) -> Callable[[], Log]:
    return lambda: Log(adapters)


@pytest.fixture
def counting(adapters: Adapters) -> CountingTable:
    return CountingTable(adapters.table)


@pytest.mark.req("R036")
def test_a_view_shows_what_another_process_appended(new_log: Callable[[], Log], clock: Any) -> None:
    writer, reader = new_log(), new_log()
    for seq in range(1, 5):
        writer.append(seq)
        clock.advance(seconds=1)
        assert reader.shown() == list(range(1, seq + 1))


def test_a_view_that_was_never_read_is_read_before_it_is_shown(new_log: Callable[[], Log]) -> None:
    new_log().append(1)
    assert new_log().shown(fresh=False) == [1]


def test_logs_take_no_more_memory_than_there_is_and_those_forgotten_are_read_again(
    adapters: Adapters, counting: CountingTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_log, "MAX_BYTES", 100_000)
    reader = MemoryLog(replace(adapters, table=counting), Vault(adapters))
    owners = [f"u:{number}" for number in range(30)]
    for owner in owners:
        Log(adapters, owner).append(1)
        reader.refresh(TENANT, PROJECT, owner)

    def queries(owner: str) -> int:
        before = counting.queries
        with reader.view(TENANT, PROJECT, owner) as view:
            assert view.last_seq(SESSION) == 1
        return counting.queries - before

    assert [queries(owner) for owner in reversed(owners[-5:])] == [0] * 5
    assert [queries(owner) for owner in owners[:5]] == [1] * 5
    inside: Any = reader
    assert 0 < inside._slots.weight <= 100_000


def test_small_logs_read_beside_a_large_one_do_not_drive_it_out_of_memory(
    adapters: Adapters, counting: CountingTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_log, "MAX_BYTES", 40_000)
    monkeypatch.setattr(memory_log, "MOST_OF_A_LOG", 30_000)
    reader: Any = MemoryLog(replace(adapters, table=counting), Vault(adapters))
    for seq in range(1, 41):
        Log(adapters).append(seq)
    Log(adapters, "p:").append(41)
    owners = ("u:ada", "p:")
    for owner in owners:
        reader.refresh(TENANT, PROJECT, owner)
    assert sum(reader._slots.peek(log_pk(TENANT, PROJECT, owner)).read.size for owner in owners) > 40_000

    counting.items = 0
    for _ in range(2):
        for owner in owners:
            reader.refresh(TENANT, PROJECT, owner)
    assert counting.items <= 8


def test_logs_that_are_appended_to_and_never_read_take_no_more_memory_than_there_is(
    adapters: Adapters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_log, "MAX_BYTES", 100_000)
    writer: Any = MemoryLog(adapters, Vault(adapters))

    for number in range(1000):
        writer.append(TENANT, PROJECT, f"u:{number}", LogEntry(session_id=SESSION, at=adapters.clock.now()))

    assert len(writer._slots) < 250
    assert 0 < writer._slots.weight <= 100_000


@pytest.mark.req("R036")
@pytest.mark.parametrize("late", [timedelta(milliseconds=1), timedelta(seconds=20), timedelta(hours=9)])
def test_an_append_that_arrives_after_a_newer_one_is_refused_and_follows_it(
    new_log: Callable[[], Log], clock: Any, late: timedelta
) -> None:
    slow, quick, reader = new_log(), new_log(), new_log()
    outrun = slow.ordered(1)
    clock.advance(seconds=late.total_seconds())
    quick.adapters.table.transact(quick.ordered(2))
    assert reader.shown() == [2]
    with pytest.raises(TransactionRefused) as refused:
        slow.adapters.table.transact(outrun)
    assert slow.log.was_outrun(outrun, refused.value)
    clock.advance(seconds=-late.total_seconds())
    slow.adapters.table.transact(slow.ordered(1))
    assert reader.shown() == [2, 1] == new_log().shown()


def test_an_append_is_outrun_only_where_nothing_else_was_refused(new_log: Callable[[], Log]) -> None:
    log = new_log()
    writes = log.ordered(1)
    nothing, condition, conflict = None, Refusal("condition"), Refusal("conflict")
    told = [[nothing, condition], [condition, condition], [condition, nothing], [nothing, conflict]]
    assert [log.log.was_outrun(writes, TransactionRefused(each)) for each in told] == [True, False, False, False]


def test_appends_of_one_transaction_are_ordered_once_by_log(new_log: Callable[[], Log], clock: Any) -> None:
    log = new_log()
    other = Log(log.adapters, "u:bob")
    appends = [log.prepared(1), other.prepared(2)]
    clock.advance(seconds=1)
    appends += [log.prepared(3)]
    writes = [*appends, *log.log.in_order(*appends)]
    log.adapters.table.transact(writes)
    assert len(writes) == 5
    assert (log.shown(), other.shown()) == ([1, 3], [2])
    with pytest.raises(TransactionRefused):
        log.adapters.table.transact(log.log.in_order(appends[0]))


@pytest.mark.req("R036")
def test_entries_follow_what_their_writer_had_read_whatever_the_clock_says(
    new_log: Callable[[], Log], clock: Any
) -> None:
    writer, reader = new_log(), new_log()
    clock.advance(hours=5)
    writer.append(1)
    reader.shown()
    clock.advance(hours=-5)
    for seq in (2, 3):
        writer.shown()
        writer.append(seq)
    assert reader.shown() == [1, 2, 3]
    assert new_log().shown() == [1, 2, 3]


def test_an_idle_view_is_brought_up_to_date_by_one_query_of_one_item(
    adapters: Adapters, counting: CountingTable, clock: Any
) -> None:
    log = Log(replace(adapters, table=counting))
    for seq in range(1, 40):
        log.append(seq)
        log.shown()
        clock.advance(seconds=1)
    clock.advance(minutes=10)
    log.shown()
    counting.queries = counting.items = 0
    clock.advance(minutes=4)
    log.shown()
    assert (counting.queries, counting.items) == (1, 1)


@pytest.mark.req("R302")
def test_a_damaged_entry_is_passed_over_until_it_is_put_back(
    adapters: Adapters, new_log: Callable[[], Log], clock: Any
) -> None:
    writer, reader = new_log(), new_log()
    writer.append(1)
    assert reader.shown() == [1]
    clock.advance(seconds=1)
    put = writer.prepared(2)
    adapters.table.put(replace(put, item={**put.item, "data": bytes(40)}))
    assert reader.shown() == [1]
    adapters.table.put(replace(put, condition=None))
    assert reader.shown() == [1, 2]


def test_the_logs_of_other_owners_projects_and_tenants_are_others(adapters: Adapters) -> None:
    Log(adapters, "u:ada").append(1)
    assert Log(adapters, "s:ada").shown() == []
    log = MemoryLog(adapters, Vault(adapters))
    for tenant, project in ((Tenant("other"), PROJECT), (TENANT, Project("house"))):
        log.refresh(tenant, project, "u:ada")
        with log.view(tenant, project, "u:ada") as view:
            assert view.last_seq(SESSION) == 0


def test_a_moment_before_1970_is_no_trouble(new_log: Callable[[], Log], clock: Any) -> None:
    clock.time -= timedelta(days=365 * 56)
    log = new_log()
    log.append(1)
    assert log.shown() == [1]
    assert log.shown() == [1]
