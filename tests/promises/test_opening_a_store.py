"""A store whose key is missing or another one, or whose format is newer, is refused by every entry, and left alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cairn import wiring
from cairn.access.api_keys import Grant
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.embedded.table import SqliteTable
from cairn.ground.ids import Project, SessionId, TurnId
from cairn.ground.session import Session
from cairn.ground.table import FORMAT
from cairn.local.cli import main
from cairn.local.store import LOCAL_TENANT, operator_services
from cairn.turns.after_turn import commit
from cairn_health.door import handler

pytestmark = pytest.mark.enable_socket  # `cairn serve` listens before it opens its store
SESSION = Session(LOCAL_TENANT, Project("garden"), SessionId("monday"))
TURN = Completion(turn_id=TurnId("t1"), inputs=(message("user", "I like tea."),), outputs=())
ANOTHER = "ab" * 32
ENTRIES = (
    ("serve", "--port", "0"),
    ("stdio",),
    ("keys", "list"),
    ("keys", "create"),
    ("maintain",),
    ("recount",),
    ("export", "bundle.zip"),
    ("erase", "--tenant", "local", "--yes"),
    ("audit", "verify"),
)
PROBE = {"rawPath": "/healthz", "requestContext": {"http": {"method": "GET"}}}


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """Return a data directory in which something is remembered."""
    services = operator_services(tmp_path / "data", {})
    services.credentials.create(LOCAL_TENANT, Grant())
    commit(services, SESSION, TURN)
    table: Any = services.adapters.table
    table.close()
    return tmp_path / "data"


def run(data: Path, arguments: tuple[str, ...], **environment: str) -> Result:
    where = ("--store", str(data)) if arguments[0] == "demo" else ("--data", str(data))
    return CliRunner(env=environment).invoke(main, (*arguments, *where))


def contents(data: Path) -> Mapping[str, object]:
    """Return the rows of the store, and the names and bytes of its other files."""
    files = {str(path.relative_to(data)): path.read_bytes() for path in data.rglob("*") if path.is_file()}
    connection = sqlite3.connect(data / "table.sqlite3")
    rows = connection.execute("SELECT * FROM items ORDER BY pk, sk").fetchall()
    connection.close()
    return {**{name: data for name, data in files.items() if not name.startswith("table.sqlite3")}, "rows": rows}


@pytest.mark.req("R304")
@pytest.mark.parametrize("entry", [*ENTRIES, ("demo",)], ids=" ".join)
def test_a_store_without_its_key_is_refused_with_what_to_do_and_left_alone(full: Path, entry: tuple[str, ...]) -> None:
    key = full / "master.key"
    key.unlink()
    before = contents(full)

    result = run(full, entry)

    assert result.exit_code not in {0, None}
    assert str(key) in " ".join(result.output.split())
    assert "copy" in result.output
    assert "LUMERA_MEMORY_KEY" in result.output
    assert "Traceback" not in result.output
    assert contents(full) == before


@pytest.mark.req("R304")
@pytest.mark.parametrize("entry", ENTRIES, ids=" ".join)
@pytest.mark.parametrize("way", ["in its file", "in the environment"])
def test_a_store_with_another_key_is_refused_by_the_name_of_where_it_came_from(
    full: Path, entry: tuple[str, ...], way: str
) -> None:
    if way == "in its file":
        (full / "master.key").write_text(ANOTHER)
    before = contents(full)

    result = run(full, entry, **({} if way == "in its file" else {"LUMERA_MEMORY_KEY": ANOTHER}))

    assert result.exit_code not in {0, None}
    source = str(full / "master.key") if way == "in its file" else "LUMERA_MEMORY_KEY"
    assert f"{source}: is another key" in " ".join(result.output.split())
    assert ANOTHER not in result.output
    assert contents(full) == before


@pytest.mark.req("R304")
def test_the_right_key_in_the_environment_opens_a_store_whose_file_is_gone(full: Path) -> None:
    key = (full / "master.key").read_text()
    (full / "master.key").unlink()

    assert run(full, ("keys", "list"), LUMERA_MEMORY_KEY=key).exit_code == 0
    assert not (full / "master.key").exists()


@pytest.mark.req("R304")
def test_one_damaged_data_key_does_not_make_the_right_master_key_a_wrong_one(full: Path) -> None:
    connection = sqlite3.connect(full / "table.sqlite3")
    connection.execute("UPDATE items SET body = '{}' WHERE pk = '~credentials#keys'")
    connection.commit()
    connection.close()

    assert run(full, ("maintain",)).exit_code == 0


@pytest.mark.req("R304")
def test_the_health_of_a_process_with_another_key_is_not_well(full: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_DATA", str(full))
    monkeypatch.setenv("LUMERA_MEMORY_KEY", ANOTHER)
    wiring.provide(None)

    assert handler(dict(PROBE), None)["statusCode"] >= 500


@pytest.mark.req("R304")
def test_finding_a_data_key_takes_a_look_for_each_owner_not_for_each_item(full: Path) -> None:
    table = SqliteTable(full / "table.sqlite3")

    assert list(table.owners()) == ["local", "~credentials"]
    table.close()


def of_format(data: Path, number: int) -> None:
    connection = sqlite3.connect(data / "table.sqlite3")
    connection.execute(f"PRAGMA user_version = {number}")
    connection.close()


def format_of(data: Path) -> int:
    connection = sqlite3.connect(data / "table.sqlite3")
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return found


@pytest.mark.req("R304")
@pytest.mark.parametrize("entry", [*ENTRIES, ("demo",)], ids=" ".join)
def test_a_store_in_a_newer_format_is_refused_with_what_to_do_and_left_alone(
    full: Path, entry: tuple[str, ...]
) -> None:
    of_format(full, FORMAT + 1)
    before = contents(full)

    result = run(full, entry)

    assert result.exit_code not in {0, None}
    told = " ".join(result.output.split())
    assert f"in format {FORMAT + 1}, and this one reads up to format {FORMAT}" in told
    assert "bundle" in told
    assert "Traceback" not in told
    assert (contents(full), format_of(full)) == (before, FORMAT + 1)


@pytest.mark.req("R304")
def test_a_store_of_before_formats_were_noted_is_opened_and_names_its_own_from_then_on(full: Path) -> None:
    of_format(full, 0)

    assert run(full, ("keys", "list")).exit_code == 0

    assert format_of(full) == FORMAT
