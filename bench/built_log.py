"""A log that is really stored and indexed, to measure what an entry of a segment takes: bytes, time, memory.

Each entry is one text with its vector, as in `make bench-recall`'s growth. Merging and reading are measured in a
process of their own each, so that the most memory it had is theirs. Beyond DISTINCT entries texts come again with two
other words, which packs better than what people say: bytes are to be measured below.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from cairn.domain import layout
from cairn.domain.ids import Project, SessionId, TurnId
from cairn.domain.log_entries import LogEntry, TurnEntry
from cairn.domain.memory_view import MemoryView
from cairn.domain.segment import Segment
from cairn.domain.segment_writer import written
from cairn.domain.settings import MemorySettings
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.table import SqliteTable
from cairn.ports import Embedder
from cairn.runtime.system import SystemEntropy, in_turn
from cairn.service.embedding import Embedding
from cairn.service.engine import Engine
from cairn.service.segments import Segments
from cairn.service.vault import Vault
from cairn.service.world import World
from recall_engine import MODEL, TENANT, USER, NoJobs, StoryClock
from recall_scale import Moved
from recall_sets import Text, read

DISTINCT = 4_000
PROJECT = Project("scale")
_DATA = Path(__file__).parent / "data/recall/fit"
_READER = Path(__file__).with_name("recall_scale.py")
_OWNER = layout.owner(USER, SessionId("asking"))
_WORDS = 5_000
_ONE_CORE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_STATUS = Path("/proc/self/status")
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
        merged = _process(Path(__file__), name)
        seconds, megabytes = min(_read(name) for _ in range(_RUNS))
        return Built(size, first, **merged, reading=seconds, reading_mb=megabytes)


def embedding_seconds() -> float:
    """Return how long the model takes for a text."""
    texts = [text.said for text in _texts()][:_EMBEDDED]
    MODEL.embed(texts[0])
    return min(_embedded(texts) for _ in range(_RUNS)) / len(texts)


def _embedded(texts: Sequence[str]) -> float:
    started = time.process_time()
    for text in texts:
        MODEL.embed(text)
    return time.process_time() - started


def _read(directory: str) -> tuple[float, float]:
    """Return the seconds and the megabytes of a cold process's first answer."""
    started = time.perf_counter()
    read = _process(_READER, directory, "hybrid", "When does the choir sing?")
    return time.perf_counter() - started, read["megabytes"]


def _store(directory: Path, size: int) -> float:
    """Write the log and index it; return how long indexing took that was not the making of vectors."""
    embedder = Moved(MODEL)
    texts = _texts()
    for text in texts:
        embedder.embed(text.said)
    world, table = _world(directory, embedder)
    engine = Engine.over(world, lambda _: MemorySettings(recall_scope="user"))
    for entry in _entries(texts, size):
        world.table.put(engine.parts.log.append(TENANT, PROJECT, _OWNER, entry))
        world.clock.sleep(1)
    world.clock.sleep(timedelta(days=1).total_seconds())
    started = time.process_time()
    engine.indexer.run(TENANT, PROJECT, _OWNER)
    seconds = time.process_time() - started
    table.close()
    return seconds


def _merge(directory: Path) -> None:
    """Load all segments, write them as one, and tell what that took."""
    world, table = _world(directory, MODEL)
    pk = layout.log_pk(TENANT, PROJECT, _OWNER)
    segments = Segments(world, Vault(world))
    manifest = segments.manifest(pk)
    MODEL.embed("what a worker has in memory besides")
    started = time.process_time()
    view = MemoryView([segments.load(TENANT, pk, low, ref) for low, ref in manifest.bounds()])
    data = written(view, "", manifest.through, Embedding(world).of(view))
    segments.build(TENANT, pk, manifest.through, 1, data)
    seconds = time.process_time() - started
    table.close()
    peak = next(line for line in _STATUS.read_text("utf-8").splitlines() if line.startswith("VmHWM"))
    megabytes = int(peak.split()[1]) / 1024
    held = Segment(data).size
    print(json.dumps({"merging": seconds, "bytes": len(data), "held": held, "merging_mb": megabytes}))


def _process(script: Path, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, str(script), *arguments]
    done = subprocess.run(command, env=os.environ | _ONE_CORE, capture_output=True, check=True)  # noqa: S603 - our own
    return json.loads(done.stdout)


def _world(directory: Path, embedder: Embedder) -> tuple[World, SqliteTable]:
    table = SqliteTable(directory / "table.db")
    blobs, keys = DirectoryBlobs(directory / "blobs"), LocalKeyRing(bytes(32))
    return World(table, blobs, keys, StoryClock(), SystemEntropy(), in_turn, NoJobs(), embedder=embedder), table


def _texts() -> Sequence[Text]:
    return [text for each in read(_DATA) for text in each.texts]


def _entries(texts: Sequence[Text], size: int) -> Iterator[LogEntry]:
    words = random.Random(1)  # noqa: S311 - noise
    for number in range(size):
        text = texts[number % len(texts)]
        added = " ".join(f"w{words.randrange(_WORDS)}" for _ in range(2))
        spoken = (f"e{number}", "user", f"{text.said} ~ {added}", text.speaker)
        turn = TurnEntry(turn_id=TurnId(f"t{number}"), seq=number, events=1, texts=(spoken,))
        yield LogEntry(session_id=SessionId(f"{text.session}.{number // len(texts)}"), at=text.at, turn=turn)


if __name__ == "__main__":
    _merge(Path(sys.argv[1]))
