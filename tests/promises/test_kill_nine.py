"""Whatever moment a writer is killed at, the store has all it acknowledged and nothing half-written."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random

import pytest

from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.table import SqliteTable
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import Key, Query

WRITING_PROCESS = Path(__file__).with_name("writing_process.py")
KILLS = 50
LONGEST_LIFE_SECONDS = 0.06
PARTS = 5
ACME = Tenant("acme")
pytestmark = pytest.mark.slow


@contextmanager
def process(verb: str, store: Path, argument: str) -> Generator[subprocess.Popen[str]]:
    command = [sys.executable, str(WRITING_PROCESS), verb, str(store), argument]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:  # noqa: S603 - our own script
        yield started


def acknowledged_until_killed(store: Path, run: str, life_seconds: float) -> list[tuple[str, str]]:
    """Return what a writer acknowledged that was killed this long after its first acknowledgement."""
    with process("write", store, run) as writer:
        assert writer.stdout is not None
        first = writer.stdout.readline()
        with suppress(subprocess.TimeoutExpired):
            writer.wait(life_seconds)
        writer.kill()
        lines = [first, *writer.stdout.readlines()]
    whole = [line.split() for line in lines if line.endswith("\n")]
    return [(kind, name) for kind, name in whole]


def check(table: SqliteTable, blobs: DirectoryBlobs, acknowledged: list[tuple[str, str]]) -> None:
    for kind, name in acknowledged:
        if kind == "item":
            assert table.get(Key("items", name)) == {"pk": "items", "sk": name, "v": name * 50}
        elif kind == "parts":
            assert parts_of(table, name) == PARTS
        else:
            assert blobs.get(ACME, Digest(name))


def parts_of(table: SqliteTable, name: str) -> int:
    return len(table.query(Query(f"parts#{name}", "0", "9")).items)


def items(table: SqliteTable) -> Iterator[str]:
    query = Query("items", "0", "z")
    while True:
        page = table.query(query)
        yield from (str(item["sk"]) for item in page.items)
        if page.next is None:
            return
        query = Query("items", "0", "z", start=page.next)


@pytest.mark.req("R047")
@pytest.mark.req("R197")
def test_fifty_kills_lose_no_acknowledged_write_and_tear_none(tmp_path: Path) -> None:
    lives = Random(9)  # noqa: S311 - moments to be killed at, no secrets
    everything: list[tuple[str, str]] = []
    for kill in range(KILLS):
        life_seconds = lives.uniform(0, LONGEST_LIFE_SECONDS)
        acknowledged = acknowledged_until_killed(tmp_path, f"{kill:02}", life_seconds)
        assert acknowledged, "the writer wrote nothing"
        table, blobs = SqliteTable(tmp_path / "memory.sqlite"), DirectoryBlobs(tmp_path / "blobs")
        check(table, blobs, acknowledged)
        table.close()
        everything += acknowledged

    table, blobs = SqliteTable(tmp_path / "memory.sqlite"), DirectoryBlobs(tmp_path / "blobs")
    check(table, blobs, everything)
    whole = [parts_of(table, name) for name in items(table)]
    assert set(whole) <= {0, PARTS}
    assert table.get(Key("totals", "parts")) == {"pk": "totals", "sk": "parts", "n": sum(whole)}
    with table.database.reading() as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    table.close()
    visible = [path.name for path in (tmp_path / "blobs").glob("acme/??/[0-9a-f]*")]
    assert {name for kind, name in everything if kind == "blob"} <= set(visible)
    for name in visible:
        assert blobs.get(ACME, Digest(name))


def test_increments_of_four_processes_are_exact(tmp_path: Path) -> None:
    processes, times = 4, 60
    with ExitStack() as stack:
        running = [stack.enter_context(process("increment", tmp_path, str(times))) for _ in range(processes)]
        assert [each.wait() for each in running] == [0] * processes
    table = SqliteTable(tmp_path / "memory.sqlite")
    assert table.get(Key("totals", "n")) == {"pk": "totals", "sk": "n", "n": processes * times}
    table.close()
