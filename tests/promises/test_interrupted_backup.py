"""Wherever a backup is stopped, it never looks like one, those before it stay good, and the next one is whole."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.local.backup.manifest import snapshots
from support.backup import Cellar, Watched
from support.custody import ADA, BOB, LARGE, erase, session
from support.faults import Stopped

MONDAY = session("monday")


def stopped_at(number: int, calls: list[str]) -> Callable[[str, str], None]:
    """Return what ends the process at this write, and notes each that was begun."""

    def told(verb: str, name: str) -> None:
        calls.append(f"{verb} {name}")
        if len(calls) == number:
            raise Stopped

    return told


@pytest.mark.req("R301")
def test_a_backup_that_is_cut_at_any_write_is_none_and_the_next_goes_on(
    adapters: Adapters, store: Any, tmp_path: Path
) -> None:
    cellar = Cellar.under(tmp_path, adapters, store.directory)
    house = cellar.house
    house.say(MONDAY, ADA, "I live in Oslo.", reply=LARGE)
    cellar.back_up()
    first = house.history(MONDAY)
    erase(house)
    house.say(MONDAY, BOB, "I live in Rome.", "And I like basil.", reply=LARGE)
    shutil.copytree(tmp_path / "backups", tmp_path / "before")

    calls, number = list[str](), 0
    for number in count(1):
        calls = list[str]()
        shutil.rmtree(tmp_path / "backups")
        shutil.copytree(tmp_path / "before", tmp_path / "backups")
        try:
            cellar.back_up(Watched(cellar.storage, stopped_at(number, calls)), keep=1)
        except Stopped:
            pass
        else:
            break
        there = snapshots(cellar.storage)
        is_whole = any(call.startswith("put") and call.endswith("manifest.json") for call in calls[:-1])
        assert is_whole or len(there) == 1
        newest, _ = cellar.restore(to=f"newest-{number}")
        assert newest.history(MONDAY) == (house.history(MONDAY) if is_whole else first)

        done = cellar.back_up(keep=1)
        left = [path for path in (tmp_path / "backups").rglob("*") if path.is_file()]
        assert done.kept == 1
        assert len(left) == 3 + done.manifest.blob_count
        again, _ = cellar.restore(to=f"again-{number}")
        assert again.history(MONDAY) == house.history(MONDAY)
    assert number > 8
    assert any(call.startswith("delete blobs/") for call in calls)
