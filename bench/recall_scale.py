"""What recall takes as memories grow: time, memory and bytes, on one core.

The texts are those of Cairn's own conversations over and over, each time with two other words in each, so that no two
are alike; a text's vector is that of the text before, moved a little. Log entries are put into the table as after_turn
writes them, and the indexer makes the segments of them. Every question is put once. A cold process is a new one: from
its start to its first answer, with the interpreter, imports, model and segments.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import median, quantiles
from zlib import crc32

import numpy as np

from cairn.domain import layout
from cairn.domain.ids import Project, SessionId, TurnId
from cairn.domain.log_entries import LogEntry, TurnEntry
from cairn.domain.memories import Question, SearchMode
from cairn.domain.settings import MemorySettings
from cairn.domain.turns import Session
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.table import SqliteTable
from cairn.ports import Embedded, Embedder
from cairn.runtime.system import SystemEntropy, in_turn
from cairn.service.engine import Engine
from cairn.service.world import World
from recall_engine import MODEL, TENANT, USER, NoJobs, Remembering, StoryClock
from recall_sets import Conversation, read
from report import Cell, Table

SIZES = (1_000, 10_000, 100_000)
QUESTIONS = 100
MODES: tuple[SearchMode, ...] = ("text", "hybrid")
_DATA = Path(__file__).parent / "data/recall/fit"
_SESSION = Session(TENANT, Project("scale"), SessionId("asking"))
_OWNER = layout.owner(USER, _SESSION.session_id)
_NOISE, _NOISE_WORDS, _MARK = 0.02, 5_000, " ~ "
_ONE_CORE = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_STATUS = Path("/proc/self/status")
_COLD_RUNS = 3


class Moved(Remembering):
    """Gives a text with added words the vector of the text without them, moved by noise that the words decide."""

    def embed_with_tokens(self, text: str) -> Embedded:
        """Return the text's vector, and its tokens as they would be without the added words."""
        said, mark, added = text.partition(_MARK)
        vector, tokens = super().embed_with_tokens(said)
        if not mark:
            return Embedded(vector, tokens)
        noise = np.random.default_rng(crc32(added.encode())).normal(0, _NOISE, len(vector))
        moved = vector + noise.astype(np.float32)
        return Embedded((moved / np.linalg.norm(moved)).astype(np.float32), tokens)


def table(sizes: Sequence[int]) -> Table:
    """Return what recall takes at each of these numbers of memories."""
    conversations = read(_DATA)
    rows = [row for size in sizes for row in _measured(conversations, size)]
    columns = ("memories, by", "p50 ms", "p95 ms", "cold s", "cold MB", "index bytes a memory", "build s", "segments")
    note = (
        f"{QUESTIONS} questions, each put for the first time, with what embeds them. Times are of one core of this "
        f"machine, without waiting. The cold process is the median of {_COLD_RUNS}; its memory is the most it had."
    )
    return Table("Recall as memories grow", columns, rows, note)


def _measured(conversations: Sequence[Conversation], size: int) -> Iterator[Sequence[Cell]]:
    asked = [question.text for each in conversations for question in each.questions]
    random.Random(0).shuffle(asked)  # noqa: S311 - which questions, no secret
    with tempfile.TemporaryDirectory() as directory:
        world, store = _world(Path(directory), Moved(MODEL))
        seconds = _build(world, conversations, size)
        sizes = [path.stat().st_size for path in (Path(directory) / "blobs").rglob("*") if path.is_file()]
        for number, mode in enumerate(MODES):
            engine = _engine(world)
            _recall(engine, "warm up", mode)
            chosen = asked[number * QUESTIONS : (number + 1) * QUESTIONS]
            times = [_timed(engine, text, mode) for text in chosen]
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
        store.close()


def _world(directory: Path, embedder: Embedder) -> tuple[World, SqliteTable]:
    store = SqliteTable(directory / "table.db")
    blobs, keys = DirectoryBlobs(directory / "blobs"), LocalKeyRing(bytes(32))
    return World(store, blobs, keys, StoryClock(), SystemEntropy(), in_turn, NoJobs(), embedder=embedder), store


def _engine(world: World) -> Engine:
    return Engine.over(world, lambda _: MemorySettings(recall_scope="user"))


def _build(world: World, conversations: Sequence[Conversation], size: int) -> float:
    """Write the log, index it, and return how long the indexer took."""
    engine = _engine(world)
    for entry in _entries(conversations, size):
        world.table.put(engine.parts.log.append(TENANT, _SESSION.project, _OWNER, entry))
        world.clock.sleep(1)
    started = time.process_time()
    engine.indexer.run(TENANT, _SESSION.project, _OWNER)
    seconds = time.process_time() - started
    world.clock.sleep(timedelta(days=1).total_seconds())
    engine.indexer.run(TENANT, _SESSION.project, _OWNER)
    return seconds


def _entries(conversations: Sequence[Conversation], size: int) -> Iterator[LogEntry]:
    words = random.Random(1)  # noqa: S311 - noise
    said = [(each.name, text) for each in conversations for text in each.texts]
    for number in range(size):
        name, text = said[number % len(said)]
        added = " ".join(f"w{words.randrange(_NOISE_WORDS)}" for _ in range(2))
        session = SessionId(f"{name}.{text.session}.{number // len(said)}")
        spoken = (f"e{number}", "user", f"{text.said}{_MARK}{added}", text.speaker)
        turn = TurnEntry(turn_id=TurnId(f"t{number}"), seq=number, events=1, texts=(spoken,))
        yield LogEntry(session_id=session, at=text.at, turn=turn)


def _timed(engine: Engine, text: str, mode: SearchMode) -> float:
    started = time.process_time()
    _recall(engine, text, mode)
    return time.process_time() - started


def _recall(engine: Engine, text: str, mode: SearchMode) -> None:
    engine.memories.recall(_SESSION, Question(query=text, mode=mode, min_confidence=0, user_id=USER))


def _cold(directory: Path, text: str, mode: SearchMode) -> tuple[float, float]:
    """Return a process's seconds of work until its first answer, and the megabytes it took."""
    command = [sys.executable, str(Path(__file__)), str(directory), mode, text]
    started = _of_children()
    done = subprocess.run(command, env=os.environ | _ONE_CORE, capture_output=True, check=True)  # noqa: S603 - this file
    return _of_children() - started, json.loads(done.stdout)["megabytes"]


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _answer_once() -> None:
    options = argparse.ArgumentParser(description="Answer one question over a store, and tell what memory it took.")
    options.add_argument("directory", type=Path)
    options.add_argument("mode", choices=MODES)
    options.add_argument("question")
    given = options.parse_args()
    world, _ = _world(given.directory, MODEL)
    _recall(_engine(world), given.question, given.mode)
    peak = next(line for line in _STATUS.read_text("utf-8").splitlines() if line.startswith("VmHWM"))
    print(json.dumps({"megabytes": int(peak.split()[1]) / 1024}))


if __name__ == "__main__":
    _answer_once()
