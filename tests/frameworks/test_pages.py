"""What the pages for frameworks tell in figures is so; their programs are run by the tests of each framework."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

from support.installed import ROOT

HOW_TO = ROOT / "docs" / "how-to"
INDEX = HOW_TO / "use-with-your-framework.md"
PAGES = sorted(HOW_TO.glob("use-with-*.md"))
ADAPTERS = ROOT / "layers" / "core" / "cairn" / "frameworks"
TESTS = ROOT / "tests" / "frameworks"
COST = re.compile(r"^\| .+ \| \d+ `(?P<tool>\w+)` \| (?P<read>[\d.]+) \| (?P<write>[\d.]+) \|$")


@pytest.mark.parametrize("page", [page for page in PAGES if page != INDEX], ids=lambda page: page.stem)
def test_the_units_of_a_page_are_those_that_were_measured(page: Path) -> None:
    tables = json.loads((ROOT / "bench" / "results" / "budgets.json").read_text())["tables"]
    (measured,) = (each for each in tables if each["title"] == "Every tool")
    columns = [measured["columns"].index(name) for name in ("read units", "write units")]
    units = {row[0]: tuple(float(row[column]) for column in columns) for row in measured["rows"]}

    told = [match for line in page.read_text().splitlines() if (match := COST.match(line))]

    assert [each[0] for each in told if units[each["tool"]] != (float(each["read"]), float(each["write"]))] == []


def rows() -> list[list[str]]:
    """Return the cells of the table in the index, a list a row."""
    lines = [line for line in INDEX.read_text().splitlines() if line.startswith("| [")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]


@pytest.mark.parametrize("row", rows(), ids=lambda row: str(row[0]).partition("]")[0].strip("["))
def test_a_row_says_versions_lines_and_tests_as_they_are(row: list[str]) -> None:
    _, extra, run_with, _, adapter, _, passed, _ = row
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    names = re.findall(r"`(\w+)\.py`", adapter)

    for package, there in re.findall(r"`([\w-]+)` ([\d.]+)", run_with):
        assert there == pinned(package)
    assert extra.strip("`") in extras
    assert int(adapter.rpartition(", ")[2]) == sum(lines_of(name) for name in names)
    if "tests" in passed:
        assert int(re.findall(r"(\d+) tests", passed)[0]) == count_of_tests(names)


def pinned(package: str) -> str:
    """Return the version that `make frameworks` installs, in whichever of its environments."""
    texts = [each.read_text() for each in sorted((ROOT / "tools" / "programs" / "frameworks").glob("*.txt"))]
    return next(match[1] for text in texts if (match := re.search(rf"^{package}==([\d.]+)", text, re.MULTILINE)))


def lines_of(name: str) -> int:
    return len((ADAPTERS / f"{name}.py").read_text().splitlines())


def count_of_tests(names: Sequence[str]) -> int:
    """Count the tests of adapters; most of them run twice, over a directory and over a server."""
    files = {path for name in names for path in TESTS.glob(f"test_{name}*.py")}
    return sum(len(re.findall(r"^def test_", path.read_text(), re.MULTILINE)) for path in files)


def test_every_page_has_its_row_and_every_row_its_page() -> None:
    linked = [match[1] for row in rows() if (match := re.search(r"\]\((use-with-[\w-]+\.md)\)", row[0]))]

    assert {page.name for page in PAGES} - {INDEX.name} <= set(linked)
    assert [name for name in linked if not (HOW_TO / name).is_file()] == []
