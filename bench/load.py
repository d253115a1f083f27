"""What Cairn bears: clients that each prepare and store turns as fast as they are answered.

`cairn serve` is a process of its own over a new store, on the machine of its clients; `--stack` has the same clients
call the template on the AWS emulator instead. Afterwards the store is read, and every turn looked for. Then a user with
many memories is asked for, and one process stores turns of many sessions while its memory is watched.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import report
from cairn.access.api_keys import Grant
from cairn.local.demo.server_process import ServerProcess
from cairn.local.store import LOCAL_TENANT, operator_services, services
from clients import AFTER, BEFORE, BUSY, Door, cpu_seconds, recounted, resident_megabytes, talk
from objectives import MEMORIES, TURNS, objectives
from report import Cell, Table
from scenes import SEED, Place
from soak import SOAK_MINUTES, SOAK_TURNS, soak
from stack_load import stack_table

CLIENTS = (1, 8, 32, 128)
SECONDS = 10
SHARING = 32
"""How many clients share one session, in a run of its own."""


def main() -> None:
    """Print the tables."""
    parser = report.options(__doc__)
    parser.add_argument("--stack", action="store_true", help="call the stack on the emulator, and measure nothing else")
    parser.add_argument("--seconds", type=int, default=SECONDS, help="how long each number of clients calls")
    parser.add_argument("--memories", type=int, default=MEMORIES, help="how many memories the one user has")
    parser.add_argument("--long", type=int, default=TURNS, help="how many turns the user's long session has")
    parser.add_argument("--turns", type=int, default=SOAK_TURNS, help="how many turns one process stores")
    parser.add_argument("--minutes", type=float, default=SOAK_MINUTES, help="how long it does so at most")
    given = parser.parse_args()
    if given.stack:
        tables = [stack_table(given.seconds)]
    else:
        tables = [_local(given.seconds), objectives(given.seconds, given.memories, given.long)]
        tables.append(soak(given.turns, given.minutes))
    name = "load-stack" if given.stack else "load"
    report.publish(name, tables, given, seeds=(SEED,), libraries=("uvicorn",))


def _local(seconds: int) -> Table:
    rows = [_under(clients, clients, seconds) for clients in CLIENTS]
    rows.append(_under(SHARING, 1, seconds))
    columns = ("clients", "sessions", "turns a second", "before p50 ms", "p99 ms", "after p50 ms", "p99 ms")
    columns += ("busy answers", "other errors", "server's cores", "server MB", "turns", "lost", "doubled")
    says = (
        "Busy answers are RESOURCE_BUSY, after which the same turn is sent again; clients and server share the cores."
    )
    return Table(f"Turns over HTTP, {seconds} s each", columns, rows, says)


def _under(clients: int, sessions: int, seconds: int) -> Sequence[Cell]:
    with TemporaryDirectory() as directory:
        store = Path(directory)
        key = operator_services(store, {}).credentials.create(LOCAL_TENANT, Grant()).text
        places = [Place(f"session-{number % sessions}", f"user-{number % sessions}") for number in range(clients)]
        server = ServerProcess(store)
        server.start()
        try:
            cpu, started = cpu_seconds(server.pid), time.perf_counter()
            seen = asyncio.run(talk(Door.of(server.url.removesuffix("/mcp"), key), places, seconds))
            took = time.perf_counter() - started
            cores, memory = (cpu_seconds(server.pid) - cpu) / took, resident_megabytes(server.pid)
        finally:
            server.stop()
        with services(store, {}) as opened:
            lost, doubled = recounted(opened, LOCAL_TENANT, seen)
    times = (seen.quantile(tool, percent) for tool in (BEFORE, AFTER) for percent in (50, 99))
    others = seen.errors.total() - seen.errors[BUSY]
    counted = (seen.errors[BUSY], others, round(cores, 2), memory, seen.turns, lost, doubled)
    return (clients, sessions, round(seen.turns / took, 1), *times, *counted)


if __name__ == "__main__":
    main()
