"""The directory that one machine's memory is kept in."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from cairn.ground.errors import SettingsError
from cairn.local.directory import default_directory, prepare


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
