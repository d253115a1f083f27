"""`cairn backup` and `cairn restore`: what is in a backup, what is left out of what is restored, what is refused."""

from __future__ import annotations

import errno
import io
import json
import shutil
import sqlite3
import stat
from collections.abc import Callable, Generator
from contextlib import closing, contextmanager
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from cairn.calls.record import ERASE
from cairn.custody.erase_tenant import EraseTenant
from cairn.custody.erasures import tenants_erased
from cairn.custody.scope import DataScope
from cairn.embedded.table import TableSnapshot
from cairn.ground.errors import (
    CorruptData,
    InvalidArgument,
    NewerStore,
    NotFound,
    ResourceBusy,
    SettingsError,
    Unavailable,
)
from cairn.ground.ids import Tenant
from cairn.ground.session import Subject
from cairn.ground.table import FORMAT, Key, Put
from cairn.local.backup.backup import back_up_of
from cairn.local.backup.manifest import snapshots
from cairn.settings.settings import EmbeddedStore
from cairn.tool.maintenance_runs import erase_due
from cairn.vault.layout import key_sk, keys_pk
from support.backup import KEY, Cellar, Watched
from support.custody import ACME, ADA, BOB, LARGE, Household, erase, session
from support.plans import desk, waiting

Run = Callable[..., Result]
MONDAY = session("monday")


@pytest.fixture
def cellar(house: Household, tmp_path: Path) -> Cellar:
    house.say(MONDAY, ADA, "I live in Oslo.", "I like beans.", reply=LARGE)
    house.say(MONDAY, BOB, "I live in Rome.")
    return Cellar(house, tmp_path)


def erased(cellar: Cellar) -> None:
    """Erase Ada as the command does, on record."""
    with cellar.house.services().journal.command(ACME, ERASE, Subject(user_id=ADA)):
        erase(cellar.house)


def lost(cellar: Cellar) -> EmbeddedStore:
    """Return a directory in which the store is not."""
    return replace(cellar.store, directory=cellar.root / "lost")


def blobs(directory: Path) -> set[str]:
    return {path.name for path in directory.rglob("*") if len(path.name) == 64}


def test_what_is_restored_answers_as_the_store_did(cellar: Cellar) -> None:
    cellar.house.move_in().furnish()
    before = cellar.house.answers()

    cellar.back_up()
    restored, done = cellar.restore()

    assert restored.answers() == before
    assert (done.tenants, done.users) == ([], [])
    assert blobs(restored.directory) == blobs(cellar.house.directory) != set()


def test_a_second_backup_copies_what_is_new_and_nothing_else(cellar: Cellar) -> None:
    first = cellar.back_up()
    cellar.house.say(MONDAY, BOB, "One more.", reply=LARGE)
    put: list[str] = []

    second = cellar.back_up(Watched(cellar.storage, lambda _, name: put.append(name)))

    assert (first.copied, second.copied, second.manifest.blob_count) == (2, 1, 3)
    assert sum(name.startswith("blobs/") for name in put) == 1
    assert (second.kept, second.removed) == (2, 0)


def test_only_so_many_snapshots_are_kept_and_the_blobs_that_they_name(cellar: Cellar) -> None:
    cellar.back_up()
    erase(cellar.house)
    cellar.back_up()
    assert len(blobs(cellar.root / "backups")) == 2

    done = cellar.back_up(keep=2)

    assert (done.kept, done.removed, len(snapshots(cellar.storage))) == (2, 1, 2)
    assert blobs(cellar.root / "backups") == set()
    assert cellar.restore()[0].answers() == cellar.house.answers()


def test_a_blob_that_only_an_older_snapshot_names_stays_as_long_as_that_one(cellar: Cellar) -> None:
    cellar.back_up()
    cellar.back_up()
    erase(cellar.house)

    cellar.back_up(keep=2)
    assert len(blobs(cellar.root / "backups")) == 2
    cellar.back_up(keep=2)
    assert blobs(cellar.root / "backups") == set()


def test_what_a_backup_left_that_was_cut_off_is_removed_by_the_next(cellar: Cellar) -> None:
    cellar.storage.put("snapshots/20260101T000000.000000Z/table.sqlite3", io.BytesIO(b"half"))

    done = cellar.back_up()

    assert [path.name for path in (cellar.root / "backups" / "snapshots").iterdir()] == [done.manifest.name]


def test_a_blob_that_is_stored_just_before_the_state_is_read_is_in_the_backup(cellar: Cellar) -> None:
    table: Any = cellar.house.adapters.table

    @contextmanager
    def state() -> Generator[TableSnapshot]:
        cellar.house.say(MONDAY, BOB, "At the last moment.", reply=LARGE)
        with table.snapshot() as read:
            yield read

    with cellar.house.inventory.held() as held:
        back_up_of(state(), held, cellar.store, cellar.storage, cellar.house.adapters.clock)

    assert cellar.restore()[0].history(MONDAY)[-1] == LARGE


def test_the_newest_snapshot_not_after_a_time_is_restored(cellar: Cellar) -> None:
    first = cellar.back_up().manifest
    told = cellar.house.history(MONDAY)
    cellar.house.say(MONDAY, ADA, "I moved to Bergen.")
    cellar.back_up()

    assert cellar.restore(first.at)[0].history(MONDAY) == told
    assert cellar.restore(first.at + timedelta(seconds=59), to="again")[0].history(MONDAY) == told
    assert len(cellar.restore(to="newest")[0].history(MONDAY)) == len(told) + 2
    with pytest.raises(NotFound, match=r"no backup of that time in .*; the first is of 2026"):
        cellar.restore(first.at - timedelta(seconds=1), to="none")


def test_a_damaged_blob_of_the_store_is_named_and_does_not_stop_the_rest(cellar: Cellar) -> None:
    (whole, broken) = sorted(path for path in (cellar.house.directory / "blobs").rglob("*") if path.is_file())
    broken.write_bytes(b"other bytes")

    done = cellar.back_up()
    restored, told = cellar.restore()

    assert [name.rpartition("/")[2] for name in done.manifest.damaged] == [broken.name]
    assert told.manifest.damaged == done.manifest.damaged
    assert blobs(restored.directory) == {whole.name}
    assert len(restored.history(session("monday"))) > 0


@pytest.mark.parametrize(
    "pattern", ["snapshots/*/table.sqlite3", "snapshots/*/blobs.txt", "snapshots/*/manifest.json", "blobs/acme/*/*"]
)
@pytest.mark.parametrize("harm", ["changed", "cut short", "gone"])
def test_a_damaged_backup_is_refused_by_name_and_leaves_nothing(cellar: Cellar, pattern: str, harm: str) -> None:
    erase(cellar.house)
    cellar.house.say(MONDAY, BOB, "A long one.", reply=LARGE)
    cellar.back_up()
    file = cellar.file(pattern)
    data = file.read_bytes()
    file.write_bytes(data[:-1] + bytes([data[-1] ^ 1]) if harm == "changed" else data[: len(data) // 2])
    if harm == "gone":
        file.unlink()

    with pytest.raises((CorruptData, NotFound)) as refused:
        cellar.restore()

    if not (harm == "gone" and "manifest" in pattern):  # without it there is no backup
        assert str(file.relative_to(cellar.root / "backups")) in refused.value.message
    assert sorted(path.name for path in cellar.root.iterdir() if "restored" in path.name) == []


def test_a_database_that_is_damaged_is_not_backed_up_and_what_was_stays(cellar: Cellar) -> None:
    cellar.back_up()
    with closing(sqlite3.connect(cellar.house.directory / "table.sqlite3")) as connection:
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_schema SET rootpage = 2 WHERE type = 'index'")
        connection.commit()

    with pytest.raises(CorruptData, match="database"):
        cellar.back_up()

    assert len(snapshots(cellar.storage)) == 1


def test_a_user_who_was_erased_since_is_not_restored(cellar: Cellar) -> None:
    cellar.back_up()
    erased(cellar)

    restored, done = cellar.restore()

    assert done.users == [DataScope(ACME, user=ADA)]
    assert done.known_by == f"the store in {cellar.house.directory}"
    assert restored.history(MONDAY) == cellar.house.history(MONDAY) == ["I live in Rome.", "Noted."]
    assert b"u:ada" not in restored.raw()
    assert blobs(restored.directory) == set()


def test_a_user_whose_erasure_waited_for_its_grace_time_is_not_restored_either(cellar: Cellar) -> None:
    cellar.back_up()
    waiting(cellar.house, ADA)
    cellar.house.later(days=8)
    assert erase_due(desk(cellar.house), "request-1") == [True]

    restored, done = cellar.restore()

    assert done.users == [DataScope(ACME, user=ADA)]
    assert "Oslo" not in str(restored.history(MONDAY))


def test_where_the_store_is_lost_the_newest_backup_tells_who_was_erased_and_how_late_that_is(cellar: Cellar) -> None:
    first = cellar.back_up().manifest
    erased(cellar)
    newest = cellar.back_up().manifest

    restored, done = cellar.restore(first.at, lost(cellar))

    assert done.users == [DataScope(ACME, user=ADA)]
    assert f"the newest backup, of {newest.at:%Y-%m-%dT%H:%M}" in done.known_by
    assert "erase again whom you erased later" in done.known_by
    assert "Oslo" not in str(restored.history(MONDAY))


def test_a_tenant_whose_data_key_is_damaged_in_the_store_was_not_erased(cellar: Cellar) -> None:
    cellar.house.say(session("theirs", tenant=Tenant("globex")), BOB, "We are Globex.")
    newest, table = cellar.back_up().manifest, cellar.house.adapters.table
    key = table.get(Key(keys_pk(ACME), key_sk(1)))
    assert key is not None
    table.put(Put({**key, "wrapped": "no bytes"}))

    restored, done = cellar.restore()

    assert done.tenants == []
    assert f"the newest backup, of {newest.at:%Y-%m-%dT%H:%M}" in done.known_by
    assert "I live in Oslo." in restored.history(MONDAY)


def test_an_erasure_before_the_backup_is_not_done_again(cellar: Cellar) -> None:
    erased(cellar)
    cellar.house.later(minutes=5)
    cellar.house.say(MONDAY, ADA, "I am back.")
    cellar.back_up()

    restored, done = cellar.restore()

    assert done.users == []
    assert "I am back." in restored.history(MONDAY)


def test_erasures_that_are_no_longer_on_record_are_told_of(cellar: Cellar) -> None:
    cellar.back_up()
    cellar.house.later(days=400)

    assert "who was erased before 2026-04-05" in cellar.restore()[1].known_by


def test_a_tenant_whose_keys_were_destroyed_is_not_restored(cellar: Cellar) -> None:
    globex = Tenant("globex")
    cellar.house.say(session("theirs", tenant=globex), BOB, "We are Globex.")
    cellar.back_up()
    EraseTenant(cellar.house.adapters, cellar.house.inventory).run(globex)
    cellar.house.say(session("theirs", tenant=globex), BOB, "We are another Globex.")

    restored, done = cellar.restore()

    assert done.tenants == [globex]
    assert list(restored.inventory.items(globex)) == []
    assert restored.history(MONDAY) == cellar.house.history(MONDAY)


@pytest.mark.parametrize(
    ("now", "is_erased"),
    [
        ({"1": "a", "2": "b"}, False),
        ({"2": "b", "3": "c"}, False),  # rotated, and the older one retired
        ({"3": "c"}, False),
        ({}, True),
        ({"1": "x"}, True),  # erased, and there again
        ({"1": "a"}, True),
        ({"1": "x", "2": "y", "3": "z"}, True),
    ],
)
def test_a_tenant_was_erased_whose_data_keys_do_not_go_on_from_those_it_had(
    now: dict[str, str], *, is_erased: bool
) -> None:
    keys = {"~credentials": {"1": "k"}}

    found = tenants_erased({**keys, "acme": {"1": "a", "2": "b"}}, {"acme": now})

    assert found == (["acme"] if is_erased else [])


def test_backups_of_another_store_are_left_alone(cellar: Cellar, tmp_path: Path) -> None:
    cellar.back_up()
    other = Cellar(cellar.opened(shutil.copytree(cellar.house.directory, tmp_path / "other")), tmp_path)
    EraseTenant(other.house.adapters, other.house.inventory).run(ACME)
    other.house.say(MONDAY, ADA, "Another store.")

    with pytest.raises(InvalidArgument, match="backups of another store"):
        other.back_up()
    assert cellar.restore(live=other.store)[1].known_by.startswith("the newest backup")


def test_only_an_empty_directory_is_restored_into(cellar: Cellar) -> None:
    cellar.back_up()
    (cellar.root / "restored").mkdir()
    cellar.restore()
    there = sorted(path for path in (cellar.root / "restored").rglob("*"))

    with pytest.raises(InvalidArgument, match="not an empty directory"):
        cellar.restore()

    assert sorted(path for path in (cellar.root / "restored").rglob("*")) == there


def test_a_newer_format_is_refused_and_leaves_nothing(cellar: Cellar) -> None:
    with closing(sqlite3.connect(cellar.house.directory / "table.sqlite3")) as connection:
        connection.execute(f"PRAGMA user_version = {FORMAT + 1}")

    with pytest.raises(NewerStore, match="newer Cairn"):
        cellar.back_up()

    assert not (cellar.root / "backups" / "snapshots").exists()


def test_another_backup_of_the_same_store_is_not_begun_meanwhile(cellar: Cellar) -> None:
    def again(_verb: str, name: str) -> None:
        if name.endswith("manifest.json"):
            with pytest.raises(ResourceBusy):
                cellar.back_up()

    cellar.back_up(Watched(cellar.storage, again))

    assert len(snapshots(cellar.storage)) == 1


def test_that_another_backup_runs_is_said_only_where_one_does(cellar: Cellar) -> None:
    def blocked(*_: str) -> None:
        raise BlockingIOError(errno.EAGAIN, "Resource temporarily unavailable")

    with pytest.raises(Unavailable, match="Resource temporarily unavailable"):
        cellar.back_up(Watched(cellar.storage, blocked))
    lock = cellar.store.directory / "backup.lock"
    lock.unlink()
    lock.mkdir()
    with pytest.raises(Unavailable, match=r"backup\.lock failed: Is a directory"):
        cellar.back_up()


def test_without_the_master_key_nothing_is_restored(cellar: Cellar) -> None:
    cellar.back_up()

    with pytest.raises(SettingsError, match="LUMERA_MEMORY_KEY"):
        cellar.restore(live=replace(lost(cellar), master_key=None))
    with pytest.raises(SettingsError, match="another key than the backup was made with"):
        cellar.restore(live=replace(lost(cellar), master_key=KEY[::-1]))

    assert not (cellar.root / "restored").exists()


def test_the_master_key_is_in_the_backup_only_where_it_is_asked_for(cellar: Cellar) -> None:
    cellar.back_up()
    assert KEY.encode() not in b"".join(
        path.read_bytes() for path in cellar.root.rglob("backups/**/*") if path.is_file()
    )

    cellar.back_up(with_key=True)
    restored, _ = cellar.restore(live=replace(lost(cellar), master_key=None))

    assert (restored.directory / "master.key").read_text() == KEY
    assert stat.S_IMODE((restored.directory / "master.key").stat().st_mode) == 0o600


def test_the_commands_tell_what_they_did_and_what_the_key_is_for(run: Run, data: Path, tmp_path: Path) -> None:
    kept, new = str(tmp_path / "kept"), tmp_path / "new"
    assert run("remember", "Ada grows beans", "--user", "ada").exit_code == 0

    first, second = run("backup", kept), run("backup", kept, "--keep", "1", "--with-master-key")
    restored = run("restore", kept, "--to", str(new))

    assert (first.exit_code, second.exit_code, restored.exit_code) == (0, 0, 0), restored.output
    assert f"without that key nobody can read the backup: keep a copy of {data / 'master.key'}" in first.output
    assert "whoever has the backup can read it" in second.output
    assert "Kept: 1 snapshot; removed: 1." in second.output
    assert "all as they were written. Erased since, and so left out:\n0 tenants and 0 users" in restored.output
    assert "Ada grows beans" in run("recall", "beans", "--user", "ada", at=new).output
    assert json.loads(run("recall", "beans", "--user", "ada", "--json", at=new).output)["count"] == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("backup", "kept"), "Nothing is stored"),
        (("drill",), "Nothing is stored"),
        (("restore", "kept", "--to", "new"), "There is no backup in"),
        (("restore", "id", "--at", "2026-01-01"), "goes with --to"),
        (("backup", "s3://"), "must be followed by a bucket"),
        (("backup", "aws"), "CAIRN_TABLE, CAIRN_BUCKET and CAIRN_KEY_ID"),
        (("drill", "aws"), "TABLE/BUCKET"),
    ],
)
def test_what_cannot_be_done_is_told_plainly(run: Run, tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    given = [str(tmp_path / each) if each in {"kept", "new"} else each for each in arguments]

    result = run(*given)

    assert result.exit_code in {1, 2}
    assert told in result.output
    assert "Traceback" not in result.output


def test_a_time_is_told_to_the_microsecond_so_that_each_backup_has_a_name_of_its_own(cellar: Cellar) -> None:
    at = cellar.back_up().manifest.at

    assert isinstance(at, datetime)
    assert at + timedelta(minutes=1) == cellar.house.adapters.clock.now()
