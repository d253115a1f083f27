"""What the deployed stack bears: the same clients against the template on the AWS emulator, over loopback."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from collections.abc import Sequence
from pathlib import Path

from cairn.local.emulator.deploy import gateway
from cairn.local.emulator.deployment import keys, prepare, store
from cairn.local.emulator.emulator import ACCOUNT, emulated
from cairn.local.store import LOCAL_TENANT, services
from clients import AFTER, BEFORE, BUSY, Door, recounted, talk
from lambda_runtime import free_port
from report import Cell, Table
from scenes import Place

CLIENTS = (1, 8, 32, 128)
_ROOT = Path(__file__).resolve().parents[1]
_HOME = _ROOT / ".cache" / "stack"
_CONCURRENCY = 4
"""How many calls the emulator runs at once; each takes a process of its own on this machine."""
_WARMINGS = 10
_UNTHROTTLED = {"RequestsPerSecond": "10000", "RequestBurst": "5000"}


def stack_table(seconds: float) -> Table:
    """Build the template, deploy it, have each number of clients call it, count the turns again and take it down."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # whoever ends the run ends the emulator with it
    for left in ("state", "objects"):
        shutil.rmtree(_HOME / left, ignore_errors=True)
    deployment = prepare(_ROOT, _HOME, _UNTHROTTLED)
    deployment.build()
    os.environ["LAMBDA_ACCOUNT_CONCURRENCY"] = str(_CONCURRENCY)
    # IAM is off: the emulator has neither TLS nor encryption contexts, without which the template's policies refuse.
    with emulated(deployment.emulator, _HOME, free_port(), iam=False) as emulator:
        outputs = deployment.deploy(emulator.endpoint)
        key = keys(["create", "--tenant", LOCAL_TENANT], emulator.endpoint, outputs)
        os.environ.update(ACCOUNT | {"AWS_ENDPOINT_URL": emulator.endpoint})
        door = Door.of(gateway(emulator.endpoint, outputs), key)
        _warm(door)
        rows = [_row(door, clients, seconds, store(outputs)) for clients in CLIENTS]
    columns = ("clients", "turns a second", "before p50 ms", "p99 ms", "after p50 ms", "p99 ms")
    columns += ("busy answers", "other errors", "turns", "lost", "doubled")
    says = (
        f"Times are the emulator's: it runs each function and itself on the cores of the clients, {_CONCURRENCY} calls "
        "at most at once. Beyond it answers 429, or 500 where "
        "that meets the authorizer, and the turn is sent again. That none is lost or doubled is Cairn's."
    )
    return Table(f"Turns over the emulated stack, {seconds:g} s each", columns, rows, says)


def _warm(door: Door) -> None:
    """Call until the emulator has started its processes: it unpacks the layers for each, which takes seconds."""
    places = [Place(f"warming-{number}", f"warming-{number}") for number in range(_CONCURRENCY)]
    for _ in range(_WARMINGS):
        seen = asyncio.run(talk(door, places, 1))
        if not seen.errors and len(seen.sent) == len(places):
            return


def _row(door: Door, clients: int, seconds: float, deployed: dict[str, str]) -> Sequence[Cell]:
    places = [Place(f"stack-{clients}-{number}", f"user-{clients}-{number}") for number in range(clients)]
    seen = asyncio.run(talk(door, places, seconds))
    with services(None, deployed) as opened:
        lost, doubled = recounted(opened, LOCAL_TENANT, seen)
    times = (seen.quantile(tool, percent) for tool in (BEFORE, AFTER) for percent in (50, 99))
    others = ", ".join(f"{number} {code}" for code, number in seen.errors.items() if code != BUSY) or 0
    return (clients, round(seen.turns / seconds, 1), *times, seen.errors[BUSY], others, seen.turns, lost, doubled)
