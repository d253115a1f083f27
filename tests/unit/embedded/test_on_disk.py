"""What was written stays on disk when the power fails, on macOS too, where fsync alone does not see to that."""

from __future__ import annotations

import fcntl
import os
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


def test_the_database_asks_for_it_too(tmp_path: Path) -> None:
    with Database(tmp_path / "db", "CREATE TABLE IF NOT EXISTS t (a)", 1.0).reading() as connection:
        assert connection.execute("PRAGMA fullfsync").fetchone() == (1,)
