"""Begins to store a turn in a data directory, as a call of `cairn serve` does, and never gets to its commit."""

from __future__ import annotations

import sys
from pathlib import Path

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.embedded.wiring import EmbeddedWiring
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.session import Session
from cairn.services import Services
from cairn.settings.settings import EmbeddedStore, Settings

SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
TURN = Completion(turn_id=TurnId("t1"), inputs=(message("user", "I like tea."),), outputs=())
SECONDS = 30


SETTINGS = Settings(memory_enabled=True)


def wiring_of(directory: Path) -> EmbeddedWiring:
    """Return how every command reaches a data directory."""
    return EmbeddedWiring(EmbeddedStore(directory=directory), SETTINGS)


def main(directory: Path) -> None:
    """Claim the turn, lease its session, say so, and wait for the end."""
    services = Services(SETTINGS, wiring_of(directory))
    holder = services.adapters.holder()
    services.guards.claim(SESSION, TURN, holder, SECONDS)
    services.sessions.try_lease(SESSION, holder, SECONDS)
    sys.stdout.write(f"{holder}\n")
    sys.stdout.flush()
    sys.stdin.readline()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
