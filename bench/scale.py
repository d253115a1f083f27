"""How far Cairn goes: logs as they grow, where load meets, what breaks first and at what load, and what that costs.

Units are counted as in `make bench-budgets`, dollars as in `make bench-cost`. Segments are played with the code's own
rule of merging; what a text takes of them is measured on logs really built here and extrapolated from there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cost
import report
from agents import ROUND_TRIP_MS
from built_log import DISTINCT, build, embedding_seconds
from cairn.ground import retries
from cairn.ground.jobs import DUE_SHARDS
from cairn.sessions import transacting
from cairn.sessions.layout import HEAD
from heat import NEW_KEY, PARTITION_READS, PARTITION_WRITES, Load, hot, load, meeting
from log_growth import grown
from processes import Cost
from report import Cell, Table
from scale_load import bounds_table, needs_table, worlds_table
from scale_logs import Pace, built_table, fit_table, growth_table, level_table
from scenes import AFTER, BEFORE, REMEMBER, SEED

SIZES = tuple(10**power for power in range(3, 9))
MEASURED = (DISTINCT, 15 * DISTINCT)
"""How many entries the built logs have: bytes are of the first, times and memory grow as from the first to the last."""
RATES = (5, 10, 20, 40, 60, 80)
_PLAYED = 600


def main() -> None:
    """Print the tables."""
    parser = report.options(__doc__)
    parser.add_argument("--entries", type=int, default=max(SIZES), help="how many entries of a log to go up to")
    given = parser.parse_args()
    pace = Pace(*(build(size) for size in MEASURED), embedding=embedding_seconds())
    logs = list(grown([size for size in SIZES if size <= given.entries]))
    measured, work = load(), cost.turns(cost.TURNS)
    tables = [
        growth_table(logs, pace),
        level_table(logs[-1]),
        fit_table(logs, pace),
        built_table(pace),
        heat_table(measured),
        meeting_table(),
        bounds_table(measured, work.warm, pace),
        worlds_table(measured, work),
        needs_table(measured, work.warm),
    ]
    libraries = ("numpy", "onnxruntime", "pydantic", "cryptography")
    report.publish("scale", tables, given, seeds=(SEED,), libraries=libraries)


def heat_table(measured: Load) -> Table:
    """Return which partitions a piece of work writes, and when they are full."""
    both = measured.calls[BEFORE.name].warm.written + measured.calls[AFTER.name].warm.written
    works = {
        "turn": both,
        "remember": measured.calls[REMEMBER.name].warm.written,
        "putMemory, a new key": measured.calls[NEW_KEY.name].warm.written,
    }
    rows: list[Sequence[Cell]] = [
        (name, each.partition, each.units, round(PARTITION_WRITES / each.units), each.item, each.item_units)
        for name, written in works.items()
        for each in hot(written)
    ]
    indexed = sum(each.index_units for each in both)
    rows.append(("turn", "a session's calls, in the index", indexed, PARTITION_WRITES // indexed, "", 1))
    rows += _of_firsts(measured.first)
    reads = round(measured.key_reads, 1)
    rows.append(("turn", "one API key (reads)", reads, round(PARTITION_READS / reads), "its record", reads))
    columns = ("work", "partition", "units each", "a second at most", "its heaviest item", "units")
    says = (
        f"Of warm calls. A partition takes {PARTITION_WRITES:,} write units a second and {PARTITION_READS:,} read "
        "units; one whose keys only go up stays one. A session's turns come one after the other, since each holds its "
        f"lease: {round(1000 / (measured.calls[AFTER.name].warm.rounds * ROUND_TRIP_MS))} a second at most."
    )
    return Table("Where writes meet", columns, rows, says)


def _of_firsts(first: Cost) -> Iterator[Sequence[Cell]]:
    due = sum(each.index_units for each in first.written if each.key.sk == HEAD)
    days = sum(each.index_units for each in first.written if each.key.sk.startswith("day#"))
    listed = sum(each.units for each in first.written if each.key.sk.startswith("log#"))
    most = DUE_SHARDS * PARTITION_WRITES // due
    yield ("a session's first turn", f"{DUE_SHARDS} shards of what is due, in the index", due, most, "", due)
    yield ("a tenant's first call of a day", "days not sealed, in the index", days, PARTITION_WRITES // days, "", days)
    yield (
        "a user's first turn in a project",
        "a project's list of logs",
        listed,
        PARTITION_WRITES // listed,
        "",
        listed,
    )


def meeting_table() -> Table:
    """Return how commits fare that meet at one item."""
    logs = [transacting.RETRY_SECONDS * 2**attempt for attempt in range(transacting.ATTEMPTS - 1)]
    counters = [
        min(retries.RETRY_SECONDS * 2**attempt, retries.MOST_RETRY_SECONDS) for attempt in range(retries.ATTEMPTS - 1)
    ]
    rows: list[Sequence[Cell]] = []
    for rate in RATES:
        log, counter = (meeting(rate, _PLAYED, ROUND_TRIP_MS / 1000, pauses) for pauses in (logs, counters))
        rows.append(
            (rate, *(round(100 * share, 2) for each in (log, counter) for share in (each.refused, each.gave_up)))
        )
    columns = (
        "commits a second",
        "one log: tried again, %",
        "fail, %",
        "a tenant's counter of keys: tried again, %",
        "fails, %",
    )
    says = (
        f"Played for {_PLAYED} s: commits come at random, take {ROUND_TRIP_MS:.0f} ms (assumed), are refused while "
        "another of the same item is under way, and are tried again with the pauses of the code."
    )
    return Table("When commits meet at one item", columns, rows, says)


if __name__ == "__main__":
    main()
