"""API keys of one machine, and the directory they are kept in."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.domain.errors import SettingsError
from cairn.domain.ids import tenant
from cairn.local.directory import default_directory, prepare
from cairn.local.keys import ApiKeys, Grant

MASTER = bytes(range(32))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "keys.json"


def test_a_new_key_opens_the_local_tenant_with_every_scope(path: Path) -> None:
    keys = ApiKeys(path, MASTER)
    assert keys.is_empty()
    key = keys.add()
    assert key.startswith("cairn_")
    assert keys.check(key) == Grant(tenant("local"), ("read", "write", "admin"))
    assert not keys.is_empty()


@pytest.mark.req("R009")
@pytest.mark.req("R100")
def test_the_file_holds_no_key_and_is_its_owners_alone(path: Path) -> None:
    key = ApiKeys(path, MASTER).add()
    secret = key.split("_", 2)[2]
    assert secret not in path.read_text(encoding="utf-8")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_key_is_known_after_a_restart_and_to_a_server_that_runs_already(path: Path) -> None:
    running = ApiKeys(path, MASTER)
    first = running.add()
    second = ApiKeys(path, MASTER).add(tenant("other"), ("read",))
    assert running.check(second) == Grant(tenant("other"), ("read",))
    assert ApiKeys(path, MASTER).check(first) is not None


def test_a_removed_key_opens_nothing_and_leaves_the_others(path: Path) -> None:
    keys = ApiKeys(path, MASTER)
    kept, removed = keys.add(), keys.add()
    keys.remove(removed)
    keys.remove("cairn_unknown_key")
    assert keys.check(removed) is None
    assert keys.check(kept) is not None


def test_a_key_is_worth_nothing_under_another_master_key(path: Path) -> None:
    key = ApiKeys(path, MASTER).add()
    assert ApiKeys(path, bytes(32)).check(key) is None


def test_a_key_with_one_character_changed_is_unknown(path: Path) -> None:
    keys = ApiKeys(path, MASTER)
    key = keys.add()
    for position in range(len(key)):
        changed = key[:position] + ("a" if key[position] != "a" else "b") + key[position + 1 :]
        assert keys.check(changed) is None


@given(text=st.text())
def test_whatever_is_presented_is_refused_without_an_error(text: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.getbasetemp() / "presented.json"
    keys = ApiKeys(path, MASTER)
    if not path.exists():
        keys.add()
    assert keys.check(text) is None


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"keys"', "null"])
def test_a_damaged_key_file_is_said_to_be_damaged(path: Path, damage: str) -> None:
    path.write_text(damage, encoding="utf-8")
    with pytest.raises(SettingsError, match=r"keys\.json is damaged"):
        ApiKeys(path, MASTER).is_empty()


def test_the_file_is_replaced_as_a_whole(path: Path) -> None:
    keys = ApiKeys(path, MASTER)
    keys.add()
    path.with_suffix(".new").write_text("half of a wri", encoding="utf-8")
    keys.add()
    assert len(json.loads(path.read_text(encoding="utf-8"))["keys"]) == 2


@pytest.mark.parametrize(
    ("environment", "expected"),
    [({"XDG_DATA_HOME": "/data"}, "/data/cairn"), ({"XDG_DATA_HOME": "relative"}, None), ({}, None)],
)
def test_the_data_directory_follows_the_xdg_rule(environment: dict[str, str], expected: str | None) -> None:
    assert default_directory(environment) == Path(expected or Path.home() / ".local" / "share" / "cairn")


def test_a_new_data_directory_is_its_owners_alone(tmp_path: Path) -> None:
    made = prepare(tmp_path / "a" / "b")
    assert stat.S_IMODE(made.stat().st_mode) == 0o700


def test_an_empty_directory_that_others_may_enter_is_closed_to_them(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    assert stat.S_IMODE(prepare(tmp_path / "open").stat().st_mode) == 0o700


def test_a_directory_in_use_that_others_may_enter_is_refused(tmp_path: Path) -> None:
    (tmp_path / "open").mkdir(mode=0o755)
    (tmp_path / "open" / "file").touch()
    with pytest.raises(SettingsError, match="chmod 700"):
        prepare(tmp_path / "open")


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SettingsError, match="cannot use"):
        prepare(tmp_path / "file")
