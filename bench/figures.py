"""Draw docs/figures from the results that benches have kept: `make bench-figures`; no bench is run for it.

A figure stands on docs/performance.md above the first table that it is drawn from. `make bench-<name> ARGS=--save`
draws anew as well.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias

from bar_charts import Bar, BarChart, Column, Look, Panel, Row
from line_charts import Line, LineChart, Point
from svg import Series, Words

RESULTS: Final = Path(__file__).parent / "results"
FIGURES: Final = Path(__file__).parents[1] / "docs" / "figures"
_NAMES: Final = {"locomo": "LoCoMo", "beam": "BEAM"}
_CALLS: Final = (
    "memory_before_turn",
    "memory_after_turn",
    "remember",
    "recall",
    "forget",
    "memory_list_known",
    "store_session_to_cascade",
    "retrieve_session_from_cascade",
    "putMemory, new key",
    "getMemory",
)
"""The calls that most memories consist of; the table has all."""

_FOUND: Final = "hit@10 %"
_UNRANKED: Final = "no ranking"
"""What is said of memories whose answers stand in no order of merit: what is among their first is chance."""
_Result: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure: its file, its title, and the table above which it stands."""

    file: str
    title: str
    beside: str
    text: str


class _Table:
    """A kept table, by the names of its columns; of those of one name, the first."""

    def __init__(self, kept: Mapping[str, Any]) -> None:
        self.title: str = kept["title"]
        self._columns: list[str] = kept["columns"]
        self._rows: list[list[Any]] = kept["rows"]

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the rows."""
        return (dict(reversed(list(zip(self._columns, row, strict=True)))) for row in self._rows)


def figure(result: _Result) -> Figure | None:
    """Return the figure of a bench's result, None if it has none."""
    drawing = _DRAWINGS.get(result["bench"])
    return drawing(result) if drawing else None


def figures(results: Path) -> Mapping[str, str]:
    """Return the text of each figure by its file, of all results kept in a folder."""
    kept = (json.loads(path.read_text("utf-8")) for path in sorted(results.glob("*.json")))
    return {drawn.file: drawn.text for drawn in map(figure, kept) if drawn}


def write(results: Path, folder: Path) -> None:
    """Write all figures, and remove those that are drawn no more."""
    folder.mkdir(exist_ok=True)
    drawn = figures(results)
    for path in folder.glob("*.svg"):
        if path.name not in drawn:
            path.unlink()
    for file, text in drawn.items():
        (folder / file).write_text(text, "utf-8")


def _recall(result: _Result) -> Figure:
    """Draw, for each data set, how often the evidence is among the first ten, of all questions and by kind."""
    panels: list[Panel] = []
    for whole in _tables(result, r"Recall on (\w+)"):
        name = whole.title.split()[-1]
        (kinds,) = _tables(result, f"By kind of question, on {name}")
        rows = _paired(whole, "Cairn, words and meaning", "all")
        for kind in dict.fromkeys(each["ranking"].partition("; ")[2] for each in kinds):
            rows += _paired(kinds, "words and meaning", kind)
        panels.append(Panel(_NAMES.get(name, name), rows))
    words = Words(
        "Is the evidence among the first ten results?",
        "Of the questions, in %, for which some text that is needed is among the first ten. More is better. "
        "Thin lines: 95 % intervals over conversations.",
        (("cairn", "Cairn, words and meaning"), ("other", "plain BM25")),
        [_measured(result)],
    )
    chart = BarChart(words, [Column("", "", most=100)], panels, Look(thick=10, apart=9, names=196))
    return Figure("recall.svg", words.title, _tables(result, r"Recall on (\w+)")[0].title, chart.drawn())


def _paired(table: _Table, cairn: str, kind: str) -> list[Row]:
    """Return a row with Cairn's bar of a kind of question and plain BM25's."""
    found = {each["ranking"]: each for each in table}
    ours, plain = found[f"{cairn}; {kind}"], found[f"BM25, plain; {kind}"]
    bars = [_share_of(ours, "cairn"), _share_of(plain, "other")]
    return [Row(kind.replace("_", " "), [bars], f"{ours['n']:,} questions")]


def _share_of(row: Mapping[str, Any], series: Series) -> Bar:
    low, high = map(float, row["95 %"].split(" to "))
    return Bar(row["any@10"], f"{row['any@10']}", series, (low, high))


def _contexts(result: _Result) -> Figure:
    """Draw how often a context holds what is true, and what is outdated."""
    (table,) = _tables(result, "What is placed for later questions")
    words = Words(
        "Does the context hold what is true now?",
        "Stories told over months, then questions in a new conversation; of these, in %. The held-out half is looked "
        "at in sums alone.",
        (("cairn", "Cairn's context"), ("other", "plain BM25, whole texts")),
        [_measured(result)],
    )
    columns = {
        "right": Column("what is true", "is in it\nmore is better", 100),
        "stale above": Column("something outdated", "stands above it\nless is better", 100),
        "right, nothing outdated": Column("after a change", "true, nothing outdated\nmore is better", 100),
    }
    panels: list[Panel] = []
    for half in ("held out", "development"):
        rows = [row for row in table if row["half"] == half]
        heading = f"{half.capitalize()}: {rows[0]['questions']:,} questions, {rows[0]['of changes']:,} of changes"
        bars = ([[Bar(row[each], f"{row[each]}", _series(row["context"]))] for each in columns] for row in rows)
        panels.append(Panel(heading, [Row(row["context"], each) for row, each in zip(rows, bars, strict=True)]))
    chart = BarChart(words, [*columns.values()], panels, Look(thick=15, names=170))
    return Figure("contexts.svg", words.title, table.title, chart.drawn())


def _calls(result: _Result) -> Figure:
    """Draw what calls ask of the store."""
    (table,) = _tables(result, "Every tool")
    found = {row["call"]: row for row in table}
    columns = {
        "warm": Column("round trips", "warm process"),
        "cold": Column("round trips", "cold process"),
        "write units": Column("write units", "warm process"),
        "read units": Column("read units", "warm process"),
    }
    words = Words(
        "What does a call ask of DynamoDB, S3 and KMS?",
        "Round trips are requests that wait for one another; units are of the warm call, its audit record among them. "
        "Less is better.",
        (),
        [_unmet(result), _measured(result)],
    )
    bars = {call: [[Bar(row[each], f"{row[each]:g}", "cairn")] for each in columns] for call, row in found.items()}
    rows = [Row(call, bars[call]) for call in _CALLS if call in bars]
    chart = BarChart(words, [*columns.values()], [Panel("", rows)], Look(thick=12, apart=10, names=216))
    return Figure("calls.svg", words.title, table.title, chart.drawn())


def _unmet(result: _Result) -> str:
    """Return which budgets are not met, "" where all are."""
    (budgets,) = _tables(result, "Budgets")
    unmet = [f"{row['what']}, at most {row['at most']}, are {row['is']:g}" for row in budgets if row[""] == "NOT MET"]
    return f"Budgets that are not met: {'; '.join(unmet)}." if unmet else ""


def _cost(result: _Result) -> Figure:
    """Draw what a million of each call costs beside the managed rival."""
    (table,) = _tables(result, "Beside the managed rival")
    panels: list[Panel] = []
    for what in dict.fromkeys(row["a million of"] for row in table):
        rows = [row for row in table if row["a million of"] == what]
        ours = rows[0]["Cairn, dollars"]
        drawn = [Row("Cairn", [[Bar(ours, f"${ours:,.2f}", "cairn")]]), *map(_rival, rows)]
        panels.append(Panel(f"{what.capitalize()}, a million times", drawn))
    words = Words(
        "What does a million cost in AWS?",
        "US dollars at list prices, the first month's storage among them. Less is better.",
        (("cairn", "Cairn"), ("other", "managed rival, at its prices of the month named")),
        [_note_of(result, table.title), _measured(result)],
    )
    chart = BarChart(words, [Column("", "")], panels, Look(names=210))
    return Figure("cost.svg", words.title, table.title, chart.drawn())


def _rival(row: Mapping[str, Any]) -> Row:
    prices, dollars = row["rival's prices of"], row["rival, dollars"]
    times = row["Cairn to rival"].removeprefix("1/")
    bar = Bar(dollars, f"${dollars:,.2f}, {times} times Cairn's", "other")
    return Row(f"rival, {prices}", [[bar]])


def _peers(result: _Result) -> Figure:
    """Draw what storing and searching takes beside other memories, where each holds most."""
    table = _tables(result, r"[\d,]+ memories")[-1]
    measures = {
        "store p50 ms": Column("store, ms", "median\nless is better"),
        "search p50 ms": Column("search, ms", "median\nless is better"),
        _FOUND: Column("found, %", "in the first ten\nmore is better", 100),
    }
    rows = [
        Row(row["memory"], [[_of_peer(row, each)] for each in measures], row["how"].partition("; ")[0]) for row in table
    ]
    unranked: dict[str, list[str]] = {}
    for row in table:
        if row["how"].partition("; ")[2]:
            unranked.setdefault(row["how"].partition("; ")[2], []).append(row["memory"])
    words = Words(
        f"How fast are memories that hold {table.title.split()[0]} texts, and what do they find?",
        "Each is asked through the door that its users have: a process and a wire, or a library called in process.",
        (("cairn", "Cairn"), ("other", "others")),
        [*(f"{' and '.join(names)}: {why}." for why, names in unranked.items()), _measured(result)],
    )
    chart = BarChart(words, [*measures.values()], [Panel("", rows)], Look(thick=16, apart=15, names=222))
    return Figure("peers.svg", words.title, table.title, chart.drawn())


def _of_peer(row: Mapping[str, Any], measure: str) -> Bar:
    value = row[measure]
    if measure == _FOUND and _UNRANKED in row["how"]:
        return Bar(None, _UNRANKED, "other")
    return Bar(value, "not measured" if value is None else f"{value}", _series(row["memory"]))


def _growth(result: _Result) -> Figure:
    """Draw how long a recall takes as memories grow."""
    (table,) = _tables(result, "Recall as memories grow")
    points: dict[str, list[Point]] = {}
    for row in table:
        amount, _, way = row["memories, by"].partition(", ")
        points.setdefault(way, []).append(Point(int(amount.replace(",", "")), row["p50 ms"], row["p95 ms"]))
    series: Sequence[Series] = ("second", "cairn")
    words = Words(
        "How long does a recall take as memories grow?",
        "Medians; the line above a point reaches the 95th percentile. Less is better.",
        list(zip(series, (f"by {way}" for way in points), strict=False)),
        [_note_of(result, table.title), _measured(result)],
    )
    lines = [Line(f"by {way}", each, points[way]) for each, way in zip(series, points, strict=False)]
    chart = LineChart(words, "memories of one user", "milliseconds", lines)
    return Figure("growth.svg", words.title, table.title, chart.drawn())


_DRAWINGS: Final[Mapping[str, Callable[[_Result], Figure]]] = {
    "budgets": _calls,
    "cost": _cost,
    "peers": _peers,
    "recall": _recall,
    "recall_scale": _growth,
    "truth": _contexts,
}
"""By the bench whose result is drawn."""


def _tables(result: _Result, title: str) -> list[_Table]:
    return [_Table(each) for each in result["tables"] if re.fullmatch(title, each["title"])]


def _note_of(result: _Result, title: str) -> str:
    """Return what a table's reader has to know."""
    return next(each["note"] for each in result["tables"] if each["title"] == title)


def _measured(result: _Result) -> str:
    machine = result["machine"]
    return f"make bench-{result['bench']}, {result['measured']}, on {machine['cpu']}, {machine['cores']} cores."


def _series(name: str) -> Series:
    return "cairn" if name.lower().startswith("cairn") else "other"


if __name__ == "__main__":
    write(RESULTS, FIGURES)
