"""Taking a legacy session over: stopped at any call, done again or beside others, it comes over once and whole."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cairn.conversation.events import Event, EventType
from cairn.conversation.items import message
from cairn.custody import earlier_import as legacy_import
from cairn.custody.earlier_layout import EarlierHistory, FactRecord, turns_of
from cairn.facts.facts import State
from cairn.ground.adapters import Adapters
from cairn.ground.errors import ResourceBusy, Unavailable
from cairn.ground.ids import TurnId
from cairn.ground.paging import every
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Query
from cairn.ground.tiers import Tier
from cairn.services import Services
from cairn.sessions.layout import HEAD, session_pk
from cairn.turns.after_turn import commit
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped, killed_before
from support.services import services_over
from support.turns import SESSION, cold, turn

START = datetime(2026, 2, 1, tzinfo=UTC)
SETTINGS = MemorySettings(session_lock_timeout_ms=0)
TURNS = 7


def history() -> EarlierHistory:
    events = [
        Event(
            id=f"t{number}-in-0",
            ts=START + timedelta(hours=number),
            type=EventType.INPUT_ITEM,
            turn_id=TurnId(f"t{number}"),
            user_id=None,
            item=message("user", f"Row {number} has beans."),
        )
        for number in range(TURNS)
    ]
    homes = [
        FactRecord(
            id=f"f{number}",
            at=START + timedelta(hours=number),
            fact_id="user_home",
            key="home",
            value=value,
            confidence=0.9,
            tier=Tier.L0,
            state=State.ACTIVE,
            expires_at=None,
            turn_id=f"t{number}",
            user_id=None,
        )
        for number, value in enumerate(("Oslo", "Bergen"))
    ]
    return EarlierHistory(turns_of(events), tuple(homes), (TurnId("t-1"), TurnId("t0")))


def services(adapters: Adapters) -> Services:
    return services_over(adapters, SETTINGS)


def faulty(
    adapters: Adapters, at: int, fault: Callable[[Callable[[], object]], object]
) -> tuple[FaultyStore, Services]:
    store = FaultyStore(adapters, at, fault)
    return store, services(replace(adapters, table=store, blobs=FaultyBlobs(adapters, store)))


def take_over(services: Services) -> None:
    legacy_import.EarlierImport(services).run(SESSION, history())


def end_state(adapters: Adapters) -> dict[str, Any]:
    """Return all that can be observed, without the times and fences that differ between runs."""
    process = cold(adapters)
    items = list(every(adapters.table, Query(session_pk(SESSION), "\x01", "\U0010ffff")))
    files = dict(services(adapters).files.everything(SESSION))
    timed = ("meta/", "indexes/")
    return {
        "keys": [item["sk"] for item in items],
        "history": list(process.sessions.history(SESSION)),
        "files": {path: content for path, content in files.items() if not any(part in path for part in timed)},
        "head": {
            name: value
            for item in items
            for name, value in item.items()
            if item["sk"] == HEAD and name in {"seq", "owners", "legacy", "legacy_through", "events", "turn_id"}
        },
    }


@pytest.fixture(autouse=True)
def _small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(legacy_import, "MOST_TURNS", 3)


@pytest.mark.slow
@pytest.mark.req("R085")
@pytest.mark.req("R087")
@pytest.mark.parametrize("fault", FAULTS)
def test_an_import_that_is_stopped_at_any_call_is_finished_by_the_next(
    fault: Callable[[Callable[[], object]], object], adapters_in_memory: Callable[[], Adapters]
) -> None:
    clean = adapters_in_memory()
    store, undisturbed = faulty(clean, 0, killed_before)
    take_over(undisturbed)
    wanted = end_state(clean)
    assert len(wanted["history"]) == TURNS

    for at in range(1, store.calls + 1):
        adapters = adapters_in_memory()
        clock: Any = adapters.clock
        try:
            take_over(faulty(adapters, at, fault)[1])
        except (Stopped, Unavailable):
            clock.advance(seconds=SETTINGS.guard_lease_seconds + 1)
            take_over(services(adapters))
        assert end_state(adapters) == wanted, at
        committed = commit(services(adapters), SESSION, turn("t0", "I live in Rome."))
        assert committed.replayed, at


@pytest.mark.slow
@pytest.mark.req("R085")
def test_two_imports_at_once_take_a_session_over_once(adapters_in_memory: Callable[[], Adapters]) -> None:
    clean = adapters_in_memory()
    store, undisturbed = faulty(clean, 0, killed_before)
    take_over(undisturbed)
    wanted = end_state(clean)

    for at in range(1, store.calls + 1):
        adapters = adapters_in_memory()
        outcomes: list[str] = []

        def meanwhile(
            call: Callable[[], object], adapters: Adapters = adapters, outcomes: list[str] = outcomes
        ) -> object:
            outcomes.append(outcome(services(adapters)))
            return call()

        outcomes.append(outcome(faulty(adapters, at, meanwhile)[1]))
        assert "done" in outcomes, at
        assert end_state(adapters) == wanted, at


@pytest.mark.slow
@pytest.mark.req("R085")
def test_a_turn_that_is_spoken_after_an_interrupted_import_does_not_end_it(
    adapters_in_memory: Callable[[], Adapters],
) -> None:
    store, undisturbed = faulty(adapters_in_memory(), 0, killed_before)
    take_over(undisturbed)
    outcomes: set[int] = set()

    for at in range(1, store.calls + 1):
        adapters = adapters_in_memory()
        clock: Any = adapters.clock
        with pytest.raises(Stopped):
            take_over(faulty(adapters, at, killed_before)[1])
        clock.advance(seconds=SETTINGS.guard_lease_seconds + 1)
        commit(services(adapters), SESSION, turn("t100", "I like tea."))
        take_over(services(adapters))
        said = [event.turn_id for _, events in cold(adapters).sessions.history(SESSION) for event in events]
        assert len(said) == len(set(said)) + 1, at  # one turn has two events
        outcomes.add(len(set(said)))
    assert outcomes == {1, TURNS + 1}  # none of it came over, and the session's own turn counts, or all of it did


def outcome(runner: Services) -> str:
    try:
        take_over(runner)
    except ResourceBusy:
        return "busy"
    return "done"
