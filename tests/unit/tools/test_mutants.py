"""What mutants are planted, what they are called, and that those which no test notices are told."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import room_mutants
from mutant_trials import Entered
from mutations import Mutation, mutated, mutations
from room_mutants import CORE, Mutant

UNTOLD = '''"""A module."""
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import os

Length: TypeAlias = "int | float"
Name = NewType("Name", str)
__all__ = ["Length"]


@lru_cache(16)
def bed(length: "Length", name: str) -> "str":
    """Return a bed."""
    logger.info("a bed", length)
    if beds["A few beds"]:
        raise ValueError(f"{name} and", 3)
    need(length, "is too long")
    return False


class Bed:
    width: "int"
    """How wide."""

    def __repr__(self):
        return "bed"
'''
BEDS = """SHORT = 4


def is_long(length):
    return length > 3


def names():
    return [name for name in ("beans", "peas") if len(name) > SHORT]
"""
TESTS = """from cairn.garden.beds import is_long, names


def test_a_bed_is_long():
    assert (is_long(5), is_long(1)) == (True, False)


def test_beds_have_names():
    assert names() == ["beans"]
"""


@pytest.mark.parametrize(
    ("source", "texts"),
    [
        ("a < b", {"a <= b"}),
        ("a == b is not c", {"a != b is not c", "a == b is c"}),
        ("a not in (b)", {"a in (b)"}),
        ("(a) and (b and c)", {"(a) or (b and c)", "(a) and (b or c)"}),
        ("not a", {"a"}),
        ("a - b % c", {"a + b % c", "a - b * c"}),
        ("a = 'é', 2", {"a = 'éX', 2", "a = 'é', 3"}),
        ("a = True", {"a = False"}),
        ("a if b else c", {"a if True else c", "a if False else c"}),
        ("[a for a in b if c]", {"[a for a in b if True]"}),
        ("f(a, b, c)", {"f(b, a, c)", "pass"}),
        ("a = max(b, c)", set[str]()),
        ("a.b = c", {"pass"}),
        ("a += c", {"pass"}),
        ("def f(a=1):\n    return a", {"def f(a=2):\n    return a", "def f(a=1):\n    return None"}),
    ],
)
def test_each_thing_that_a_line_does_is_done_otherwise(source: str, texts: set[str]) -> None:
    assert {mutated(source, each) for each in mutations(source)} == texts


def test_what_no_test_can_tell_is_left_as_it_is() -> None:
    told = [(each.line, mutated(UNTOLD, each).splitlines()[each.line - 1].strip()) for each in mutations(UNTOLD)]
    assert told == [
        (16, "if False:"),
        (16, "if True:"),
        (17, "pass"),
        (18, "pass"),
        (18, 'need("is too long", length)'),
        (19, "return True"),
    ]


def test_a_mutant_is_known_by_its_method_and_by_its_lines_wherever_they_stand() -> None:
    source = "class A:\n    def b(self):\n        return [\n            1 < c\n        ]\n"
    (names,) = {
        tuple(Mutant(Path("cairn/log/view.py"), text, each).name for each in mutations(text) if "<=" in each.text)
        for text in (source, f"x\n\n{source}")
    }
    assert names == (("cairn.log.view:A.b", "1 < c", "1 <= c"),)


def test_a_mutant_meets_the_tests_that_enter_its_lines_those_of_its_room_first_and_the_fastest_of_them() -> None:
    view, other = str(CORE / "cairn/log/view.py"), str(CORE / "cairn/log/other.py")
    entered = Entered(
        {"tests/unit/log/a": 3, "tests/unit/log/b": 1, "tests/unit/log/c": 28, "tests/edge/d": 0.5, "tests/edge/e": 40},
        {
            (view, 3): {"tests/unit/log/a", "tests/edge/e"},
            (view, 4): {"tests/unit/log/b", "tests/edge/d"},
            (view, 5): {"tests/unit/log/c"},
            (other, 4): {"tests/unit/log/c"},
        },
    )
    entered_lines, no_lines = (
        entered.tests_of(Mutant(Path("cairn/log/view.py"), "", Mutation("", lines[0], lines, 0, 0, "")))
        for lines in ((3, 4), (8, 9))
    )
    assert entered_lines == no_lines == ["tests/unit/log/b", "tests/unit/log/a", "tests/edge/d"]


def test_the_lines_of_a_mutation_are_those_of_its_statement() -> None:
    source = "def f(a, b):\n    if (\n        a\n        < b\n    ):\n        return a\n    return b\n"
    lines = {(each.line, each.text.strip()): each.lines for each in mutations(source)}
    assert lines == {
        (3, "True"): (2, 6),
        (3, "False"): (2, 6),
        (3, "<="): (2, 6),
        (6, "None"): (6, 6),
        (7, "None"): (7, 7),
    }


def test_every_mutant_that_is_listed_as_equivalent_is_still_one() -> None:
    listed = room_mutants.equivalents()
    rooms = {function.split(".")[1] for function, _, _ in listed}
    assert listed <= {each.name for room in rooms for each in room_mutants.of_room(room)}


@pytest.mark.slow
def test_those_that_no_test_notices_are_told_and_those_that_are_listed_are_not_planted(tmp_path: Path) -> None:
    beds, tests = "layers/core/cairn/garden/beds.py", "tests/unit/garden/test_beds.py"
    for name, text in ((beds, BEDS), (tests, TESTS), ("layers/core/cairn/__init__.py", "")):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    (tmp_path / "tools").mkdir()
    for name in ("mutants", "mutations", "room_mutants", "mutant_trials", "swapped_code", "entered"):
        shutil.copy(Path(room_mutants.__file__).with_name(f"{name}.py"), tmp_path / "tools")
    (tmp_path / "tools/equivalent_mutants.toml").write_text(
        '[[equivalent]]\nfunction = "cairn.garden.beds:is_long"\nwhy = "as a test"\n'
        'old = "return length > 3"\nnew = "return length >= 3"\n'
    )

    told = subprocess.run(  # noqa: S603 - this Python
        [sys.executable, tmp_path / "tools/mutants.py", "garden"],
        env={**os.environ, "PYTEST_ADDOPTS": "-p no:hypothesispytest"},  # which takes a second to load, each time
        capture_output=True,
        text=True,
        check=False,
    )

    assert told.returncode == 0, told.stderr
    assert told.stdout.splitlines()[:-1] == [
        "layers/core/cairn/garden/beds.py:5 is_long",
        "- return length > 3",
        "+ return length > 4",
        "",
        "",
        "garden, seed 1: 7 of 8 killed, 88%",
    ]
    assert (tmp_path / beds).read_text() == BEDS
