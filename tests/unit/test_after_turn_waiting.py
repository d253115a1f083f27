"""after_turn waits for a session that another call holds, for as long as it is told to, and for no other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from builders import SESSION, cold, turn
from cairn.domain.errors import ResourceBusy
from cairn.domain.ids import Project, SessionId, Tenant
from cairn.service.after_turn import commit
from cairn.service.parts import Parts
from cairn.service.world import World


@pytest.mark.req("R048")
def test_a_session_left_leased_blocks_no_other_session_project_or_tenant(parts: Parts) -> None:
    assert parts.sessions.try_lease(SESSION, "somebody", 30)
    others = (
        replace(SESSION, session_id=SessionId("tuesday")),
        replace(SESSION, project=Project("house")),
        replace(SESSION, tenant=Tenant("other")),
    )
    started = parts.world.clock.now()
    assert [commit(parts, session, turn("t1", "Hello")).events_written for session in others] == [2, 2, 2]
    assert parts.world.clock.now() == started


@pytest.mark.req("R137")
@pytest.mark.req("R049")
def test_waiting_for_a_leased_session_ends_at_its_time_limit(world: World, clock: Any) -> None:
    parts = cold(world, session_lock_timeout_ms=5000)
    assert parts.sessions.try_lease(SESSION, "somebody", 30)
    started = clock.now()
    with pytest.raises(ResourceBusy) as busy:
        commit(parts, SESSION, turn("t1", "Hello"))
    assert busy.value.retryable
    assert busy.value.details == {"resource": "session"}
    assert (clock.now() - started).total_seconds() == pytest.approx(5.0)


@pytest.mark.req("R046")
@pytest.mark.req("R269")
def test_a_turn_that_found_its_session_busy_can_be_sent_again_at_once(parts: Parts) -> None:
    lease = parts.sessions.try_lease(SESSION, "somebody", 30)
    assert lease
    with pytest.raises(ResourceBusy):
        commit(parts, SESSION, turn("t1", "Hello"))
    parts.sessions.release(lease)
    assert commit(parts, SESSION, turn("t1", "Hello")).events_written == 2


@pytest.mark.req("R269")
def test_a_client_that_waits_longer_each_time_gets_its_turn_in(world: World, clock: Any) -> None:
    parts = cold(world, session_lock_timeout_ms=0)
    assert parts.sessions.try_lease(SESSION, "slow", 3)
    busy = 0
    for seconds in (0.2, 0.5, 1.0, 2.0):
        with pytest.raises(ResourceBusy):
            commit(parts, SESSION, turn("t1", "Hello"))
        busy += 1
        clock.advance(seconds=seconds)
    assert busy == 4
    assert commit(parts, SESSION, turn("t1", "Hello")).events_written == 2


@pytest.mark.req("R050")
def test_a_session_whose_holder_died_is_free_when_its_lease_ends(world: World, clock: Any) -> None:
    parts = cold(world, guard_lease_seconds=30)
    assert parts.sessions.try_lease(SESSION, "dead", 30)
    clock.advance(seconds=31)
    assert commit(parts, SESSION, turn("t1", "Hello")).events_written == 2
