"""A log that is really stored and indexed, to measure what an entry of a segment takes: bytes, time, memory.

Each entry is one text with its vector, as in `make bench-recall_scale`. Merging and reading are measured in a
process of their own each, so that the most memory it had is theirs. Beyond DISTINCT entries texts come again with two
other words, which packs better than what people say: bytes are to be measured below.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from cairn.log.layout import log_pk
from cairn.log.segment import Segment
from cairn.log.segment_writer import written
from cairn.log.segments import Segments
from cairn.log.view import MemoryView
from cairn.recall.embedding import Embedding
from cairn.vault.vault import Vault
from long_log import OWNER, SESSION, Moved, first_answer, index, most_megabytes, texts, told_by, write
from recall_engine import MODEL, TENANT, StoryClock, open_adapters, recalling

DISTINCT = 4_000
_EMBEDDED = 100
_RUNS = 5
"""How often what other work on this machine can slow down is done; the fastest counts."""


@dataclass(frozen=True, slots=True)
class Built:
    """What a log of so many entries takes; seconds are of one core of this machine, memory in megabytes.

    `first` is the time to put all entries into segments as they come, without vectors made; `merging` the time to load
    all segments and write them as one blob of `bytes`, which takes `held` in memory, in a process that had `merging_mb`
    at most. `reading` is a cold process's first answer from all of them.
    """

    entries: int
    first: float
    bytes: int
    held: int
    merging: float
    merging_mb: float
    reading: float
    reading_mb: float


def build(size: int) -> Built:
    """Store a log, index it, merge and read it."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        first = _store(directory, size)
        merged = told_by(Path(__file__), name, prefix=directory / "bytecode")
        seconds, megabytes = min(_read(name) for _ in range(_RUNS))
        return Built(size, first, **merged, reading=seconds, reading_mb=megabytes)


def embedding_seconds() -> float:
    """Return how long the model takes for a text."""
    said = [text.said for _, text in texts()[:_EMBEDDED]]
    MODEL.embed(said[0])
    return min(_embedded(said) for _ in range(_RUNS)) / len(said)


def _embedded(said: Sequence[str]) -> float:
    started = time.process_time()
    for text in said:
        MODEL.embed(text)
    return time.process_time() - started


def _read(directory: str) -> tuple[float, float]:
    """Return the seconds and the megabytes of a cold process's first answer."""
    started = time.perf_counter()
    read = first_answer(Path(directory), "hybrid", "When does the choir sing?")
    return time.perf_counter() - started, read["megabytes"]


def _store(directory: Path, size: int) -> float:
    """Write the log and index it; return how long indexing took that was not the making of vectors."""
    embedder = Moved(MODEL)
    for _, text in texts():
        embedder.embed(text.said)
    with open_adapters(directory, StoryClock()) as adapters:
        services = recalling(adapters, embedder)
        write(adapters, services, size)
        adapters.clock.sleep(timedelta(days=1).total_seconds())
        return index(services)


def _merge(directory: Path) -> None:
    """Load all segments, write them as one, and tell what that took."""
    with open_adapters(directory, StoryClock()) as adapters:
        pk = log_pk(TENANT, SESSION.project, OWNER)
        segments = Segments(adapters, Vault(adapters))
        manifest = segments.manifest(pk)
        MODEL.embed("what a worker has in memory besides")
        started = time.process_time()
        view = MemoryView([segments.load(TENANT, pk, low, ref) for low, ref in manifest.bounds()])
        data = written(view, "", manifest.through, Embedding(adapters, MODEL).of(view))
        segments.build(TENANT, pk, manifest.through, 1, data)
        seconds = time.process_time() - started
    peak, held = most_megabytes(), Segment(data.head).size
    print(json.dumps({"merging": seconds, "bytes": data.size, "held": held, "merging_mb": peak}))


if __name__ == "__main__":
    _merge(Path(sys.argv[1]))
