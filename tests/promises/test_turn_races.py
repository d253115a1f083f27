"""Threads and processes that commit to one session at once: every turn is stored once, and none is lost."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from subprocess import PIPE, Popen
from threading import Barrier, Event
from typing import Any

import pytest

from cairn.conversation.items import message, text_of
from cairn.conversation.turns import Completion
from cairn.embedded.keyring import LocalKeyRing
from cairn.ground.adapters import Adapters
from cairn.ground.errors import ResourceBusy
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Key
from cairn.log.layout import log_owner
from cairn.process.system import SystemEntropy
from cairn.services import Services
from cairn.sessions.layout import HEAD, session_pk
from cairn.turns.after_turn import commit
from cairn.turns.model import CommittedTurn
from support.services import services_over

SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
WORKER = Path(__file__).with_name("committing_process.py")
PAUSE_SECONDS = 0.02
MOST_TRIES = 500
LONGEST_REAL_WAIT = 0.005


class HurriedClock:
    """The machine's time, in which waiting is short."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def sleep(self, seconds: float) -> None:
        Event().wait(min(seconds, LONGEST_REAL_WAIT))


@pytest.fixture
def process(adapters: Adapters) -> Callable[[], Services]:
    """Return a function that starts a process over one store; each has its own memory."""
    settings = MemorySettings()
    shared = replace(adapters, clock=HurriedClock(), entropy=SystemEntropy(), keys=LocalKeyRing(bytes(32)))
    return lambda: services_over(shared, settings)


def turn(name: str) -> Completion:
    return Completion(
        turn_id=TurnId(name),
        inputs=(message("user", f"My name is {name.title()}."),),
        outputs=(message("assistant", f"Hello {name}.", "output_text"),),
    )


def patiently(services: Services, completion: Completion) -> CommittedTurn:
    """Send a turn as a client does: after RESOURCE_BUSY again, however slow the machine is."""
    for _ in range(MOST_TRIES):
        with suppress(ResourceBusy):
            return commit(services, SESSION, completion)
        Event().wait(PAUSE_SECONDS)
    raise AssertionError("a turn was never acknowledged")


def together(count: int, call: Callable[[int], Any]) -> list[Any]:
    """Run the calls on threads that start at once, and return their results or errors."""
    barrier = Barrier(count)

    def run(number: int) -> Any:
        barrier.wait()
        try:
            return call(number)
        except ResourceBusy as busy:
            return busy

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(run, range(count)))


def stored(services: Services) -> dict[int, list[str]]:
    return {seq: [text_of(event.item) for event in events] for seq, events in services.sessions.history(SESSION)}


@pytest.mark.req("R135")
@pytest.mark.req("R039")
@pytest.mark.parametrize("processes", ["one process", "many processes"])
def test_of_calls_with_the_same_turn_at_once_exactly_one_applies(
    process: Callable[[], Services], processes: str
) -> None:
    shared = process()
    callers = [shared if processes == "one process" else process() for _ in range(8)]
    outcomes = together(8, lambda number: commit(callers[number], SESSION, turn("ada")))
    applied = [outcome for outcome in outcomes if isinstance(outcome, CommittedTurn) and not outcome.replayed]
    assert len(applied) == 1
    assert applied[0].events_written == 2
    assert all(isinstance(outcome, ResourceBusy) or outcome.replayed for outcome in outcomes if outcome not in applied)
    assert stored(process()) == {1: ["My name is Ada.", "Hello ada."]}
    assert commit(process(), SESSION, turn("ada")).replayed


@pytest.mark.req("R135")
@pytest.mark.req("R040")
@pytest.mark.req("R269")
@pytest.mark.parametrize("processes", ["one process", "many processes"])
def test_different_turns_at_once_are_all_stored_once_and_in_a_row(
    process: Callable[[], Services], processes: str
) -> None:
    shared = process()
    callers = [shared if processes == "one process" else process() for _ in range(8)]
    outcomes = together(8, lambda number: patiently(callers[number], turn(f"name{number}")))
    assert [outcome.events_written for outcome in outcomes] == [2] * 8
    history = stored(process())
    assert list(history) == list(range(1, 9))
    assert sorted(texts[0] for texts in history.values()) == [f"My name is Name{number}." for number in range(8)]


@pytest.mark.req("R040")
@pytest.mark.req("R061")
def test_after_a_race_the_last_turn_is_believed_and_all_before_it_are_superseded(
    process: Callable[[], Services],
) -> None:
    callers = [process() for _ in range(6)]
    together(6, lambda number: patiently(callers[number], turn(f"name{number}")))
    reader = process()
    last = max(stored(reader).items())[1][0].removeprefix("My name is ").removesuffix(".")
    owner = log_owner(None, SESSION.session_id)
    for services in (reader, *callers):
        services.log.refresh(SESSION.tenant, SESSION.project, owner)
        with services.log.view(SESSION.tenant, SESSION.project, owner) as view:
            assert [fact.value for fact in view.facts(services.adapters.clock.now(), SESSION.session_id)] == [last]
    head = reader.adapters.table.get(Key(session_pk(SESSION), HEAD))
    assert head is not None
    assert (head["seq"], head["version"], head["facts_written"], head["facts_superseded"]) == (6, 6, 6, 5)
    assert "lease_until" not in head


@pytest.mark.req("R039")
@pytest.mark.req("R040")
def test_every_turn_sent_twice_at_once_is_stored_once(process: Callable[[], Services]) -> None:
    callers = [process() for _ in range(8)]
    outcomes = together(8, lambda number: patiently(callers[number], turn(f"name{number // 2}")))
    assert sorted(outcome.replayed for outcome in outcomes) == [False] * 4 + [True] * 4
    assert list(stored(process())) == [1, 2, 3, 4]


@pytest.mark.req("R048")
def test_sessions_of_one_user_do_not_wait_for_each_other(process: Callable[[], Services]) -> None:
    callers = [process() for _ in range(6)]

    def send(number: int) -> CommittedTurn:
        return commit(callers[number], replace(SESSION, session_id=SessionId(f"s{number}")), turn("ada"))

    assert [outcome.events_written for outcome in together(6, send)] == [2] * 6


@pytest.mark.slow
@pytest.mark.req("R039")
@pytest.mark.req("R040")
def test_processes_that_send_the_same_and_different_turns_store_each_once(
    process: Callable[[], Services], store: Any
) -> None:
    workers = [
        Popen(  # noqa: S603 - our own script
            [sys.executable, WORKER, store.directory, name, "shared"],
            stdin=PIPE,
            stdout=PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(WORKER.parents[1])},
        )
        for name in ("one", "two")
    ]
    answers: list[str] = []
    for worker in workers:
        assert worker.stdout
        assert worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin
        worker.stdin.write("go\n")
        worker.stdin.flush()
    for worker in workers:
        out, _ = worker.communicate(timeout=60)
        assert worker.returncode == 0
        answers.extend(out.split())
    history = stored(process())
    assert list(history) == list(range(1, 31))
    assert len({texts[0] for texts in history.values()}) == 30
    assert (answers.count("stored"), answers.count("replayed")) == (30, 10)
