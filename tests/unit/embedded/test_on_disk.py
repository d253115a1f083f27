"""What was written stays on disk when the power fails, on macOS too, where fsync alone does not see to that."""

from __future__ import annotations

import fcntl
import os
import sqlite3
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest

from cairn.embedded import files
from cairn.embedded.database import Database

F_FULLFSYNC = 51


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what the system is asked to do, in order."""
    told: list[str] = []

    def flush(_descriptor: int, command: int) -> int:
        told.append(f"fcntl {command}")
        return 0

    def sync(_descriptor: int) -> None:
        told.append("fsync")

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(fcntl, "fcntl", flush)
    return told


def test_a_file_is_flushed_as_its_system_does_it(
    asked: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "_FULL_FSYNC", None)
    files.create_once(tmp_path / "a", b"1")
    linux = asked.copy()
    asked.clear()
    monkeypatch.setattr(files, "_FULL_FSYNC", F_FULLFSYNC)
    files.create_once(tmp_path / "b", b"1")

    assert (linux, asked) == (["fsync"] * 2, [f"fcntl {F_FULLFSYNC}"] * 2)


def test_a_file_system_that_cannot_flush_the_disk_is_asked_for_what_it_can(
    asked: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_descriptor: int, _command: int) -> int:
        raise OSError("not supported")

    monkeypatch.setattr(files, "_FULL_FSYNC", F_FULLFSYNC)
    monkeypatch.setattr(fcntl, "fcntl", refuse)

    files.put_on_disk(0)

    assert asked == ["fsync"]


def test_the_database_waits_for_the_disk_however_a_connection_is_opened(tmp_path: Path) -> None:
    def asks(connection: sqlite3.Connection) -> list[str]:
        pragmas = ("journal_mode", "synchronous", "fullfsync")
        return [str(connection.execute(f"PRAGMA {name}").fetchone()[0]) for name in pragmas]

    database = Database(tmp_path / "db", "CREATE TABLE IF NOT EXISTS t (a)", 1.0)
    ways = (database.writing, database.reading, database.snapshot, partial(database.writing, brief=True))
    with ExitStack() as lent:
        # The first takes the connection that there is, so that the others open their own.
        at_once = [asks(lent.enter_context(way())) for way in ways[:3]]
    database.scrub()
    later: list[list[str]] = []
    for way in ways:
        with way() as connection:
            later.append(asks(connection))
    database.close()

    assert [*at_once, *later] == [["wal", "2", "1"]] * 7
