"""`make test` draws the same inputs each time; `make bench-hunt` draws others, by a seed that it tells."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hunt import hunt, property_tests

TESTS = Path(__file__).parents[1]


def drawn() -> list[str | int]:
    """Return what a property is tried with in this process."""
    found: list[str | int] = []

    @hypothesis.settings(hypothesis.settings.get_profile("cairn"), max_examples=400)
    @given(st.text() | st.integers())
    def keep(value: str | int) -> None:
        found.append(value)

    keep()
    return found


def test_what_is_drawn_does_not_depend_on_what_was_loaded_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = drawn()
    constants = [*(f"constant {number}" for number in range(400)), *range(700_000, 700_400)]
    (tmp_path / "many_constants.py").write_text(f"CONSTANTS = {constants}", encoding="utf-8")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    importlib.import_module("many_constants")

    assert drawn() == before


def test_no_test_draws_by_chance() -> None:
    profile = hypothesis.settings.get_profile("cairn")

    assert (profile.derandomize, profile.database, profile.deadline) == (True, None, None)
    others = [path for path in TESTS.rglob("*.py") if path not in {Path(__file__), TESTS / "conftest.py"}]
    assert [path.name for path in others if "derandomize" in path.read_text(encoding="utf-8")] == []


def test_a_hunt_ends_with_its_time(capsys: pytest.CaptureFixture[str]) -> None:
    assert hunt(0, iter([3, 4]), lambda _: True) is None

    assert capsys.readouterr().out == "Round 1 found nothing by seed 3\n"


def test_a_hunt_ends_with_what_it_found_and_tells_how_to_see_it_again(capsys: pytest.CaptureFixture[str]) -> None:
    assert hunt(60, iter([3, 4, 5]), lambda seed: seed != 4) == 4

    assert capsys.readouterr().out.splitlines()[-1].endswith('make bench-hunt ARGS="--seed 4"')


def test_a_hunt_plays_the_property_tests_and_no_others() -> None:
    names = {path.name for path in property_tests()}

    assert {"test_recent_turns.py", "test_table_model.py", Path(__file__).name} <= names
    assert "test_pipe.py" not in names
