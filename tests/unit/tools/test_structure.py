"""What the counts of a checkout's layout count, on a small made-up tree."""

from __future__ import annotations

from pathlib import Path
from threading import Thread
from typing import Any

import pytest

import source_counts
from structure import table
from traced_calls import counted, traced

BEDS = '''"""Raised beds.

# This is no comment.
"""

import math  # noqa: F401

# Beans climb.
class Bed:
    """A bed."""

    size = 4  # metres


class _Row:
    pass
'''
TREE = {
    "layers/core/cairn/__init__.py": "",
    "layers/core/cairn/garden/__init__.py": "",
    "layers/core/cairn/garden/beds.py": BEDS,
    "layers/core/cairn/garden/model.py": "class Path:\n    pass\n",
    "layers/core/cairn/garden/paths.py": "class Path:\n    class Bed:\n        pass\n",
    "layers/core/cairn/shed/model.py": "class Bed:\n    pass\n\n\nclass _Row:\n    pass\n",
    "functions/cairn_tools/beds.py": "x = 1\n",
    "functions/elsewhere/beds.py": "class Bed:\n    pass\n",
    "layers/build.py": "class Bed:\n    pass\n",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    for name, text in TREE.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_only_the_packages_of_the_product_are_counted(checkout: Path) -> None:
    counted_files = {path.relative_to(checkout).as_posix() for path in source_counts.sources(checkout)}

    assert counted_files == TREE.keys() - {"functions/elsewhere/beds.py", "layers/build.py"}


def test_the_files_beside_a_module_are_a_mean_over_modules_not_over_folders(checkout: Path) -> None:
    assert source_counts.files_beside(source_counts.sources(checkout)) == (3, 2.2, 3), "three modules in 3, two in 1"


def test_lines_are_those_of_every_file(checkout: Path) -> None:
    assert source_counts.lines(source_counts.sources(checkout)) == (2, 16)


def test_comments_for_linters_are_told_from_those_for_people_and_docstrings_are_no_code(checkout: Path) -> None:
    found = source_counts.comments([checkout / "layers/core/cairn/garden/beds.py"])

    assert (found.for_people, found.for_tools, found.code_lines) == (2, 1, 5)
    assert found.per_hundred(found.for_people) == 40


def test_a_public_class_of_two_modules_is_a_repeated_name(checkout: Path) -> None:
    assert source_counts.repeated_classes(source_counts.sources(checkout), checkout) == {
        "Bed": ["cairn.garden.beds", "cairn.shed.model"],
        "Path": ["cairn.garden.model", "cairn.garden.paths"],
    }


def test_a_module_s_name_may_recur_only_where_it_says_the_same_in_every_package(checkout: Path) -> None:
    repeated = source_counts.repeated_modules(source_counts.sources(checkout), checkout)

    assert repeated == {"beds": ["cairn.garden.beds", "cairn_tools.beds"]}


def test_a_move_is_an_entry_into_another_file_than_the_entry_before() -> None:
    entered = ["a/door.py", "a/door.py", "a/wall.py", "b/tool.py", "b/store.py", "b/tool.py", "a/wall.py"]

    found = counted([(path, "run") for path in entered], ("b/tool.py", "run"))

    assert found == {
        "folders": 2,
        "files": 4,
        "moves between folders": 2,
        "moves between files": 5,
        "files before": 2,
        "moves before": 1,
    }


def test_a_trace_follows_a_call_into_the_thread_it_waits_for_and_leaves_out_other_code(checkout: Path) -> None:
    path = checkout / "functions/cairn_tools/beds.py"
    inside: dict[str, Any] = {}
    exec(compile("def first(): return second()\ndef second(): return 'beans'", path, "exec"), inside)  # noqa: S102
    heard: list[str] = []

    def in_a_thread() -> str:
        thread = Thread(target=lambda: heard.append(inside["first"]()))
        thread.start()
        thread.join()
        return heard[0]

    answer, frames = traced(in_a_thread, checkout)

    assert answer == "beans"
    assert frames == [("functions/cairn_tools/beds.py", name) for name in ("first", "second")]


def test_a_table_has_names_to_the_left_and_numbers_to_the_right() -> None:
    assert table("Beds", ("bed", "rows"), [["north", 4], ["south", 1200.5]], "A note.").splitlines() == [
        "Beds",
        "bed       rows",
        "north        4",
        "south  1,200.5",
        "A note.",
    ]
