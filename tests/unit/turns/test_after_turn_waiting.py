"""after_turn waits for a session that another call holds, for as long as it is told to, and for no other."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, Refusal, ResourceBusy, TransactionRefused
from cairn.ground.ids import Project, SessionId, Tenant
from cairn.services import Services
from cairn.turns.after_turn import commit
from support.turns import SESSION, cold, turn


@dataclass
class InterruptedClock:
    """The test's clock; something happens while somebody first waits."""

    clock: Any
    meanwhile: Callable[[], object] | None

    def now(self) -> datetime:
        return self.clock.now()

    def sleep(self, seconds: float) -> None:
        self.clock.sleep(seconds)
        happening, self.meanwhile = self.meanwhile, None
        if happening:
            happening()


@pytest.mark.req("R048")
def test_a_session_left_leased_blocks_no_other_session_project_or_tenant(services: Services) -> None:
    assert services.sessions.try_lease(SESSION, "somebody", 30)
    others = (
        replace(SESSION, session_id=SessionId("tuesday")),
        replace(SESSION, project=Project("house")),
        replace(SESSION, tenant=Tenant("other")),
    )
    started = services.adapters.clock.now()
    assert [commit(services, session, turn("t1", "Hello")).events_written for session in others] == [2, 2, 2]
    assert services.adapters.clock.now() == started


@pytest.mark.req("R137")
@pytest.mark.req("R049")
def test_waiting_for_a_leased_session_ends_at_its_time_limit(adapters: Adapters, clock: Any) -> None:
    services = cold(adapters, session_lock_timeout_ms=5000)
    assert services.sessions.try_lease(SESSION, "somebody", 30)
    started = clock.now()
    with pytest.raises(ResourceBusy) as busy:
        commit(services, SESSION, turn("t1", "Hello"))
    assert busy.value.retryable
    assert busy.value.details == {"resource": "session"}
    assert (clock.now() - started).total_seconds() == pytest.approx(5.0)


@pytest.mark.req("R046")
@pytest.mark.req("R269")
def test_a_turn_that_found_its_session_busy_can_be_sent_again_at_once(services: Services) -> None:
    lease = services.sessions.try_lease(SESSION, "somebody", 30)
    assert lease
    with pytest.raises(ResourceBusy):
        commit(services, SESSION, turn("t1", "Hello"))
    services.sessions.release(lease)
    assert commit(services, SESSION, turn("t1", "Hello")).events_written == 2


@pytest.mark.req("R269")
def test_a_client_that_waits_longer_each_time_gets_its_turn_in(adapters: Adapters, clock: Any) -> None:
    services = cold(adapters, session_lock_timeout_ms=0)
    assert services.sessions.try_lease(SESSION, "slow", 3)
    busy = 0
    for seconds in (0.2, 0.5, 1.0, 2.0):
        with pytest.raises(ResourceBusy):
            commit(services, SESSION, turn("t1", "Hello"))
        busy += 1
        clock.advance(seconds=seconds)
    assert busy == 4
    assert commit(services, SESSION, turn("t1", "Hello")).events_written == 2


@pytest.mark.req("R050")
def test_a_session_whose_holder_died_is_free_when_its_lease_ends(adapters: Adapters, clock: Any) -> None:
    services = cold(adapters, guard_lease_seconds=30)
    assert services.sessions.try_lease(SESSION, "dead", 30)
    clock.advance(seconds=31)
    assert commit(services, SESSION, turn("t1", "Hello")).events_written == 2


@pytest.mark.req("R043")
@pytest.mark.parametrize("payload", ["the same", "another"])
def test_a_call_that_waited_past_its_claim_is_told_which_payload_was_stored_meanwhile(
    adapters: Adapters, clock: Any, payload: str
) -> None:
    """Found by the simulator: the turn was there, and so another payload under its id was called a replay."""
    said = "Hello" if payload == "the same" else "Good-bye"
    lease = cold(adapters).sessions.try_lease(SESSION, "somebody", 30)
    assert lease

    def take_over() -> None:
        cold(adapters).sessions.release(lease)
        clock.advance(seconds=2)
        assert commit(cold(adapters), SESSION, turn("t1", said)).events_written == 2

    waiting = cold(replace(adapters, clock=InterruptedClock(clock, take_over)), guard_lease_seconds=1)
    if payload == "the same":
        assert commit(waiting, SESSION, turn("t1", "Hello")).replayed
    else:
        with pytest.raises(Conflict):
            commit(waiting, SESSION, turn("t1", "Hello"))


@pytest.mark.parametrize(("seconds", "stored"), [(19.95, True), (20, False)])
def test_a_commit_that_the_store_holds_up_for_more_than_20_seconds_writes_nothing(
    start: Callable[..., Any], watched: Any, clock: Any, seconds: float, *, stored: bool
) -> None:
    talk = start()

    def refuse(what: object) -> None:
        if isinstance(what, list):
            watched.before_call = None
            clock.advance(seconds=seconds)  # and a retry waits for the rest
            raise TransactionRefused([Refusal("conflict")])

    watched.before_call = refuse
    with nullcontext() if stored else pytest.raises(ResourceBusy, match="held up"):
        talk.say("I like beans.")

    assert (talk.history() != []) is stored
