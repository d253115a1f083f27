"""Commits ten turns of its own and ten that another process commits as well: store, own name, shared name."""

from __future__ import annotations

import sys
from pathlib import Path

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.errors import ResourceBusy
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.session import Session
from cairn.process.system import SystemClock, SystemEntropy, in_turn
from cairn.services import Services
from cairn.turns.after_turn import commit
from support.services import services_over

SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
PAUSE_SECONDS = 0.02


def sent(services: Services, name: str) -> str:
    """Send a turn until it is acknowledged; whoever started this process waits for no more than a while."""
    turn = Completion(turn_id=TurnId(name), inputs=(message("user", f"I like {name}."),), outputs=())
    while True:
        try:
            return "replayed" if commit(services, SESSION, turn).replayed else "stored"
        except ResourceBusy:
            services.adapters.clock.sleep(PAUSE_SECONDS)


def main(directory: Path, own: str, shared: str) -> None:
    """Say ready, wait for a line, commit, and say for each turn how it went."""
    table, blobs = SqliteTable(directory / "table.sqlite3"), DirectoryBlobs(directory / "blobs")
    adapters = Adapters(table, blobs, LocalKeyRing(bytes(32)), SystemClock(), SystemEntropy(), in_turn)
    services = services_over(adapters)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for number in range(10):
        sys.stdout.write(f"{sent(services, f'{shared}{number}')} {sent(services, f'{own}{number}')} ")


main(Path(sys.argv[1]), sys.argv[2], sys.argv[3])
