"""Whether answers from memory are given again bit for bit, after many later writes, and what keeping that costs.

People talk, agents ask, logs are indexed and merged, sessions tidied, processes replaced, all drawn by a seed. Then
much more is written, and an operator replays every receipt. Last, what a question's receipt takes, by its length.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import report
from asked import Scene, Story, same
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.process.system import SystemEntropy, in_turn
from metering import Meter, MeteredTable
from over_adapters import services_over
from processes import PacedClock
from report import Cell, Table

SEED = 22
LENGTHS = (20, 100, 400, 1_000, 4_000, 12_000)
_UPKEEP_EVERY = 25


def main() -> None:
    """Print the tables."""
    parser = report.options(__doc__)
    parser.add_argument("--questions", type=int, default=1_000, help="how many answers are replayed")
    parser.add_argument("--writes", type=int, default=10_000, help="how much is written after them")
    given = parser.parse_args()
    with _scene() as scene:
        table = replayed(scene, given.questions, given.writes)
    report.publish("receipts", [table, costs()], given, seeds=(SEED,))


def replayed(scene: Scene, questions: int, writes: int) -> Table:
    """Return how many answers were the same."""
    story = Story(scene, SEED)
    for number in range(questions):
        story.write()
        story.question()
        if number % _UPKEEP_EVERY == 0:
            story.upkeep()
    for number in range(writes):
        story.write()
        if number % _UPKEEP_EVERY == 0:
            story.upkeep()
    found, took = Counter[tuple[str, str]](), list[float]()
    for receipt, answer in list(scene.given.items()):
        began = time.perf_counter()
        again = scene.replay(receipt)
        took.append(time.perf_counter() - began)
        found[again["tool"], "asked"] += 1
        found[again["tool"], "same"] += same(again, answer)
    rows: list[Sequence[Cell]] = [
        (tool, found[tool, "asked"], found[tool, "same"]) for tool in ("recall", "memory_before_turn")
    ]
    says = (
        f"After {writes:,} later writes, with indexing, merging, maintenance, forgetting and new processes between. A "
        f"replay took {1000 * median(took):.0f} ms in the middle and {1000 * max(took):.0f} ms at most."
    )
    return Table("Answers given again", ("tool", "asked", "bit for bit the same"), rows, says)


def costs() -> Table:
    """Return what keeping receipts takes."""
    with _scene() as bare:
        meter = Meter()
        metered = replace(bare.adapters, table=MeteredTable(bare.adapters.table, meter))
        scene = Scene(metered, lambda: services_over(metered))
        scene.say("I live in Lisbon.")
        rows = list(_costs(scene, meter))
    says = "A question of words drawn by a seed. Receipts are compressed and sealed; a write takes a unit a kilobyte."
    return Table("What a receipt takes", ("characters of the input", "bytes", "write units"), rows, says)


def _costs(scene: Scene, meter: Meter) -> Iterator[Sequence[Cell]]:
    words = Path(__file__).read_text(encoding="utf-8").split()
    story = Story(scene, SEED)
    for length in LENGTHS:
        said = ""
        while len(said) < length:
            said += f"{story.random.choice(words)}{story.random.randrange(100)} "
        meter.written.clear()
        scene.prepare(said[:length])
        (kept,) = [each for each in meter.written if "#asked#" in each.key.pk]
        yield length, kept.bytes, kept.units


@contextmanager
def _scene() -> Generator[Scene]:
    with TemporaryDirectory() as directory:
        root = Path(directory)
        table = SqliteTable(root / "table.sqlite3")
        keys = LocalKeyRing(bytes(32))
        adapters = Adapters(table, DirectoryBlobs(root / "blobs"), keys, PacedClock(), SystemEntropy(), in_turn)
        yield Scene(adapters, lambda: services_over(adapters))
        table.close()


if __name__ == "__main__":
    main()
