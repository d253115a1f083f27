"""How the functions of a loaded module get the code of a changed source, and which lines of them are entered."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from threading import Thread
from types import ModuleType

import pytest

from entered import lines_entered
from swapped_code import swapped

SOURCE = """from functools import cache

ROW = 3

class Bed:
    @property
    def rows(self):
        return [ROW + 1 for _ in range(2)]

@cache
def length(bed):
    return 5

def maker(name):
    def made():
        return name
    return made

peas = maker("peas")
"""


@pytest.fixture
def beds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "beds_to_swap.py").write_text(SOURCE)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield import_module("beds_to_swap")
    del sys.modules["beds_to_swap"]


def swap(beds: ModuleType, old: str, new: str) -> bool:
    return swapped(Path(str(beds.__file__)), SOURCE, SOURCE.replace(old, new))


def test_what_was_made_of_a_class_before_runs_the_changed_code(beds: ModuleType) -> None:
    bed = beds.Bed()
    assert swap(beds, "ROW + 1", "ROW - 1")
    assert bed.rows == [2, 2]


def test_what_a_changed_function_has_cached_is_forgotten(beds: ModuleType) -> None:
    assert beds.length("a") == 5
    assert swap(beds, "return 5", "return 6")
    assert beds.length("a") == 6


@pytest.mark.parametrize(
    ("old", "new"),
    [("ROW = 3", "ROW = 4"), ('maker("peas")', 'maker("beans")'), ("range(2)]", "range(2)]\n\nROW = 1"), ("5", "5")],
)
def test_a_change_outside_of_functions_is_none_that_can_be_swapped(beds: ModuleType, old: str, new: str) -> None:
    assert not swap(beds, old, new)


def test_the_lines_are_told_that_any_thread_enters(beds: ModuleType) -> None:
    directory = Path(str(beds.__file__)).parent
    with lines_entered(directory) as entered, lines_entered(directory / "elsewhere") as elsewhere:
        pass
    with lines_entered(directory) as entered:
        thread = Thread(target=beds.peas)
        thread.start()
        thread.join()
    beds.length("b")
    assert entered == {(beds.__file__, 15), (beds.__file__, 16)}
    assert not elsewhere
