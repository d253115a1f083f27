"""What a turn costs: round trips and capacity units of before_turn and after_turn as a session grows.

The text is the shipped conversation's, about 2 KB a turn. Only the milliseconds depend on the machine.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import Any

from cairn.domain.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.domain.items import message
from cairn.domain.settings import MemorySettings
from cairn.domain.turns import Completion, Preparation, Session
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.queue import InProcessJobs
from cairn.embedded.table import SqliteTable
from cairn.runtime.system import SystemEntropy
from cairn.service.engine import Engine, Turns
from cairn.service.world import World
from metering import Meter, MeteredBlobs, MeteredKeys, MeteredTable

TURNS = (10, 100, 1000)
SECONDS_PER_TURN = 40
TEXT_BYTES = 1000
SESSION = Session(Tenant("bench"), Project("bench"), SessionId("long"))
USER = UserId("ada")
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


def main() -> None:
    """Print a table and, last, one JSON object."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--json", action="store_true", help="print the JSON object only")
    rows = _measured()
    if not options.parse_args().json:
        _print(rows)
    print(json.dumps({"bench": "turns", "text_bytes": 2 * TEXT_BYTES, "rows": rows}))


def _measured() -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as directory:
        meter, clock = Meter(), PacedClock()
        table = SqliteTable(Path(directory) / "table.sqlite3")
        world = World(
            MeteredTable(table, meter),
            MeteredBlobs(DirectoryBlobs(Path(directory) / "blobs"), meter),
            MeteredKeys(LocalKeyRing(bytes(32)), meter),
            clock,
            SystemEntropy(),
            meter,
            InProcessJobs(),
        )
        turns, texts = _engine(world), _texts()
        for number in range(1, max(TURNS) + 1):
            clock.sleep(SECONDS_PER_TURN)
            said, answered = next(texts), next(texts)
            measured = [
                _metered(meter, "before_turn, warm", partial(_before, turns, said)),
                _metered(meter, "after_turn, warm", partial(_after, turns, number, said, answered)),
            ]
            if number in TURNS:
                measured.append(_metered(meter, "before_turn, cold process", partial(_before, _engine(world), said)))
                rows += [{"turn": number, **row} for row in measured]
        table.close()
    return rows


def _engine(world: World) -> Turns:
    return Engine.over(world, lambda _: MemorySettings()).turns


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


def _print(rows: list[dict[str, Any]]) -> None:
    print(f"{'turn':>5}  {'call':26} {'round trips':>11} {'read units':>10} {'write units':>11} {'ms':>7}  calls")
    for row in rows:
        units = f"{row['round_trips']:>11} {row['read_units']:>10} {row['write_units']:>11} {row['ms']:>7}"
        print(f"{row['turn']:>5}  {row['call']:26} {units}  {row['calls']}")


if __name__ == "__main__":
    main()
