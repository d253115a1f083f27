"""What is drawn of a bench's tables: bars and points where their numbers are, and words as they are."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import figures
from bar_charts import Bar, BarChart, Column, Panel, Row
from line_charts import Line, LineChart, Point
from scales import shown, ticks
from svg import Words

WORDS = Words("A < B & C", "In %.", (("cairn", "ours"), ("other", "theirs")), ["A note."])


@pytest.mark.parametrize(
    ("most", "about", "expected"),
    [
        (100, 4, [0, 25, 50, 75, 100]),
        (33.8, 4, [0, 10, 20, 30, 40]),
        (0.9, 3, [0, 0.5, 1]),
        (1560, 4, [0, 500, 1000, 1500, 2000]),
        (6, 3, [0, 2, 4, 6]),
        (0, 4, [0, 1]),
    ],
)
def test_an_axis_has_round_numbers_and_ends_behind_the_most(most: float, about: int, expected: list[float]) -> None:
    assert ticks(most, about) == expected


def test_numbers_at_an_axis_have_no_fraction_that_is_none() -> None:
    assert [shown(each) for each in (0.0, 2.5, 2000.0)] == ["0", "2.5", "2,000"]


def bars(text: str) -> list[tuple[float, str]]:
    """Return the width and the series of each bar, those of the legend left out."""
    found = re.findall(r'<rect [^>]*width="([\d.]+)" height="(?!12")[\d.]+" rx="1.5" class="(\w+)"', text)
    return [(float(wide), series) for wide, series in found]


def test_bars_are_as_long_as_their_values_say_and_none_stands_for_nothing() -> None:
    rows = [Row("one", [[Bar(50.0, "50", "cairn"), Bar(25.0, "25", "other")]])]
    rows += [Row("two", [[Bar(0.0, "0", "cairn"), Bar(None, "not measured", "other")]])]

    text = BarChart(WORDS, [Column("", "", 100)], [Panel("all", rows)]).drawn()

    (first, of_first), (second, of_second) = bars(text)
    assert (of_first, of_second) == ("cairn", "other")
    assert first == pytest.approx(2 * second, abs=0.1)
    assert ">not measured</text>" in text
    assert "all, one: ours 50; theirs 25. all, two: ours 0; theirs not measured." in text


def test_columns_of_one_scale_are_as_wide_and_others_have_their_own() -> None:
    row = Row("one", [[Bar(100.0, "a longer text", "cairn")], [Bar(100.0, "1", "cairn")], [Bar(3.0, "3", "cairn")]])

    text = BarChart(WORDS, [Column("a", "more"), Column("b", "more"), Column("c", "more")], [Panel("", [row])]).drawn()

    wides = [wide for wide, _ in bars(text)]
    assert wides[0] == wides[1]
    assert wides[2] > wides[1]


def test_an_interval_is_a_line_from_its_low_to_its_high_end_and_the_number_stands_behind_it() -> None:
    row = Row("one", [[Bar(50.0, "50", "cairn", (25.0, 75.0))]])

    text = BarChart(WORDS, [Column("", "", 100)], [Panel("", [row])]).drawn()

    ((wide, _),) = bars(text)
    low, high = map(float, re.findall(r'd="M([\d.]+) [\d.]+ L([\d.]+) [\d.]+" class="range"', text)[0])
    (number,) = re.findall(r'<text x="([\d.]+)" y="[\d.]+" class="label">50<', text)
    assert high - low == pytest.approx(wide, abs=0.2)
    assert float(number) > high


def test_words_are_escaped_and_stand_around_the_marks() -> None:
    text = BarChart(WORDS, [Column("", "")], [Panel("", [Row("a<b", [[Bar(1.0, "1", "cairn")]])])]).drawn()

    assert '<title id="title">A &lt; B &amp; C</title>' in text
    assert ">a&lt;b</text>" in text
    assert ">A note.</text>" in text


def test_a_tenfold_amount_is_as_far_away_each_time_and_higher_is_more() -> None:
    points = [Point(1_000, 10.0, 12.0), Point(10_000, 20.0, 20.0), Point(100_000, 40.0, 44.0)]

    text = LineChart(WORDS, "memories", "ms", [Line("ours", "cairn", points)]).drawn()

    places = [(float(x), float(y)) for x, y in re.findall(r'<circle cx="([\d.]+)" cy="([\d.]+)"', text)]
    assert places[1][0] - places[0][0] == pytest.approx(places[2][0] - places[1][0], abs=0.2)
    assert places[0][1] - places[1][1] == pytest.approx((places[1][1] - places[2][1]) / 2, abs=0.2)
    assert "ours: at 1,000 10.0 to 12.0; at 10,000 20.0 to 20.0; at 100,000 40.0 to 44.0." in text


def result(bench: str) -> dict[str, Any]:
    return json.loads((figures.RESULTS / f"{bench}.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("bench", "table", "row", "column"),
    [
        ("budgets", 1, 0, 1),
        ("cost", 0, 0, 1),
        ("peers", 1, 0, 2),
        ("recall", 1, 0, 3),
        ("recall_scale", 0, 0, 1),
        ("truth", 1, 2, 3),
    ],
)
def test_a_figure_has_its_numbers_from_the_results(bench: str, table: int, row: int, column: int) -> None:
    kept = result(bench)
    kept["tables"][table]["rows"][row][column] = 77.25

    drawn = figures.figure(kept)

    assert drawn is not None
    assert "77.25" in drawn.text
    assert "77.25" not in figures.figures(figures.RESULTS)[drawn.file]


def test_each_kind_of_question_has_cairn_s_bar_and_that_of_plain_bm25() -> None:
    kept = result("recall")
    rows = {row[0]: row for table in kept["tables"] for row in table["rows"]}

    drawn = figures.figure(kept)

    assert drawn is not None
    for kind in ("multi-hop", "temporal", "knowledge_update"):
        ours, plain = rows[f"words and meaning; {kind}"][3], rows[f"BM25, plain; {kind}"][3]
        told = f"{kind.replace('_', ' ')}: Cairn, words and meaning {ours}; plain BM25 {plain}."
        assert told in drawn.text


def test_a_bench_without_a_figure_has_none() -> None:
    assert figures.figure({"bench": "load", "tables": []}) is None


def test_of_memories_that_rank_nothing_no_hits_are_drawn() -> None:
    kept = result("peers")
    ranked = sum("no ranking" not in row[-1] for row in kept["tables"][-1]["rows"])

    drawn = figures.figure(kept)

    assert drawn is not None
    assert len(bars(drawn.text)) == 2 * len(kept["tables"][-1]["rows"]) + ranked


def test_what_was_not_measured_is_said_and_not_drawn() -> None:
    kept = result("peers")
    kept["tables"][-1]["rows"][-1][2:-1] = [None] * len(kept["tables"][-1]["rows"][-1][2:-1])

    drawn = figures.figure(kept)

    assert drawn is not None
    assert drawn.text.count(">not measured<") == 3


def test_figures_that_are_drawn_no_more_are_removed(tmp_path: Path) -> None:
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "old.svg").write_text("<svg/>", "utf-8")

    figures.write(figures.RESULTS, tmp_path / "figures")

    assert {path.name for path in (tmp_path / "figures").iterdir()} == figures.figures(figures.RESULTS).keys()
