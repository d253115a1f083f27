"""What recall takes as memories grow: time, memory and bytes, on one core.

The log is that of `long_log`, in segments that the indexer made. Every question is put once. A cold process is a new
one, as `first_answer` is: from its start to its end, with the interpreter, imports, model and segments.
"""

from __future__ import annotations

import random
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median, quantiles

import report
from cairn.ground.adapters import Adapters
from cairn.ground.ports import Embedder
from cairn.memories.model import RecallRequest
from cairn.memories.recall import recall
from cairn.recall.filter import SearchMode
from cairn.services import Services
from long_log import SESSION, Moved, first_answer, index, write
from recall_engine import MODEL, USER, StoryClock, open_adapters, recalling
from recall_sets import FITTED_ON, read
from report import Cell, Table

_SIZES = (1_000, 10_000, 100_000)
QUESTIONS = 100
MODES: tuple[SearchMode, ...] = ("text", "hybrid")
_COLD_RUNS = 5


def main() -> None:
    """Print the table."""
    parser = report.options(__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=_SIZES, help="how many memories there are")
    given = parser.parse_args()
    report.publish("recall_scale", [table(given.sizes)], given, seeds=(0,), libraries=("numpy", "onnxruntime"))


def table(sizes: Sequence[int]) -> Table:
    """Return what recall takes at each of these numbers of memories."""
    rows = [row for size in sizes for row in _measured(size)]
    columns = ("memories, by", "p50 ms", "p95 ms", "cold s", "cold MB", "index bytes a memory", "build s", "segments")
    note = (
        f"{QUESTIONS} questions, each put for the first time, with what embeds them. Times are of one core of this "
        f"machine, without waiting. The cold process is the median of {_COLD_RUNS}; its memory is the most it had."
    )
    return Table("Recall as memories grow", columns, rows, note)


def _measured(size: int) -> Iterator[Sequence[Cell]]:
    asked = [question.text for each in read(FITTED_ON) for question in each.questions]
    random.Random(0).shuffle(asked)  # noqa: S311 - which questions, no secret
    embedder = Moved(MODEL)
    with tempfile.TemporaryDirectory() as directory, open_adapters(Path(directory), StoryClock()) as adapters:
        seconds = _build(adapters, embedder, size)
        sizes = [path.stat().st_size for path in (Path(directory) / "blobs").rglob("*") if path.is_file()]
        for number, mode in enumerate(MODES):
            services = recalling(adapters, embedder)
            _recall(services, "warm up", mode)
            chosen = asked[number * QUESTIONS : (number + 1) * QUESTIONS]
            times = [_timed(services, text, mode) for text in chosen]
            _cold(Path(directory), asked[-1], mode)  # leaves the bytecode that an installed package has
            cold = [_cold(Path(directory), asked[-1 - run], mode) for run in range(_COLD_RUNS)]
            yield (
                f"{size:,}, {'words' if mode == 'text' else 'words and meaning'}",
                round(1000 * median(times), 1),
                round(1000 * quantiles(times, n=20)[-1], 1),
                round(median(each for each, _ in cold), 2),
                round(median(each for _, each in cold)),
                round(sum(sizes) / size),
                round(seconds, 1),
                len(sizes),
            )


def _build(adapters: Adapters, embedder: Embedder, size: int) -> float:
    """Write the log, index it, and return how long the indexer took."""
    services = recalling(adapters, embedder)
    write(adapters, services, size)
    seconds = index(services)
    adapters.clock.sleep(timedelta(days=1).total_seconds())
    index(services)
    return seconds


def _timed(services: Services, text: str, mode: SearchMode) -> float:
    started = time.process_time()
    _recall(services, text, mode)
    return time.process_time() - started


def _recall(services: Services, text: str, mode: SearchMode) -> None:
    recall(services, SESSION, RecallRequest(query=text, mode=mode, min_confidence=0, user_id=USER))


def _cold(directory: Path, text: str, mode: SearchMode) -> tuple[float, float]:
    """Return a process's seconds of work until its first answer, and the megabytes it took."""
    started = _of_children()
    told = first_answer(directory, mode, text)
    return _of_children() - started, told["megabytes"]


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
