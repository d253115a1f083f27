"""Clients on threads of their own that commit, prepare, maintain and index at once, each at a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import Barrier, Event

from cairn.calls.journal import Journal
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.adapters import Adapters
from cairn.ground.errors import ResourceBusy, Unavailable
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.log.layout import log_owner, with_across
from cairn.services import Services
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import CommittedTurn, Preparation
from cairn.upkeep.maintenance import Maintenance
from simulation.recount import Recount
from support.services import services_over

SESSION = Session(Tenant("acme"), Project("garden"), SessionId("race"))
USERS = (UserId("ada"), UserId("bob"))
SETTINGS = MemorySettings(recent_context_items=4, compaction_min_age_hours=0, guard_lease_seconds=3)
PAUSE_SECONDS = 0.05
MOST_TRIES = 200


class SystemClock:
    """The machine's time."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        Event().wait(seconds)


def problems_of_race(
    adapters: Adapters, clients: int, turns: int, finish: Callable[[], None] = lambda: None
) -> list[str]:
    """Have each client commit turns of its own and turns that all send; return what is wrong once they finished."""
    start = Barrier(clients)

    def run(client: int) -> list[tuple[str, bool]]:
        services = services_over(adapters, SETTINGS)
        start.wait()
        told: list[tuple[str, bool]] = []
        for number in range(turns):
            for name in (f"own-{client}-{number}", f"shared-{number}"):
                told.append((name, _insist(partial(commit, services, SESSION, _turn(name))).replayed))  # noqa: PERF401 - a comprehension would hide what happens in between
            _among(services, client)
        return told

    with ThreadPoolExecutor(clients) as pool:
        told = [each for answers in pool.map(run, range(clients)) for each in answers]
    finish()
    services = services_over(adapters, SETTINGS)
    owners = with_across([log_owner(user, SESSION.session_id) for user in USERS])
    recount = Recount(services, SESSION, owners)
    stored = [events[0].turn_id for _, events in recount.history]
    sent = {name for name, _ in told}
    applied = [name for name, replayed in told if not replayed]
    wrong = [] if sorted(stored) == sorted(sent) else [f"stored {sorted(stored)}, sent {sorted(sent)}"]
    wrong += [] if len(applied) == len(set(applied)) else [f"answered as stored more than once: {sorted(applied)}"]
    return [*wrong, *recount.problems()]


def take_the_lease(adapters: Adapters) -> None:
    """Take the session's lease and give it back; one that could not be given back has to end by itself until then."""
    services = services_over(adapters, SETTINGS)
    services.sessions.release(services.sessions.lease(SESSION, adapters.holder(), SETTINGS))


def _turn(name: str) -> Completion:
    user = USERS[len(name) % len(USERS)]
    return Completion(
        turn_id=TurnId(name),
        user_id=user,
        inputs=(message("user", f"In {name}: my name is {name.title()}. I like tea."), message("user", f"So {name}.")),
        outputs=(message("assistant", f"Noted {name}.", "output_text"),),
    )


def _among(services: Services, client: int) -> None:
    """Do what else goes on, and bear that it may not succeed just now."""
    with suppress(ResourceBusy, Unavailable):
        if client % 3 == 0:
            Maintenance(services, Journal(services.adapters, services.vault, timedelta(days=1))).run(SESSION)
        elif client % 3 == 1:
            current = (message("user", "What is my name?"),)
            prepare(services, SESSION, Preparation(current=current, user_id=USERS[0], max_input_tok=400))
        else:
            for owner in with_across([log_owner(USERS[0], SESSION.session_id)]):
                services.indexer.run(SESSION.tenant, SESSION.project, owner)


def _insist(call: Callable[[], CommittedTurn]) -> CommittedTurn:
    for _ in range(MOST_TRIES):
        with suppress(ResourceBusy, Unavailable):
            return call()
        Event().wait(PAUSE_SECONDS)
    raise AssertionError("a turn was never acknowledged")
