"""The page docs/performance.md, which shows the results that benches have kept, with figures of some."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from figures import figure

_INTRODUCTION = """\
Generated from the results in `bench/results`; nothing here is typed. Each command prints its part again; with
`ARGS=--save` it keeps the result and writes this page. Round trips, calls, units and dollars do not depend on the
machine; milliseconds do, so compare them within one run only."""


def page(results: Path) -> str:
    """Return the page with a part for each result kept in a folder."""
    parts = ["# Performance", "", _INTRODUCTION, ""]
    for path in sorted(results.glob("*.json")):
        parts += _part(json.loads(path.read_text("utf-8")))
    return "\n".join(parts)


def _part(result: Mapping[str, Any]) -> Iterator[str]:
    machine, load = result["machine"], result["load"]
    versions = ", ".join(f"{name} {number}" for name, number in result["versions"].items())
    seeds = f", seeds {', '.join(map(str, result['seeds']))}" if result["seeds"] else ""
    yield from (f"## `make bench-{result['bench']}`", "")
    yield f"Measured {result['measured']} on {machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']} GB,"
    yield f"{machine['system']}; {versions}{seeds}; load {load['at_start']} before and {load['at_end']} after."
    drawn = figure(result)
    for table in result["tables"]:
        yield from ("", f"### {table['title']}", "")
        if drawn and drawn.beside == table["title"]:
            yield from (f"![{drawn.title}](figures/{drawn.file})", "")
        yield _row(table["columns"])
        yield _row(["---"] * len(table["columns"]))
        yield from map(_row, table["rows"])
        if table["note"]:
            yield from ("", table["note"])
    yield ""


def _row(cells: Sequence[str | float | None]) -> str:
    return f"| {' | '.join(map(_cell, cells))} |"


def _cell(cell: str | float | None) -> str:
    if isinstance(cell, int | float):
        return f"{cell:,}"
    return (cell or "").replace("|", "\\|")
