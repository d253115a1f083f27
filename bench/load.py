"""What `cairn serve` bears: clients that each prepare and store turns as fast as they are answered.

The server is a process of its own over a new store, on the machine of its clients. A turn is sent until it is
acknowledged, under one turn_id; afterwards the store is read, and every turn looked for. Then one process stores turns
of many sessions for a while, and its memory is watched.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from tempfile import TemporaryDirectory
from typing import Any

import httpx2

import report
from cairn.domain.callers import Caller
from cairn.domain.credentials import ALL_PROJECTS, Grant
from cairn.domain.ids import Project, SessionId
from cairn.domain.turns import Session
from cairn.edge.dispatch import execute
from cairn.edge.tool import Call
from cairn.local.server_process import ServerProcess
from cairn.local.store import LOCAL_TENANT, api_keys, opened, services
from cairn.runtime import wiring
from cairn_tools.catalog import CATALOG
from report import Cell, Table
from scenes import PROJECT, SEED, Place, preparation, turn

CLIENTS = (1, 8, 32, 128)
SECONDS = 10
SHARING = 32
"""How many clients share one session, in a run of its own."""
SOAK_TURNS, SOAK_MINUTES, SOAK_ROWS = 100_000, 5, 10
TURNS_PER_SESSION = 100
_BUSY = "RESOURCE_BUSY"
_WAIT_SECONDS, _PATIENCE_SECONDS = 0.2, 30
_TICKS = os.sysconf("SC_CLK_TCK")
_PAGE = os.sysconf("SC_PAGE_SIZE")
_MEGABYTE = 1e6


@dataclass
class Seen:
    """What clients saw: seconds of answered calls by tool, error codes, and the turns of each session acknowledged."""

    seconds: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    errors: Counter[str] = field(default_factory=Counter[str])
    sent: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def quantile(self, tool: str, percent: int) -> float:
        """Return how many milliseconds so many calls in a hundred took at most."""
        return round(1000 * quantiles(self.seconds[tool], n=100, method="inclusive")[percent - 1], 1)


def main() -> None:
    """Print the tables."""
    parser = report.options(__doc__)
    parser.add_argument("--seconds", type=int, default=SECONDS, help="how long each number of clients calls")
    parser.add_argument("--turns", type=int, default=SOAK_TURNS, help="how many turns one process stores")
    parser.add_argument("--minutes", type=float, default=SOAK_MINUTES, help="how long it does so at most")
    given = parser.parse_args()
    rows = [_under(clients, clients, given.seconds) for clients in CLIENTS]
    rows.append(_under(SHARING, 1, given.seconds))
    columns = ("clients", "sessions", "turns a second", "before p50 ms", "p99 ms", "after p50 ms", "p99 ms")
    columns += ("busy answers", "other errors", "server's cores", "server MB", "turns", "lost", "doubled")
    says = (
        "Busy answers are RESOURCE_BUSY, after which the same turn is sent again; clients and server share the cores."
    )
    load = Table(f"Turns over HTTP, {given.seconds} s each", columns, rows, says)
    report.publish("load", [load, soak(given.turns, given.minutes)], given, seeds=(SEED,), libraries=("uvicorn",))


def _under(clients: int, sessions: int, seconds: int) -> Sequence[Cell]:
    with TemporaryDirectory() as directory:
        store = Path(directory)
        key = api_keys(store, {}).create(LOCAL_TENANT, Grant()).text
        server = ServerProcess(store)
        server.start()
        try:
            cpu, started = _cpu_seconds(server.pid), time.perf_counter()
            seen = asyncio.run(_clients(server.url.removesuffix("/mcp"), key, clients, sessions, seconds))
            took = time.perf_counter() - started
            cores, memory = (_cpu_seconds(server.pid) - cpu) / took, _resident_megabytes(server.pid)
        finally:
            server.stop()
        lost, doubled = _recounted(store, seen)
    turns = sum(map(len, seen.sent.values()))
    times = (seen.quantile(tool, q) for tool in ("memory_before_turn", "memory_after_turn") for q in (50, 99))
    others = seen.errors.total() - seen.errors[_BUSY]
    counted = (seen.errors[_BUSY], others, round(cores, 2), memory, turns, lost, doubled)
    return (clients, sessions, round(turns / took, 1), *times, *counted)


async def _clients(url: str, key: str, clients: int, sessions: int, seconds: int) -> Seen:
    seen, until = Seen(), time.perf_counter() + seconds
    limits = httpx2.Limits(max_connections=clients)
    headers = {"authorization": f"Bearer {key}"}
    async with httpx2.AsyncClient(base_url=url, headers=headers, timeout=60, limits=limits) as client:
        places = [Place(f"session-{number % sessions}", f"user-{number % sessions}") for number in range(clients)]
        await asyncio.gather(*(_talk(client, place, seen, until) for place in places))
    return seen


async def _talk(client: httpx2.AsyncClient, place: Place, seen: Seen, until: float) -> None:
    while time.perf_counter() < until:
        await _asked(client, "memory_before_turn", preparation(place), seen)
        given = turn(place)
        while time.perf_counter() < until + _PATIENCE_SECONDS:
            if await _asked(client, "memory_after_turn", given, seen):
                seen.sent.setdefault(place.session, []).append(given["turn_id"])
                break
            await asyncio.sleep(_WAIT_SECONDS)


async def _asked(client: httpx2.AsyncClient, tool: str, arguments: Mapping[str, Any], seen: Seen) -> bool:
    started = time.perf_counter()
    try:
        answer = await client.post(f"/v1/tools/{tool}", content=json.dumps(arguments))
    except httpx2.HTTPError as error:
        seen.errors[type(error).__name__] += 1
        return False
    if answer.is_success:
        seen.seconds.setdefault(tool, []).append(time.perf_counter() - started)
    else:
        seen.errors[answer.json()["error"]["code"]] += 1
    return answer.is_success


def _recounted(store: Path, seen: Seen) -> tuple[int, int]:
    """Return how many acknowledged turns the store lacks, and how many it has more than once."""
    lost = doubled = 0
    with services(store, {}) as opened_services:
        history = opened_services.engine.parts.sessions.history
        for session, sent in seen.sent.items():
            turns = history(Session(LOCAL_TENANT, Project(PROJECT), SessionId(session)))
            stored = Counter(str(events[0].turn_id) for _, events in turns)
            lost += len(set(sent) - stored.keys())
            doubled += sum(number > 1 for number in stored.values())
    return lost, doubled


def soak(turns: int, minutes: float) -> Table:
    """Return the memory of one process as it stores so many turns, or as many as it does in these minutes."""
    rows: list[Sequence[Cell]] = []
    with TemporaryDirectory() as directory, opened(Path(directory), {}):
        until = time.perf_counter() + 60 * minutes
        for done in _stored(turns):
            is_over = time.perf_counter() > until
            if done % (turns // SOAK_ROWS or 1) == 0 or is_over:
                rows.append((done, -(-done // TURNS_PER_SESSION), _resident_megabytes(os.getpid())))
            if is_over:
                break
    says = f"Sessions of {TURNS_PER_SESSION} turns, each of a user of its own, prepared and stored in one process."
    return Table("Memory as turns are stored", ("turns", "sessions", "resident MB"), rows, says)


def _stored(turns: int) -> Iterator[int]:
    """Store turns and yield how many there are, after each."""
    caller = Caller(LOCAL_TENANT, frozenset({"read", "write"}), "bench-request", (ALL_PROJECTS,))
    for number in range(turns):
        place = Place(f"session-{number // TURNS_PER_SESSION}", f"user-{number // TURNS_PER_SESSION}")
        for tool, arguments in (("memory_before_turn", preparation(place)), ("memory_after_turn", turn(place))):
            execute(CATALOG, tool, arguments, Call(caller, wiring.services()))
        yield number + 1


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def _resident_megabytes(pid: int) -> float:
    pages = int(Path(f"/proc/{pid}/statm").read_text("utf-8").split()[1])
    return round(pages * _PAGE / _MEGABYTE, 1)


if __name__ == "__main__":
    main()
