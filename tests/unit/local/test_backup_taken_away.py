"""A snapshot that goes while it is read, what arrives late of a backup that was cut off, and erasures of its moment."""

from __future__ import annotations

import io
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cairn.calls.record import ERASE
from cairn.embedded.storage import DirectoryStorage
from cairn.ground.errors import CorruptData, NotFound
from cairn.ground.session import Subject
from cairn.local.backup.backup import back_up
from cairn.local.backup.manifest import snapshots
from cairn.memories.model import Note, RecallRequest
from cairn.memories.recall import recall
from cairn.memories.remember import remember
from support.backup import Cellar, Watched
from support.custody import ACME, ADA, LARGE, Household, erase, session

MONDAY = session("monday")
PARTS = ("manifest.json", "table.sqlite3", "master.key", "blobs.txt", "blobs/acme")


@pytest.fixture
def cellar(house: Household, tmp_path: Path) -> Cellar:
    house.say(MONDAY, ADA, "I live in Oslo.", "I like beans.", reply=LARGE)
    return Cellar(house, tmp_path)


def once_at(part: str, work: Callable[[], object]) -> Callable[[str, str], None]:
    """Return what does this as the part of a backup is first fetched."""
    done: list[str] = []

    def told(verb: str, name: str) -> None:
        if verb == "fetch" and part in name and not done:
            done.append(name)
            work()

    return told


def erased(cellar: Cellar) -> None:
    """Erase Ada as the command does, on record."""
    with cellar.house.services().journal.command(ACME, ERASE, Subject(user_id=ADA)):
        erase(cellar.house)


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("use", ["restore", "drill"])
def test_a_snapshot_that_a_backup_removes_while_it_is_read_is_gone_and_not_damaged(
    cellar: Cellar, part: str, use: str
) -> None:
    name = cellar.back_up(with_key=True).manifest.name
    erase(cellar.house)
    beside = Watched(cellar.storage, once_at(part, lambda: cellar.back_up(keep=1)))
    by_key = replace(cellar.store, master_key=None)

    with pytest.raises(NotFound, match=f"snapshot {name} is no longer in .* Take a newer one"):
        cellar.restore(live=by_key, storage=beside) if use == "restore" else cellar.drill(beside, by_key)

    assert not (cellar.root / "restored").exists()
    assert cellar.drill(cellar.storage)[0]


def test_a_newest_snapshot_that_goes_while_it_tells_who_was_erased_is_gone_and_not_damaged(cellar: Cellar) -> None:
    old = cellar.back_up().manifest
    name = cellar.back_up().manifest.name
    beside = Watched(cellar.storage, once_at(f"{name}/table.sqlite3", lambda: cellar.back_up(keep=1)))

    with pytest.raises(NotFound, match=f"snapshot {name} is no longer in"):
        cellar.restore(old.at, replace(cellar.store, directory=cellar.root / "lost"), storage=beside)


def test_what_is_missing_in_a_snapshot_that_is_there_still_is_damaged(cellar: Cellar) -> None:
    name = cellar.back_up().manifest.name
    beside = Watched(cellar.storage, once_at("table", (cellar.root / f"backups/snapshots/{name}/table.sqlite3").unlink))

    with pytest.raises(CorruptData, match=f"{name}/table.sqlite3"):
        cellar.restore(storage=beside)


def test_a_manifest_that_arrives_after_the_next_backup_cleared_up_makes_no_snapshot(cellar: Cellar) -> None:
    manifest = cellar.file(f"snapshots/{cellar.back_up().manifest.name}/manifest.json")
    late = manifest.read_bytes()
    manifest.unlink()
    whole = cellar.back_up().manifest
    told = cellar.house.history(MONDAY)

    cellar.storage.put(str(manifest.relative_to(cellar.root / "backups")), io.BytesIO(late))

    assert snapshots(cellar.storage) == [whole.name]
    assert cellar.restore()[0].history(MONDAY) == told
    assert cellar.back_up().kept == 2
    assert not manifest.parent.exists()


def test_what_is_kept_in_the_millisecond_of_an_erasure_and_a_backup_after_it_is_restored(cellar: Cellar) -> None:
    erased(cellar)
    note = Note(content="I am back.", scope="user", user_id=ADA)
    remember(cellar.house.services(), MONDAY, note)
    back_up(cellar.store, cellar.storage, cellar.house.adapters.clock)

    restored, done = cellar.restore()

    assert done.users == []
    assert [each.content for each in recall(restored.services(), MONDAY, RecallRequest(user_id=ADA)).found] == [
        note.content
    ]


def test_who_is_erased_after_a_backup_stays_erased_though_the_clock_was_put_back_between(cellar: Cellar) -> None:
    cellar.house.later(hours=1)
    cellar.back_up()
    cellar.house.later(hours=-1)
    erased(cellar)

    restored, done = cellar.restore()

    assert [each.user for each in done.users] == [ADA]
    assert "I live in Oslo." not in restored.history(MONDAY)


def test_a_directory_that_is_removed_while_backups_are_listed_is_not_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    storage, listing = DirectoryStorage(tmp_path), os.scandir
    storage.put("snapshots/1/a", io.BytesIO(b"one"))
    storage.put("snapshots/2/a", io.BytesIO(b"two"))

    def removing(path: Any = ".") -> Any:
        if str(path).endswith("/1"):
            storage.delete("snapshots/1/a")
        return listing(path)

    monkeypatch.setattr(os, "scandir", removing)

    assert list(storage.names("snapshots/")) == ["snapshots/2/a"]
    storage.put("snapshots/1/a", io.BytesIO(b"one"))
    assert list(DirectoryStorage(tmp_path).names("snapshots/")) == ["snapshots/2/a"]
