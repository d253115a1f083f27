"""What after_turn learns from a turn, in the order it was said, whatever the clock says."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.adapters import Adapters
from cairn.ground.ids import SessionId, TurnId, UserId
from cairn.ground.session import ResponseItem
from cairn.log.layout import across, log_owner, log_pk, named_in, registry_pk
from cairn.services import Services
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from support.log import entries
from support.turns import OWNER, SESSION, cold, facts, head, partition, turn


def context(services: Services, said: str) -> list[ResponseItem]:
    return list(prepare(services, SESSION, Preparation(current=(message("user", said),))).items)


@pytest.mark.req("R036")
def test_another_process_reads_the_turn_as_soon_as_it_is_stored(services: Services, adapters: Adapters) -> None:
    other = cold(adapters)
    context(other, "warm up")
    commit(services, SESSION, turn("t1", "My name is Ada."))
    assert facts(other)["user_name"].value == "Ada"


@pytest.mark.req("R061")
@pytest.mark.req("R060")
def test_saying_the_same_again_keeps_the_one_record(services: Services) -> None:
    commit(services, SESSION, turn("t1", "My name is Ada."))
    first = facts(services)["user_name"]
    result = commit(services, SESSION, turn("t2", "my name is ada"))
    assert (result.facts_written, result.facts_superseded) == (0, 0)
    assert facts(services)["user_name"].id == first.id
    assert facts(services)["user_name"].value == "Ada"


@pytest.mark.req("R061")
def test_saying_the_same_again_moves_when_it_was_last_seen(services: Services, clock: Any) -> None:
    commit(services, SESSION, turn("t1", "My name is Ada."))
    clock.advance(hours=1)
    commit(services, SESSION, turn("t2", "My name is Ada."))
    seen = facts(services)["user_name"]
    assert (seen.last_seen - seen.recorded_at).total_seconds() == 3600


@pytest.mark.req("R061")
@pytest.mark.req("R263")
def test_a_changed_value_replaces_the_old_one_which_stays_in_the_record(services: Services, clock: Any) -> None:
    commit(services, SESSION, turn("t1", "My name is Ada."))
    old = facts(services)["user_name"]
    clock.advance(hours=1)
    result = commit(services, SESSION, turn("t2", "My name is Grace."))
    new = facts(services)["user_name"]
    assert (result.facts_written, result.facts_superseded) == (1, 1)
    assert (new.value, new.supersedes) == ("Grace", old.id)
    log = log_pk(SESSION.tenant, SESSION.project, OWNER)
    records = [services.vault.unseal(SESSION.tenant, item) for item in entries(services, log)]
    [ended] = [record for entry in records for record in entry["ended"]]
    assert (ended["value"], ended["state"], ended["superseded_by"]) == ("Ada", "superseded", new.id)
    assert ended["valid_to"] == "2026-03-01T13:00:00Z"


@pytest.mark.req("R263")
def test_a_retraction_deletes_the_fact_and_leaves_a_record_of_it(services: Services) -> None:
    commit(services, SESSION, turn("t1", "I work at Acme Corp."))
    assert facts(services)
    result = commit(services, SESSION, turn("t2", "I no longer work at Acme Corp."))
    assert result.facts_superseded == 1
    assert not [fact for fact in facts(services).values() if "Acme" in fact.value]
    log = log_pk(SESSION.tenant, SESSION.project, OWNER)
    records = [services.vault.unseal(SESSION.tenant, item) for item in entries(services, log)]
    assert [record["state"] for entry in records for record in entry["ended"]] == ["deleted"]


@pytest.mark.req("R061")
def test_facts_do_not_grow_however_often_they_are_said(services: Services) -> None:
    """Known fault 6: only the recalled facts were compared, so that more than that many grew without bound."""
    foods = [f"I prefer dish number {number}." for number in range(40)]
    for repeat in range(3):
        for first in range(0, 40, 10):
            commit(services, SESSION, turn(f"{repeat}-{first}", " ".join(foods[first : first + 10])))
    services.log.refresh(SESSION.tenant, SESSION.project, OWNER)
    with services.log.view(SESSION.tenant, SESSION.project, OWNER) as view:
        values = [fact.value for fact in view.facts(services.adapters.clock.now(), SESSION.session_id)]
    assert len(values) == len(set(values)) == 40


@pytest.mark.req("R036")
def test_a_users_first_turn_makes_their_memories_known_to_the_project_once(services: Services) -> None:
    for number, user in enumerate(["ada", "bob", "ada", None]):
        commit(services, SESSION, replace(turn(f"t{number}", "Hello"), user_id=UserId(user) if user else None))
    registry = registry_pk(SESSION.tenant, SESSION.project)
    assert [item["sk"] for item in partition(services, registry)] == ["log#s:monday", "log#u:ada", "log#u:bob"]
    assert head(services)["owners"] == "u:ada\nu:bob\ns:monday"


@pytest.mark.req("R263")
def test_a_retraction_ends_what_the_user_said_in_another_session_for_recall_across_sessions(services: Services) -> None:
    ada = UserId("ada")
    tuesday = replace(SESSION, session_id=SessionId("tuesday"))
    commit(services, SESSION, replace(turn("t1", "I work at Acme Corp."), user_id=ada))
    commit(services, tuesday, replace(turn("t1", "I no longer work at Acme Corp."), user_id=ada))
    (owner,) = across(log_owner(ada, SESSION.session_id))
    services.log.refresh(SESSION.tenant, SESSION.project, owner)
    with services.log.view(SESSION.tenant, SESSION.project, owner) as view:
        assert view.facts(services.adapters.clock.now(), None) == []
        monday = named_in(owner, SESSION.project, SESSION.session_id)
        assert len(view.facts(services.adapters.clock.now(), monday)) == 1


@pytest.mark.req("R060")
def test_only_the_user_can_state_facts(services: Services) -> None:
    said = Completion(
        turn_id=TurnId("t1"),
        inputs=(message("developer", "My name is System."), message("user", "Hello there")),
        outputs=(
            message("assistant", "My name is Cairn.", "output_text"),
            {"type": "function_call_output", "call_id": "c", "output": "My name is Tool."},
        ),
    )
    assert commit(services, SESSION, said).facts_written == 0


@pytest.mark.req("R036")
def test_of_turns_within_one_instant_the_last_one_is_believed(services: Services, adapters: Adapters) -> None:
    for number in range(8):
        commit(services, SESSION, turn(f"t{number}", f"My name is Person{number}."))
    assert facts(cold(adapters))["user_name"].value == "Person7"


@pytest.mark.req("R036")
def test_a_clock_set_back_hides_no_turn_and_reorders_none(services: Services, adapters: Adapters, clock: Any) -> None:
    other = cold(adapters)
    commit(services, SESSION, turn("t1", "My name is Ada."))
    clock.advance(minutes=30)
    assert facts(other)["user_name"].value == "Ada"
    clock.advance(hours=-2)
    commit(services, SESSION, turn("t2", "My name is Grace."))
    assert facts(other)["user_name"].value == "Grace"
    assert facts(cold(adapters))["user_name"].value == "Grace"
