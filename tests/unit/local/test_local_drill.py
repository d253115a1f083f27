"""`cairn drill`: the transcript of a drill, and what makes it fail."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from cairn.embedded.table import TableSnapshot
from cairn.ground.session import Subject
from cairn.local.backup import comparison
from cairn.local.backup.comparison import Question, Side
from support.backup import Cellar
from support.custody import ADA, BOB, Household, erase, session

MONDAY, TUESDAY = session("monday"), session("tuesday", "kitchen")
TRANSCRIPT = """\
Drill of 2026-03-01T12:06:00.000000Z, of the store in STORE
Backup of 2026-03-01T12:06:00.000000Z, made for this drill
Database: N bytes, sha256 DIGEST, as it was written; SQLite finds nothing wrong
Blobs: 0, each the bytes of its name; damaged in the store: 0
Erased since: 0 tenants, 0 users, by the store in STORE
Tenant acme
                         store    restored
  sessions                   2           2
  shared_sessions            0           0
  turns                      6           6
  facts                      5           5
  memories                   0           0
  archived                   0           0
  files                      0           0
  values                     0           0
  items                      0           0
  documents                  0           0
  log_items                 14          14
  blobs                      0           0
  bytes                   N        N
  Items: N the same, 0 different, 0 only in the store, 0 only in the backup
  recall: project garden, user ada: 6 found, the same in the same order
  recall: project garden, user ada: 4 found, the same in the same order
  recall: project garden, user ada: 4 found, the same in the same order
  recall: project garden, user bob: 6 found, the same in the same order
  recall: project kitchen, user bob: 5 found, the same in the same order
  recall: project kitchen, user bob: 5 found, the same in the same order
The backup is good."""


@pytest.fixture
def cellar(house: Household, tmp_path: Path) -> Cellar:
    house.say(MONDAY, ADA, "I live in Oslo.", "I like beans.", "My name is Ada.")
    house.say(MONDAY, BOB, "I live in Rome.")
    house.say(TUESDAY, BOB, "I like soup.", "What did I say I like?")
    return Cellar(house, tmp_path)


def plain(told: list[str], cellar: Cellar) -> str:
    text = "\n".join(told).replace(str(cellar.house.directory), "STORE")
    text = re.sub(r"[0-9a-f]{64}", "DIGEST", text)
    text = re.sub(r"\d+( bytes| the same)", r"N\1", text)
    return re.sub(r"(bytes +)\d+( +)\d+", r"\1N\2N", text)


def test_a_drill_tells_what_it_restored_and_compared(cellar: Cellar) -> None:
    good, told = cellar.drill()

    assert good
    assert plain(told, cellar) == TRANSCRIPT


def test_a_drill_leaves_nothing_behind(cellar: Cellar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    (tmp_path / "scratch").mkdir()
    before = list(cellar.house.contents())

    assert cellar.drill()[0]
    assert list((tmp_path / "scratch").iterdir()) == []
    assert list(cellar.house.contents()) == before


def test_what_was_written_since_a_backup_is_counted_and_is_no_failure(cellar: Cellar) -> None:
    cellar.back_up()
    cellar.house.say(MONDAY, ADA, "I moved to Bergen.")

    good, told = cellar.drill(cellar.storage)

    assert good
    assert any(
        re.search(r"the same, [1-9]\d* different, [1-9]\d* only in the store, 0 only in the backup", line)
        for line in told
    )
    assert any("user bob: 5 found, the same in the same order" in line for line in told)


def test_who_was_erased_since_is_in_neither(cellar: Cellar) -> None:
    cellar.back_up()
    with cellar.house.services().journal.command(MONDAY.tenant, "cairn erase", Subject(user_id=ADA)):
        erase(cellar.house)

    good, told = cellar.drill(cellar.storage)

    assert good
    assert "Erased since: 0 tenants, 1 user," in told[4]
    assert not any("user ada" in line for line in told)


def test_a_drill_fails_where_a_question_finds_something_else(cellar: Cellar, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = comparison.recalled

    def otherwise(side: Side, question: Question) -> Any:
        found = asked(side, question)
        return found if "restored" not in str(side.services.settings.store) else [*found[::-1], "another"]

    monkeypatch.setattr(comparison, "recalled", otherwise)
    good, told = cellar.drill()

    assert not good
    assert any("NOT what the store finds" in line for line in told)
    assert told[-1] == "The backup is NOT what the store holds."


def test_a_drill_of_a_new_backup_fails_where_an_item_is_another(
    cellar: Cellar, monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_the_last_turn(_self: TableSnapshot, file: Path) -> None:
        shutil.copy(cellar.root / "earlier", file)

    earlier = cellar.back_up().manifest
    shutil.copy(cellar.file(earlier.table_file), cellar.root / "earlier")
    cellar.house.say(MONDAY, ADA, "I moved to Bergen.")
    monkeypatch.setattr(TableSnapshot, "copy", without_the_last_turn)

    good, told = cellar.drill()

    assert not good
    assert told[-1] == "The backup is NOT what the store holds."
