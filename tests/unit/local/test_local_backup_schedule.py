"""`cairn serve` backs up by itself where the settings name a place, as often as they say."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path

import pytest

from cairn.ground.settings import BackupSettings
from cairn.local.backup.manifest import snapshots
from cairn.local.backup.schedule import back_up_due, backing_up
from cairn.services import Services
from cairn.settings.settings import load
from support.backup import OF_TESTS, Cellar
from support.custody import ADA, Household, session
from support.services import services_over


@pytest.fixture
def cellar(house: Household, tmp_path: Path) -> Cellar:
    house.say(session("monday"), ADA, "I live in Oslo.")
    return Cellar(house, tmp_path)


def serving(cellar: Cellar, **backup: object) -> Services:
    wanted = replace(BackupSettings(to=str(cellar.root / "backups"), every=2, keep=2), **backup)  # pyright: ignore[reportArgumentType]
    return services_over(cellar.house.adapters, replace(OF_TESTS, store=cellar.store, backup=wanted))


def test_a_backup_is_made_when_the_newest_is_old_enough_and_the_oldest_go(cellar: Cellar) -> None:
    services = serving(cellar)
    made: list[bool] = []
    for _ in range(9):
        made.append(back_up_due(services, cellar.store) is not None)
        cellar.house.later(hours=1)

    assert made == [True, False, True, False, True, False, True, False, True]
    assert len(snapshots(cellar.storage)) == 2


def test_the_server_backs_up_at_its_start_and_ends_with_it(cellar: Cellar) -> None:
    with backing_up(serving(cellar)):
        pass

    assert len(snapshots(cellar.storage)) == 1


def test_without_a_place_nothing_is_backed_up(cellar: Cellar) -> None:
    with backing_up(serving(cellar, to="")):
        pass

    assert load({}, {}).backup.to == ""
    assert not (cellar.root / "backups").exists()


def test_what_fails_is_logged_and_due_again(cellar: Cellar, caplog: pytest.LogCaptureFixture) -> None:
    (cellar.root / "backups").write_bytes(b"a file where the directory should be")

    with caplog.at_level(logging.WARNING):
        assert back_up_due(serving(cellar), cellar.store) is None
    (cellar.root / "backups").unlink()

    assert "backup failed" in caplog.text
    assert back_up_due(serving(cellar), cellar.store) is not None


def test_what_the_file_system_refuses_is_logged_and_due_again(cellar: Cellar, caplog: pytest.LogCaptureFixture) -> None:
    lock = cellar.house.directory / "backup.lock"
    lock.mkdir()

    with caplog.at_level(logging.WARNING):
        assert back_up_due(serving(cellar), cellar.store) is None
    lock.rmdir()

    assert f"backup failed: the lock {lock} failed: Is a directory" in caplog.text
    assert back_up_due(serving(cellar), cellar.store) is not None


def test_a_blob_that_is_damaged_in_the_store_is_logged_by_name(
    cellar: Cellar, caplog: pytest.LogCaptureFixture
) -> None:
    digest = cellar.house.adapters.blobs.put(session("monday").tenant, b"what it held")
    path = cellar.house.directory / "blobs" / "acme" / digest[:2] / digest
    path.write_bytes(b"something else")

    with caplog.at_level(logging.WARNING):
        assert back_up_due(serving(cellar), cellar.store) is not None

    assert f"the blob acme/{digest[:2]}/{digest}" in caplog.text
