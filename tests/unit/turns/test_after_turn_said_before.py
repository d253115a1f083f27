"""Turns and memories that were told elsewhere before: they keep their times, and what was said since stands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.adapters import Adapters
from cairn.ground.ids import SessionId, TurnId, UserId
from cairn.ground.session import NO_SESSION
from cairn.log.layout import is_entry, log_owner, log_pk, logged_at
from cairn.memories.model import Note
from cairn.memories.remember import remember, was_remembered
from cairn.services import Services
from cairn.turns.after_turn import commit
from cairn.turns.take_back import take_back
from support.turns import SESSION, cold, head, partition, turn

ADA = UserId("ada")
LAST_YEAR = datetime(2025, 4, 2, 9, tzinfo=UTC)
TOLD = {
    "new": [("today", "I live in Bergen.", None), ("old", "I live in Oslo.", LAST_YEAR)],
    "asked": [("today", "I live in Bergen.", None), ("old", "Forget where I live.", LAST_YEAR)],
}


@pytest.fixture
def services(adapters: Adapters) -> Services:
    return cold(adapters, across_projects=False)


def say(services: Services, name: str, said: str, at: datetime | None, session: str = "") -> None:
    where = replace(SESSION, session_id=SessionId(session or name))
    told = Completion(turn_id=TurnId(name), user_id=ADA, inputs=(message("user", said),), outputs=(), at=at)
    commit(services, where, told)


def view(services: Services, read: Callable[[Any], Any]) -> Any:
    owner = log_owner(ADA, SESSION.session_id)
    services.log.refresh(SESSION.tenant, SESSION.project, owner)
    with services.log.view(SESSION.tenant, SESSION.project, owner) as found:
        return read(found)


def homes(services: Services) -> list[tuple[str, datetime]]:
    now = services.adapters.clock.now()
    return view(services, lambda found: [(fact.value, fact.recorded_at) for fact in found.facts(now, None)])


def test_events_log_and_facts_have_the_time_at_which_a_turn_was_said(services: Services) -> None:
    say(services, "old", "I live in Oslo.", LAST_YEAR, SESSION.session_id)
    (stored,) = services.sessions.recent(SESSION, 10).turns
    (stamp,) = view(services, lambda found: found.turns(SESSION.session_id))

    assert [event.ts for event in stored[1]] == [LAST_YEAR]
    assert stamp.at == LAST_YEAR
    assert homes(services) == [("Oslo", LAST_YEAR)]


def test_the_order_of_logs_the_head_and_what_falls_due_go_by_the_clock(services: Services) -> None:
    say(services, "old", "I live in Oslo.", LAST_YEAR, SESSION.session_id)
    now = services.adapters.clock.now()
    log = log_pk(SESSION.tenant, SESSION.project, log_owner(ADA, SESSION.session_id))
    assert [logged_at(str(each["sk"])) for each in partition(services, log) if is_entry(str(each["sk"]))] == [now]
    assert datetime.fromisoformat(str(head(services)["updated_at"])) == now
    assert services.maintenance.run(SESSION).erased is False


def test_no_turn_is_said_in_the_future(services: Services) -> None:
    say(services, "early", "I live in Oslo.", services.adapters.clock.now() + timedelta(days=1))
    assert homes(services) == [("Oslo", services.adapters.clock.now())]


@pytest.mark.parametrize("told", TOLD.values(), ids=TOLD)
def test_what_was_said_since_stands(told: list[tuple[str, str, datetime | None]], services: Services) -> None:
    for each in told:
        say(services, *each)
    assert homes(services) == [("Bergen", services.adapters.clock.now())]


@pytest.mark.parametrize(("at", "kept"), [(None, []), (LAST_YEAR, ["The gate sticks in winter."])])
def test_a_request_to_forget_lets_go_of_what_was_kept_by_then(
    at: datetime | None, kept: list[str], services: Services
) -> None:
    where = replace(SESSION, session_id=NO_SESSION)
    remember(services, where, Note(content="The gate sticks in winter.", user_id=ADA, scope="user"))
    say(services, "asked", "Forget that the gate sticks in winter.", at)
    assert view(services, lambda found: [each.content for each in found.memories()]) == kept


def test_what_is_said_later_still_takes_the_place_of_what_was_said_before(services: Services, clock: Any) -> None:
    say(services, "old", "I live in Oslo.", LAST_YEAR)
    say(services, "newer", "I live in Bergen.", LAST_YEAR + timedelta(days=3))
    clock.advance(hours=1)
    assert homes(services) == [("Bergen", LAST_YEAR + timedelta(days=3))]


def test_a_turn_that_was_said_before_can_be_taken_back(services: Services) -> None:
    say(services, "first", "I keep bees.", None, SESSION.session_id)
    say(services, "old", "I live in Oslo.", LAST_YEAR, SESSION.session_id)
    assert take_back(services, SESSION, TurnId("old")).retracted == 1
    assert "Oslo" not in dict(homes(services))
    assert [stamp.turn_id for stamp in view(services, lambda found: found.turns(SESSION.session_id))] == ["first"]


def test_a_turn_with_its_time_and_without_is_the_same_turn(services: Services) -> None:
    told = turn("t1", "I live in Oslo.")
    commit(services, SESSION, told)
    assert commit(services, SESSION, replace(told, at=LAST_YEAR)).replayed


def test_a_memory_keeps_the_time_at_which_it_was_recorded_and_is_known_by_what_it_says(services: Services) -> None:
    where = replace(SESSION, session_id=NO_SESSION)
    note = Note(content="The gate sticks.", user_id=ADA, scope="user", at=LAST_YEAR)
    assert not was_remembered(services, where, note)
    remember(services, where, note)
    log = log_pk(SESSION.tenant, SESSION.project, log_owner(ADA, SESSION.session_id))
    entries = [str(each["sk"]) for each in partition(services, log) if is_entry(str(each["sk"]))]

    assert [logged_at(each) for each in entries] == [services.adapters.clock.now()]
    assert was_remembered(services, where, replace(note, content="the gate  sticks.", at=None))
    assert view(services, lambda found: [each.recorded_at for each in found.memories()]) == [LAST_YEAR]
