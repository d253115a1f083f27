"""How every bench tells what it measured: tables for people, one line of JSON, and results kept for the page.

A bench makes `Table`s and hands them to `publish` with the options of `options`: `--json` adds one JSON object as the
last line, with the machine, the versions, the seeds and the load in it; `--save` keeps that object in bench/results
and writes docs/performance.md, and the figures in it, from all that is kept there.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeAlias

import figures
import performance

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parents[1] / "docs" / "performance.md"
_CPU_INFO = Path("/proc/cpuinfo")
_LOAD_AT_START = os.getloadavg()[0]
MOST_LOAD = 1.5
"""How much other work there may be, of a minute, where a result is to be kept."""

Cell: TypeAlias = str | int | float | None


@dataclass(frozen=True, slots=True)
class Table:
    """Figures under named columns; the first column names the row. `note` says what a reader has to know."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    note: str = ""

    def text(self) -> str:
        """Return the table for a terminal."""
        lines = [self.columns, *([_shown(cell) for cell in row] for row in self.rows)]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        left = [all(not _is_number(row[at]) for row in self.rows) for at in range(len(widths))]
        aligned = [
            "  ".join(cell.ljust(width) if is_left else cell.rjust(width) for cell, width, is_left in each).rstrip()
            for each in (zip(line, widths, left, strict=True) for line in lines)
        ]
        return "\n".join([self.title, *aligned, *([self.note] if self.note else [])])


def options(description: str | None) -> argparse.ArgumentParser:
    """Return a parser with the options of every bench."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", action="store_true", help="print one JSON object as the last line")
    parser.add_argument("--save", action="store_true", help="keep the result and write docs/performance.md")
    return parser


def publish(
    bench: str,
    tables: Sequence[Table],
    given: argparse.Namespace,
    *,
    seeds: Sequence[int] = (),
    libraries: Sequence[str] = (),
) -> None:
    """Print the tables, and the JSON object where it is asked for; keep it where that is.

    SystemExit, and nothing is kept, where the machine was busy as the bench began: what is kept is compared for years.
    """
    print("\n\n".join(table.text() for table in tables))
    result = {
        "bench": bench,
        "measured": datetime.now(UTC).strftime("%Y-%m-%d"),
        "machine": machine(),
        "versions": {name: version(name) for name in ("cairn-aws", *libraries)} | {"python": platform.python_version()},
        "seeds": list(seeds),
        "load": {"at_start": round(_LOAD_AT_START, 2), "at_end": round(os.getloadavg()[0], 2)},
        "tables": [asdict(table) for table in tables],
    }
    if given.save and _LOAD_AT_START > MOST_LOAD:
        raise SystemExit(f"Nothing is kept: the load was {_LOAD_AT_START:.2f} as this began, more than {MOST_LOAD}")
    if given.save:
        RESULTS.mkdir(exist_ok=True)
        (RESULTS / f"{bench}.json").write_text(json.dumps(result, indent=1, ensure_ascii=False) + "\n", "utf-8")
        PAGE.write_text(performance.page(RESULTS), "utf-8")
        figures.write(RESULTS, PAGE.parent / "figures")
    if given.json:
        print(json.dumps(result, ensure_ascii=False))


def machine() -> Mapping[str, Any]:
    """Return what the figures were measured on: processor, cores, gigabytes of memory."""
    lines = _CPU_INFO.read_text("utf-8").splitlines() if _CPU_INFO.exists() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "system": f"{platform.system()} {platform.machine()}",
    }


def _shown(cell: Cell) -> str:
    if cell is None:
        return ""
    return f"{cell:,}" if _is_number(cell) else str(cell)


def _is_number(cell: Cell) -> bool:
    return isinstance(cell, int | float)
