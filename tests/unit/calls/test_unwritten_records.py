"""Reads answer while the store takes no writes, and what is recorded of them is written later or counted."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.calls.record import SETTLED, UNRECORDED, AuditRecord
from cairn.calls.unwritten import AT_ONCE, LATEST, MOST, Unwritten
from cairn.embedded.blobs import DirectoryBlobs
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Tenant, time_ordered_id
from cairn.ground.table import Put
from cairn.local.store import LOCAL_TENANT, services
from cairn.services import Services
from cairn.tool.call import Call
from cairn.tool.tool import Tool
from cairn_health.door import handler
from cairn_tools.getContext import getContext
from cairn_tools.getMemory import getMemory
from cairn_tools.listMemory import listMemory
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from cairn_tools.memory_list_dir_with_abstract import memory_list_dir_with_abstract
from cairn_tools.putMemory import putMemory
from cairn_tools.query_cascade_memories import query_cascade_memories
from cairn_tools.recall import recall
from cairn_tools.store_session_to_cascade import store_session_to_cascade
from support.doubles import FakeClock, settle

READS: Sequence[Tool] = (
    memory_before_turn,
    recall,
    getMemory,
    listMemory,
    getContext,
    memory_list_dir_with_abstract,
    query_cascade_memories,
)
HEALTH = {"rawPath": "/healthz", "requestContext": {"http": {"method": "GET", "path": "/healthz"}, "requestId": "r"}}
QUICK_SECONDS = 3.0
"""Half of how long a writer waits for the lock, on a busy machine."""


@pytest.fixture
def directory(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def local(directory: Path) -> Iterator[Call]:
    """Return a call to a data directory that has something of each kind in it."""
    with services(directory, {}) as opened:
        call = Call(Caller(LOCAL_TENANT, frozenset({"read", "write"}), "request", (ALL_PROJECTS,)), opened)
        for tool in (memory_after_turn, putMemory, store_session_to_cascade):
            tool.execute(dict(tool.example), call)
        jobs: Any = opened.adapters.jobs
        settle(jobs)  # else a job may wait for the write lock, and its turn, when a test takes it
        yield call


@contextmanager
def held_lock(directory: Path) -> Generator[None]:
    """Hold the write lock of the store, as another process does."""
    other = sqlite3.connect(directory / "table.sqlite3", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        other.execute("ROLLBACK")
        other.close()


def recorded(call: Call) -> list[tuple[str, str]]:
    now = call.services.adapters.clock.now()
    records = call.services.audit.records(call.caller.tenant, now - timedelta(hours=1), now + timedelta(hours=1), 1000)
    return [(record.tool, record.outcome) for record in records]


@pytest.mark.req("R305")
@pytest.mark.parametrize("tool", READS, ids=lambda tool: tool.name)
def test_reads_answer_soon_while_another_process_holds_the_write_lock(tool: Tool, local: Call, directory: Path) -> None:
    before = recorded(local).count((tool.name, "admitted"))
    with held_lock(directory):
        began = time.monotonic()
        tool.execute(dict(tool.example), local)
        assert time.monotonic() - began < QUICK_SECONDS
        assert recorded(local).count((tool.name, "admitted")) == before

    listMemory.execute(dict(listMemory.example), local)

    assert recorded(local).count((tool.name, "admitted")) == before + 1 + (tool is listMemory)


@pytest.mark.req("R305")
def test_a_process_that_took_no_tokens_yet_reads_under_a_held_lock_too(local: Call, directory: Path) -> None:
    with services(directory, {}) as cold, held_lock(directory):
        call = Call(local.caller, cold)
        for _ in range(60):  # more than the tokens that a process takes at once
            recall.execute(dict(recall.example), call)


@pytest.mark.req("R305")
@pytest.mark.usefixtures("local")
def test_health_says_that_nothing_can_be_written_under_a_held_lock(directory: Path) -> None:
    with held_lock(directory):
        answer = handler(HEALTH, None)
    assert (answer["statusCode"], json.loads(answer["body"])["status"]) == (503, "degraded")
    assert json.loads(answer["body"])["reasons"] == ["writes_fail"]
    assert json.loads(answer["body"])["stores"] == {"table": True, "blobs": True, "key": True, "writes": False}


@pytest.mark.req("R305")
def test_reads_answer_on_a_full_disk_and_writes_say_that_they_cannot(
    local: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    with _full(local.services, monkeypatch):
        for tool in READS:
            tool.execute(dict(tool.example), local)
        with pytest.raises(Unavailable):
            putMemory.execute({**putMemory.example, "key": "another"}, local)
        answer = handler(HEALTH, None)
    assert answer["statusCode"] == 503

    listMemory.execute(dict(listMemory.example), local)

    found = recorded(local)
    assert {tool.name for tool in READS} <= {name for name, outcome in found if outcome == "admitted"}


@contextmanager
def _full(opened: Services, monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """Leave no room: neither in the database, whose last page is filled up, nor for blobs."""
    inside: Any = opened.adapters.table
    with inside.database.reading() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    borrow = inside.database._borrow

    def borrowed() -> sqlite3.Connection:
        connection = borrow()
        connection.execute(f"PRAGMA max_page_count = {pages}")
        return connection

    def full(*_: object) -> None:
        raise Unavailable("the blob directory failed: No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(inside.database, "_borrow", borrowed)
        patch.setattr(DirectoryBlobs, "put", full)
        with suppress(Unavailable):
            for number in range(1000):
                inside.put(Put({"pk": "filler", "sk": f"{number}"}))
        yield
    inside.close()


def record(number: int, at: datetime, tool: str = "recall") -> AuditRecord:
    name = time_ordered_id(at, number.to_bytes(10))
    return AuditRecord(id=name, tenant=Tenant("acme"), tool=tool, credential="key", request_id=str(number))


@pytest.mark.req("R305")
def test_a_record_that_would_come_after_its_digest_is_counted_in_one_of_its_tool(clock: FakeClock) -> None:
    unwritten, began = Unwritten(), clock.now()
    unwritten.keep([record(1, began), record(2, began + timedelta(seconds=5)), record(3, began, "getMemory")])
    clock.advance(seconds=LATEST.total_seconds() + 5)
    unwritten.keep([record(4, clock.now())])

    written = unwritten.take(clock.now(), lambda: time_ordered_id(clock.now(), bytes(10)))

    assert [(each.tool, each.outcome) for each in written] == [
        ("recall", "admitted"),
        ("getMemory", "unrecorded"),
        ("recall", "unrecorded"),
    ]
    first = int(began.timestamp() * 1000)
    assert written[2].arguments == {"calls": 2, "first_ms": first, "last_ms": first + 5000}
    assert not unwritten
    assert LATEST < SETTLED


@pytest.mark.req("R305")
def test_a_count_that_cannot_be_written_either_is_added_to_the_next(clock: FakeClock) -> None:
    unwritten, began = Unwritten(), clock.now()
    unwritten.keep([record(1, began), record(2, began + timedelta(seconds=5))])
    for _ in range(3):
        clock.advance(seconds=LATEST.total_seconds())
        unwritten.keep(unwritten.take(clock.now(), lambda: time_ordered_id(clock.now(), bytes(10))))

    (gap,) = unwritten.take(clock.now(), lambda: "")

    first = int(began.timestamp() * 1000)
    assert gap.arguments == {"calls": 2, "first_ms": first, "last_ms": first + 5000}


@pytest.mark.req("R305")
def test_a_process_keeps_a_bounded_number_of_records_and_counts_the_oldest_beyond_it(clock: FakeClock) -> None:
    unwritten = Unwritten()
    unwritten.keep(record(number, clock.now()) for number in range(MOST + 3))

    written: list[AuditRecord] = []
    while unwritten:
        some = unwritten.take(clock.now(), lambda: "gap")
        assert len(some) <= AT_ONCE
        written += some

    assert [each.arguments["calls"] for each in written if each.outcome == UNRECORDED] == [3]
    assert len(written) == MOST + 1
