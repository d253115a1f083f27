"""What a turn costs: round trips and capacity units of before_turn and after_turn as one user's memory grows.

The text is the shipped conversation's, about 2 KB a turn. A cold process has nothing in memory, no data key either.
The log is indexed when its turns ask for it. Only the milliseconds depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from cairn.domain import layout
from cairn.domain.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.domain.items import message
from cairn.domain.jobs import IndexLog, Job
from cairn.domain.manifest import Manifest
from cairn.domain.settings import MemorySettings
from cairn.domain.turns import Completion, Preparation, Session
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.table import SqliteTable
from cairn.runtime.system import SystemEntropy
from cairn.service.engine import Engine, Turns
from cairn.service.indexing import Indexed, Indexer
from cairn.service.segments import Segments
from cairn.service.vault import Vault
from cairn.service.world import World
from metering import Meter, MeteredBlobs, MeteredKeys, MeteredTable

TURNS = (10, 100, 1000, 10_000)
SECONDS_PER_TURN = 40
TEXT_BYTES = 1000
SESSION = Session(Tenant("bench"), Project("bench"), SessionId("long"))
USER = UserId("ada")
LOG = layout.log_pk(SESSION.tenant, SESSION.project, layout.owner(USER, SESSION.session_id))
CONVERSATION = Path(__file__).parents[1] / "layers/core/cairn/local/conversations/marta.json"


class PacedClock:
    """A clock that the bench moves on, since a warm process reads again what is younger than half a minute."""

    def __init__(self) -> None:
        """Start on a day in March."""
        self._now = datetime(2026, 3, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """Return the time of the turn."""
        return self._now

    def sleep(self, seconds: float) -> None:
        """Move on."""
        self._now += timedelta(seconds=seconds)


class QueuedJobs:
    """A queue that keeps its jobs until the bench works them off, between two turns."""

    def __init__(self) -> None:
        """Start empty."""
        self.waiting: list[Job] = []

    def send(self, jobs: Sequence[Job]) -> None:
        """Keep the jobs."""
        self.waiting.extend(jobs)


class Index:
    """Works off the jobs that turns sent, and sums up what that took."""

    def __init__(self, indexer: Indexer, blobs: Path) -> None:
        """Start with nothing done."""
        self._indexer = indexer
        self._blobs = blobs
        self._done = Indexed()
        self._jobs = 0
        self._seconds = 0.0
        self._longest = 0.0

    def work_off(self, jobs: list[Job]) -> None:
        """Do the jobs."""
        while jobs:
            job = jobs.pop()
            if isinstance(job, IndexLog):
                started = time.perf_counter()
                self._done = self._done + self._indexer.do(job, timedelta(minutes=5))
                seconds = time.perf_counter() - started
                self._jobs, self._seconds = self._jobs + 1, self._seconds + seconds
                self._longest = max(self._longest, seconds)

    def row(self, turns: int, manifest: Manifest) -> dict[str, Any]:
        """Return what indexing this many turns took."""
        sizes = [next(self._blobs.rglob(ref.digest)).stat().st_size for ref in manifest.segments]
        return {
            "turn": turns,
            "segments": len(sizes),
            "tail": turns - self._done.entries,
            "bytes_per_turn": round(sum(sizes) / self._done.entries) if sizes else 0,
            "write_amplification": round(self._done.written / self._done.entries, 2) if sizes else 0,
            "jobs": self._jobs,
            "ms": round(self._seconds * 1000),
            "longest_ms": round(self._longest * 1000),
        }


def main() -> None:
    """Print two tables and, last, one JSON object."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true", help="print the JSON object only")
    options.add_argument("--turns", type=int, default=max(TURNS), help="how many turns to go up to")
    given = options.parse_args()
    rows, index = _measured(given.turns)
    if not given.json:
        _print(rows, index)
    print(json.dumps({"bench": "turns", "text_bytes": 2 * TEXT_BYTES, "rows": rows, "index": index}))


def _measured(last: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    rows: list[dict[str, Any]] = []
    sizes: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as directory:
        meter, clock, jobs = Meter(), PacedClock(), QueuedJobs()
        table = SqliteTable(Path(":memory:"))
        world = World(
            MeteredTable(table, meter),
            MeteredBlobs(DirectoryBlobs(Path(directory) / "blobs"), meter),
            MeteredKeys(LocalKeyRing(bytes(32)), meter),
            clock,
            SystemEntropy(),
            meter,
            jobs,
        )
        engine, texts = _engine(world), _texts()
        index = Index(engine.indexer, Path(directory) / "blobs")
        for number in range(1, last + 1):
            clock.sleep(SECONDS_PER_TURN)
            said, answered = next(texts), next(texts)
            after = partial(_after, engine.turns, number, said, answered)
            if number not in TURNS:
                after()
            else:
                cold = partial(_before, _engine(world).turns, said)
                _before(engine.turns, said)
                measured = [
                    _metered(meter, "before_turn, warm", partial(_before, engine.turns, said)),
                    _metered(meter, "after_turn, warm", after),
                    _metered(meter, "before_turn, cold", cold),
                ]
                rows += [{"turn": number, **row} for row in measured]
                sizes.append(index.row(number, Segments(world, Vault(world)).manifest(LOG)))
            index.work_off(jobs.waiting)
        table.close()
    return rows, sizes


def _engine(world: World) -> Engine:
    return Engine.over(world, lambda _: MemorySettings())


def _before(turns: Turns, said: str) -> None:
    turns.before(SESSION, Preparation(current=(message("user", said),), user_id=USER))


def _after(turns: Turns, number: int, said: str, answered: str) -> None:
    inputs, outputs = (message("user", said),), (message("assistant", answered, "output_text"),)
    turns.after(SESSION, Completion(turn_id=TurnId(f"turn-{number}"), inputs=inputs, outputs=outputs, user_id=USER))


def _metered(meter: Meter, name: str, call: Callable[[], None]) -> dict[str, Any]:
    meter.counts.clear()
    meter.rounds = 0
    started = time.perf_counter()
    call()
    return {
        "call": name,
        "round_trips": meter.rounds,
        "read_units": meter.counts.pop("read_units", 0),
        "write_units": meter.counts.pop("write_units", 0),
        "index_units": meter.counts.pop("index_units", 0),
        "calls": dict(meter.counts),
        "ms": round((time.perf_counter() - started) * 1000, 1),
    }


def _texts() -> Iterator[str]:
    sessions = json.loads(CONVERSATION.read_text(encoding="utf-8"))["sessions"]
    lines = cycle(
        text for session in sessions for turn in session["turns"] for text in (turn["user"], turn["assistant"])
    )
    while True:
        said = ""
        while len(said.encode()) < TEXT_BYTES:
            said += next(lines) + " "
        yield said[:TEXT_BYTES]


def _print(rows: list[dict[str, Any]], index: list[dict[str, Any]]) -> None:
    columns = ("round_trips", "read_units", "write_units", "index_units", "ms")
    print(f"{'turn':>5}  {'call':26}", *(f"{name.replace('_', ' '):>11}" for name in columns), " calls")
    for row in rows:
        print(f"{row['turn']:>5}  {row['call']:26}", *(f"{row[name]:>11}" for name in columns), f" {row['calls']}")
    print()
    names = list(index[0])
    print("  ".join(f"{name.replace('_', ' '):>{max(5, len(name))}}" for name in names))
    for row in index:
        print("  ".join(f"{row[name]:>{max(5, len(name))}}" for name in names))


if __name__ == "__main__":
    main()
