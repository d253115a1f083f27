"""The figures of docs/performance.md are those that bench/figures.py draws of the results kept, and stand alone."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree as ET

import pytest

import figures
from svg import WIDTH, width_of

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "performance.md").read_text(encoding="utf-8")
DRAWN = figures.figures(figures.RESULTS)
MOST_BYTES = 20_000
SVG = "{http://www.w3.org/2000/svg}"
every_figure = pytest.mark.parametrize("path", sorted(figures.FIGURES.glob("*.svg")), ids=lambda path: path.name)


class Box(NamedTuple):
    """Where something stands, in pixels."""

    left: float
    right: float
    top: float
    bottom: float

    def meets(self, other: Box) -> bool:
        return (
            self.left < other.right and other.left < self.right and self.top < other.bottom and other.top < self.bottom
        )


def root_of(path: Path) -> ET.Element:
    return ET.fromstring(path.read_text(encoding="utf-8"))  # noqa: S314 - our own file


def labels(path: Path) -> list[ET.Element]:
    return [each for each in root_of(path).iter(f"{SVG}text") if each.get("class") == "label"]


def bars_of(path: Path) -> list[tuple[float, float, float, float]]:
    """Return left, top, width and height of each bar; the squares of the legend are none."""
    sides = [
        tuple(float(each.get(side, "")) for side in ("x", "y", "width", "height"))
        for each in root_of(path).iter(f"{SVG}rect")
        if each.get("class") != "ground"
    ]
    return [(left, top, wide, high) for left, top, wide, high in sides if (wide, high) != (12, 12)]


def texts_of(path: Path) -> list[Box]:
    """Return where texts stand, without what hangs below their lines."""
    boxes: list[Box] = []
    for each in root_of(path).iter(f"{SVG}text"):
        size = {"title": 17, "small": 11}.get(each.get("class") or "", 12.5)
        wide = width_of(each.text or "", size)
        left = float(each.get("x", "")) - wide * {"middle": 0.5, "end": 1}.get(each.get("text-anchor") or "", 0)
        y = float(each.get("y", ""))
        boxes.append(Box(left, left + wide, y - 0.7 * size, y))
    return boxes


def test_the_figures_that_are_kept_are_those_that_the_results_make_today() -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in figures.FIGURES.glob("*.svg")}

    assert len(DRAWN) == 6
    assert [name for name in {*DRAWN, *kept} if DRAWN.get(name) != kept.get(name)] == []


def test_the_page_shows_each_figure_once_right_above_a_table() -> None:
    shown = re.findall(r"^### .+\n\n!\[[^]\n]+\]\(figures/([\w.]+)\)\n\n\| ", PAGE, re.MULTILINE)

    assert sorted(shown) == sorted(DRAWN)
    assert len(re.findall(r"figures/\w+\.svg", PAGE)) == len(shown)


@every_figure
def test_a_figure_is_small_and_well_formed(path: Path) -> None:
    assert path.stat().st_size < MOST_BYTES
    assert root_of(path).tag == f"{SVG}svg"


@every_figure
def test_who_hears_a_figure_is_told_its_title_and_every_number(path: Path) -> None:
    root = root_of(path)
    told = {each.get("id", ""): each.text or "" for each in root if each.tag in {f"{SVG}title", f"{SVG}desc"}}
    numbers = {each.text for each in labels(path) if re.match(r"[$\d]", each.text or "")}

    assert root.get("role") == "img"
    assert (root.get("aria-labelledby") or "").split() == list(told)
    assert f"![{told['title']}](figures/{path.name})" in PAGE
    assert numbers
    assert [number for number in numbers if number and number not in told["told"]] == []


@every_figure
def test_a_figure_fetches_nothing_and_is_dark_for_who_reads_in_the_dark(path: Path) -> None:
    text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")

    assert re.search(r"https?://|url\(|@import|@font-face|<script|<image|href", text) is None
    assert "@media(prefers-color-scheme:dark)" in text


@every_figure
def test_no_text_of_a_figure_leaves_it_or_runs_into_another_or_a_bar(path: Path) -> None:
    texts = texts_of(path)
    bars = [Box(left, left + wide, top, top + high) for left, top, wide, high in bars_of(path)]

    assert [each for each in texts if each.left < 0 or each.right > WIDTH] == []
    assert [two for two in combinations(texts, 2) if two[0].meets(two[1])] == []
    assert [(each, bar) for each in texts for bar in bars if each.meets(bar)] == []


@every_figure
def test_bars_of_a_column_are_as_long_as_the_numbers_beside_them_say(path: Path) -> None:
    columns: dict[float, list[tuple[float, float]]] = {}
    at = {(float(each.get("y", "")), float(each.get("x", ""))): each.text or "" for each in labels(path)}
    for left, top, wide, high in bars_of(path):
        level = top + high / 2 + 4.2
        near = min((x, text) for (y, x), text in at.items() if abs(y - level) < 0.2 and x > left + wide)
        columns.setdefault(left, []).append((wide, float(re.sub(r", .*|[$,]", "", near[1]))))

    assert bool(columns) == (path.name != "growth.svg")
    for column in columns.values():
        longest, most = max(column)
        assert [each for each in column if abs(each[0] - each[1] * longest / most) > 0.2] == []
