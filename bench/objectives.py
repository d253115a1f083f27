"""Whether turns are prepared and stored as soon as they have to be where there is much to remember.

One user has many memories and one long session, in a data directory as `cairn serve` opens it. Turns go in through the
engine; memories are put into the log as `remember` writes them, without the item that keeps them from being kept twice.
Their texts are those of Cairn's own conversations over and over, each time with other words. Clients are all this
user's: one in the long session, each other in one of its own. A new process is measured by its first calls.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from cairn.access.api_keys import Grant
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.ids import Project, SessionId, TurnId, UserId
from cairn.ground.session import Session
from cairn.ground.table import Put
from cairn.local.demo.server_process import ServerProcess
from cairn.local.store import LOCAL_TENANT, operator_services
from cairn.log.entries import LogEntry
from cairn.log.layout import log_owner
from cairn.log.memories import Memory
from cairn.turns.after_turn import commit
from clients import AFTER, BEFORE, Door, Seen, cpu_seconds, once, talk
from long_log import Moved
from over_adapters import services_over
from recall_engine import MODEL, NoJobs, StoryClock
from recall_sets import FITTED_ON, read
from report import Cell, Table
from scenes import PROJECT, Place

MEMORIES, TURNS = 100_000, 10_000
CLIENTS = (1, 8)
STARTS = 5
"""How many new processes are asked."""
LIMITS = {BEFORE: 300, AFTER: 500}
"""How many milliseconds 95 calls in a hundred may take."""
_HERE = Place("long", "ada")
_SESSION = Session(LOCAL_TENANT, Project(PROJECT), SessionId(_HERE.session))
_USER = UserId(_HERE.user)
_OWNER = log_owner(_USER, _SESSION.session_id)
_WORDS = 5_000
_AT_ONCE = 100
_INDEXED = 1000
_AGO = timedelta(days=2)
"""How long ago all began: a second for each turn and memory."""


def objectives(seconds: float, memories: int = MEMORIES, turns: int = TURNS) -> Table:
    """Return how long calls take under each number of clients, in a warm and in a new process."""
    with TemporaryDirectory() as directory:
        store = Path(directory)
        _fill(store, memories, turns)
        rows = [row for clients in CLIENTS for row in _measured(store, clients, seconds)]
    columns = ("clients", "process", "call", "calls", "p50 ms", "p95 ms", "at most", "", "CPU ms a turn")
    says = (
        f"{memories:,} memories of one user, who has a session of {turns:,} turns; all clients are this user's. A new "
        f"process: the first calls, as many as there are clients at once, of {STARTS} processes. Clients and server "
        "share the cores. CPU is the server's, of a turn prepared and stored."
    )
    return Table("Turns where there is much to remember, over HTTP", columns, rows, says)


def _measured(store: Path, clients: int, seconds: float) -> Iterator[Sequence[Cell]]:
    places = [_HERE, *(Place(f"beside-{number}", _HERE.user) for number in range(1, clients))]
    key = operator_services(store, {}).credentials.create(LOCAL_TENANT, Grant()).text
    new = Seen()
    for tool in (*(BEFORE, AFTER) * STARTS,):
        with _serving(store, key) as (door, _):
            _add(new, asyncio.run(once(door, places, tool)))
    with _serving(store, key) as (door, pid):
        asyncio.run(once(door, places, BEFORE))
        cpu = cpu_seconds(pid)
        warm = asyncio.run(talk(door, places, seconds))
        cpu = 1000 * (cpu_seconds(pid) - cpu) / max(1, warm.turns)
    for process, seen in (("warm", warm), ("new", new)):
        for tool, limit in LIMITS.items():
            took = seen.quantile(tool, 95)
            met = "met" if took is not None and took < limit and not seen.errors else "NOT MET"
            times = (len(seen.seconds.get(tool, [])), seen.quantile(tool, 50), took, limit, met)
            yield (clients, process, tool, *times, round(cpu, 1) if seen is warm else None)


@contextmanager
def _serving(store: Path, key: str) -> Generator[tuple[Door, int]]:
    """Yield the door of a new server over the store, and its process id."""
    server = ServerProcess(store)
    server.start()
    try:
        yield Door.of(server.url.removesuffix("/mcp"), key), server.pid
    finally:
        server.stop()


def _add(all_seen: Seen, seen: Seen) -> None:
    all_seen.errors.update(seen.errors)
    for tool, seconds in seen.seconds.items():
        all_seen.seconds.setdefault(tool, []).extend(seconds)


def _fill(store: Path, memories: int, turns: int) -> None:
    """Store the turns, then the memories, and index all."""
    clock = StoryClock()
    clock.turn_to(datetime.now(UTC) - _AGO)
    slowed = replace(operator_services(store, {}).adapters, clock=clock, jobs=NoJobs())
    services = services_over(slowed, embedder=Moved(MODEL))
    texts = _texts()
    for number in range(turns):
        clock.sleep(1)
        commit(services, _SESSION, _turn(number, next(texts), next(texts)))
        if number % _INDEXED == 0:
            services.indexer.run(LOCAL_TENANT, _SESSION.project, _OWNER)
    for first in range(0, memories, _AT_ONCE):
        writes: list[Put] = []
        for number in range(first, min(first + _AT_ONCE, memories)):
            clock.sleep(1)
            entry = _entry(number, next(texts), clock.now())
            writes.append(services.log.append(LOCAL_TENANT, _SESSION.project, _OWNER, entry))
        slowed.table.transact(writes)
    services.indexer.run(LOCAL_TENANT, _SESSION.project, _OWNER)


def _turn(number: int, said: str, answered: str) -> Completion:
    return Completion(
        turn_id=TurnId(f"filled-{number}"),
        inputs=(message("user", said, "input_text"),),
        outputs=(message("assistant", answered, "output_text"),),
        user_id=_USER,
    )


def _entry(number: int, text: str, at: datetime) -> LogEntry:
    memory = Memory(
        id=f"u-{number:032x}",
        type="fact",
        content=text,
        confidence=0.9,
        rationale=None,
        scope="user",
        session_id=_SESSION.session_id,
        user_id=_USER,
        recorded_at=at,
    )
    return LogEntry(session_id=_SESSION.session_id, at=at, remembered=(memory,))


def _texts() -> Iterator[str]:
    words = random.Random(1)  # noqa: S311 - noise
    said = [text.said for each in read(FITTED_ON) for text in each.texts]
    while True:
        for text in said:
            yield f"{text} ~ " + " ".join(f"w{words.randrange(_WORDS)}" for _ in range(2))
