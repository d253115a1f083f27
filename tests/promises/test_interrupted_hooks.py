"""Wherever an agent's event is stopped, refused or left without an answer, each turn is stored once in the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from itertools import count
from typing import Any

import pytest

from cairn.access.callers import Caller
from cairn.conversation.items import text_of
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, ResourceBusy, Unavailable
from cairn.ground.ids import Project, SessionId, Tenant, UserId, time_ordered_id
from cairn.ground.session import Session
from cairn.hooks.events import Answered, Compacted, Ended, Happening, Prompted, ToolsUsed, ToolUse
from cairn.hooks.happenings import Hooks
from cairn.process.system import in_turn
from cairn.services import Services
from cairn.sessions.layout import due_shard
from cairn.tool.asked import keep_told
from cairn.tool.call import Call
from support.doubles import FakeClock
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped
from support.services import services_over

NewAdapters = Callable[[], Adapters]
Fault = Callable[[Callable[[], object]], object]
ADA = UserId("ada")
SESSION = Session(Tenant("acme"), Project("widget"), SessionId("monday"))
TOOL = ToolUse(id="t1", name="Bash", given="pnpm test", gave="42 passed")
TOLD: Sequence[Happening] = (
    Prompted("1", "We use pnpm."),
    ToolsUsed("1", (TOOL,)),
    Answered("1", "Noted."),
    Prompted("2", "Are you there?"),
    Prompted("3", "Hello?"),
    Answered("3", "Here."),
    Compacted("They greeted."),
    Prompted("4", "Good-bye."),
    Ended(),
)
STORED = [
    "We use pnpm.",
    "pnpm test",
    "42 passed",
    "Noted.",
    "Are you there?",
    "Hello?",
    "Here.",
    "Summary of the conversation so far, made by the agent itself: They greeted.",
    "Good-bye.",
]
FEWEST_CALLS = 1


def faulty(adapters: Adapters, at: int, fault: Fault) -> tuple[FaultyStore, Adapters]:
    store = FaultyStore(adapters, at, fault)
    return store, replace(adapters, table=store, blobs=FaultyBlobs(adapters, store), parallel=in_turn)


def stored(adapters: Adapters) -> list[str]:
    turns = services_over(adapters).sessions.history(SESSION)
    return [text_of(event.item) for _, events in turns for event in events]


def past_every_lease(adapters: Adapters) -> None:
    """Let the time go by for which a process that was killed holds what it had taken."""
    clock = adapters.clock
    assert isinstance(clock, FakeClock)
    clock.advance(hours=2)


def tell(services: Services, what: Happening) -> str:
    adapters = services.adapters
    name = time_ordered_id(adapters.clock.now(), adapters.entropy.token(10))
    call = Call(Caller(SESSION.tenant, frozenset(), "request-1", ()), services, id=name)
    return Hooks(services, ADA, call.at, partial(keep_told, call)).happened(SESSION, what)


@pytest.mark.req("R311")
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize(
    "broken", range(len(TOLD)), ids=[f"{place}-{type(what).__name__}" for place, what in enumerate(TOLD)]
)
def test_an_event_that_fails_at_any_call_and_is_told_again_is_stored_once(
    adapters_in_memory: NewAdapters, fault: Fault, broken: int
) -> None:
    calls = 0
    for at in count(1):
        adapters = adapters_in_memory()
        for what in TOLD[:broken]:
            tell(services_over(adapters), what)
        store, at_fault = faulty(adapters, at, fault)
        with suppress(Unavailable, ResourceBusy, Stopped):
            tell(services_over(at_fault), TOLD[broken])
        past_every_lease(adapters)
        for what in TOLD[broken:]:
            tell(services_over(adapters), what)
            tell(services_over(adapters), what)
        assert stored(adapters) == STORED, f"after call {at}"
        if store.calls < at:
            break
        calls = at
    assert calls >= FEWEST_CALLS


@pytest.mark.req("R311")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_turn_whose_end_failed_at_any_call_and_never_comes_again_is_stored_by_the_next_prompt_or_maintenance(
    adapters_in_memory: NewAdapters, fault: Fault
) -> None:
    for at in count(1):
        adapters = adapters_in_memory()
        tell(services_over(adapters), TOLD[0])
        store, at_fault = faulty(adapters, at, fault)
        with suppress(Unavailable, ResourceBusy, Stopped):
            tell(services_over(at_fault), Answered("1", "Noted."))
        tell(services_over(adapters), Prompted("2", "Are you there?"))
        past_every_lease(adapters)
        run = services_over(adapters).maintenance.run
        run(SESSION)
        said = stored(adapters)
        assert [said.count("We use pnpm."), said.count("Are you there?")] == [1, 1], f"after call {at}"
        assert said.count("Noted.") <= 1
        if store.calls < at:
            break


@pytest.mark.req("R311")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_prompt_is_stored_by_maintenance_wherever_its_process_died(
    adapters_in_memory: NewAdapters, fault: Fault
) -> None:
    for at in count(1):
        adapters = adapters_in_memory()
        store, at_fault = faulty(adapters, at, fault)
        kept = False
        with suppress(Unavailable, ResourceBusy, Stopped):
            tell(services_over(at_fault), Prompted("1", "We use pnpm."))
            kept = True
        for _ in range(3):
            past_every_lease(adapters)
            services = services_over(adapters)
            run = services.maintenance.run_due
            services.every_due.run_shard(due_shard(SESSION), timedelta(minutes=1), run)
        assert stored(adapters) == ["We use pnpm."] or not kept, f"after call {at}"
        if store.calls < at:
            break


def test_two_that_tell_the_same_end_at_once_store_it_once(adapters_in_memory: NewAdapters) -> None:
    adapters = adapters_in_memory()
    tell(services_over(adapters), TOLD[0])
    other = services_over(adapters)

    def meanwhile(call: Callable[[], Any]) -> Any:
        with suppress(ResourceBusy, Conflict):
            tell(other, Answered("1", "Noted."))
        return call()

    for at in range(1, 12):
        _, at_once = faulty(adapters, at, meanwhile)
        with suppress(ResourceBusy):
            tell(services_over(at_once), Answered("1", "Noted."))

    assert stored(adapters) == ["We use pnpm.", "Noted."]
