"""after_turn with a language model beside the rules: asked while nothing is held, merged, never relied upon."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.facts.facts import Fact
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, ResourceBusy
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import ResponseItem, Session
from cairn.ground.settings import HeuristicSettings, MemorySettings
from cairn.ground.table import Attributes, Key
from cairn.log.layout import log_owner
from cairn.recall.searching import Visibility
from cairn.services import Services
from cairn.sessions.layout import HEAD, guard_sk, session_pk
from cairn.settings.settings import Settings
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import CommittedTurn, Preparation
from support.models import FakeModel, upsert
from support.services import services_over

SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
ADA = UserId("ada")
ON = HeuristicSettings(enabled=True, base_url="https://models.example.com")


def turn(turn_id: str, *said: str | ResponseItem) -> Completion:
    inputs = tuple(message("user", each) if isinstance(each, str) else each for each in said)
    outputs = (message("assistant", "I am called Cairn.", "output_text"),)
    return Completion(turn_id=TurnId(turn_id), inputs=inputs, outputs=outputs, user_id=ADA)


@pytest.fixture
def process(adapters: Adapters) -> Callable[..., Services]:
    """Return a function that starts a process with a model."""

    def start(model: FakeModel | None, heuristic: HeuristicSettings = ON) -> Services:
        settings = MemorySettings(heuristic=heuristic)
        return services_over(adapters, settings, fact_model=model)

    return start


def facts(services: Services, session: Session = SESSION) -> dict[str, Fact]:
    visibility = Visibility(session, log_owner(ADA, session.session_id), "session")
    services.searcher.refresh(visibility, visibility.own)
    return {fact.fact_id: fact for fact in services.searcher.believed(visibility, visibility.own)}


def held(adapters: Adapters, turn_id: str) -> list[str]:
    """Return which locks on the session and the turn are there."""
    pk = session_pk(SESSION)
    head: Attributes = adapters.table.get(Key(pk, HEAD)) or {}
    guard = adapters.table.get(Key(pk, guard_sk(TurnId(turn_id))))
    return [name for name, there in (("lease", "lease_owner" in head), ("guard", guard is not None)) if there]


@pytest.mark.req("R062")
def test_facts_of_the_model_and_of_the_rules_are_stored_together(process: Callable[..., Services]) -> None:
    services = process(FakeModel(upsert("our cat Tom", tier="L2")))
    result = commit(services, SESSION, turn("t1", "Hello", "My name is Ada. I feed our cat Tom."))

    assert {name: fact.value for name, fact in facts(services).items()} == {"user_name": "Ada", "user_pet": "Tom"}
    assert result.facts_written == 2
    pet = facts(services)["user_pet"]
    assert (pet.confidence, pet.tier.value, pet.source.quote) == (0.7, "L2", "our cat Tom")
    assert (pet.source.turn_id, pet.source.event_id, pet.source.user_id) == ("t1", "t1-in-1", "ada")
    assert pet.expires_at is not None


@pytest.mark.req("R062")
def test_where_both_speak_of_one_thing_the_rule_is_right(process: Callable[..., Services]) -> None:
    services = process(FakeModel(upsert("My name is Ada", fact_id="User_Name", key="name", value="Mallory")))
    commit(services, SESSION, turn("t1", "My name is Ada."))

    assert [fact.value for fact in facts(services).values()] == ["Ada"]


@pytest.mark.req("R062")
def test_a_model_that_fails_leaves_the_turn_to_the_rules(process: Callable[..., Services]) -> None:
    model = FakeModel(upsert("My name"), fails=True)
    services = process(model)
    result = commit(services, SESSION, turn("t1", "My name is Ada."))

    assert (result.events_written, result.facts_written) == (2, 1)
    assert len(model.asked) == 1
    assert commit(services, SESSION, turn("t1", "My name is Ada.")).replayed


@pytest.mark.req("R122")
@pytest.mark.req("R060")
def test_the_model_is_not_asked_unless_switched_on(process: Callable[..., Services]) -> None:
    model = FakeModel(upsert("cat"))
    commit(process(model, HeuristicSettings()), SESSION, turn("t1", "My cat is here."))

    assert model.asked == []


@pytest.mark.req("R063")
def test_a_model_is_switched_on_for_a_tenant_alone(adapters: Adapters) -> None:
    model = FakeModel(upsert("cat"))
    settings = Settings(memory_enabled=True, tenants={"acme": MemorySettings(heuristic=ON)})
    services = services_over(adapters, settings, fact_model=model)
    commit(services, replace(SESSION, tenant=Tenant("other")), turn("t1", "My cat is here."))
    assert model.asked == []

    commit(services, SESSION, turn("t1", "My cat is here."))
    assert model.settings == [ON]


@pytest.mark.req("R063")
def test_switched_on_without_a_model_costs_and_does_nothing(start: Callable[..., Any]) -> None:
    def cost(heuristic: HeuristicSettings, session_id: str) -> tuple[int, int, CommittedTurn]:
        conversation = start(session_id, heuristic=heuristic)
        conversation.say("I like tea.", user=session_id)
        before = conversation.table.reads, conversation.table.writes
        said = conversation.say("My name is Ada.", "My cat is Tom.", user=session_id)
        return conversation.table.reads - before[0], conversation.table.writes - before[1], said

    assert cost(ON, "monday") == cost(HeuristicSettings(), "tuesday")


def test_nothing_is_held_while_the_model_thinks(process: Callable[..., Services], adapters: Adapters) -> None:
    model = FakeModel()
    services = process(model)
    seen: list[list[str]] = []
    for turn_id in ("t1", "t2"):
        model.meanwhile = lambda turn_id=turn_id: seen.append(held(adapters, turn_id))
        commit(services, SESSION, turn(turn_id, "My name is Ada."))

    assert seen == [[], []]


def test_a_turn_that_is_stored_is_not_asked_about_again(process: Callable[..., Services]) -> None:
    model = FakeModel(upsert("my cat"))
    commit(process(model), SESSION, turn("t1", "I feed my cat."))

    assert commit(process(model), SESSION, turn("t1", "I feed my cat.")).replayed
    with pytest.raises(Conflict):
        commit(process(model), SESSION, turn("t1", "I feed my dog."))
    assert len(model.asked) == 1


def test_a_turn_in_other_hands_is_asked_about_once_it_is_free(process: Callable[..., Services], clock: Any) -> None:
    model = FakeModel(upsert("my cat"))
    services = process(model)
    services.guards.claim(SESSION, turn("t1", "I feed my cat."), "another call", 30)
    with pytest.raises(ResourceBusy):
        commit(services, SESSION, turn("t1", "I feed my cat."))
    assert model.asked == []

    clock.advance(seconds=31)
    assert commit(services, SESSION, turn("t1", "I feed my cat.")).facts_written == 1


def test_the_model_sees_what_the_user_has_just_said_and_what_this_session_believes(
    process: Callable[..., Services],
) -> None:
    model = FakeModel()
    services = process(model)
    commit(services, replace(SESSION, session_id=SessionId("sunday")), turn("t0", "I live in Porto."))
    commit(services, SESSION, turn("t1", "My name is Ada."))
    echo = prepare(services, SESSION, Preparation(current=(message("user", "I feed my cat."),), user_id=ADA)).items
    result = {"type": "function_call_output", "call_id": "c", "output": "I like dogs."}
    commit(services, SESSION, turn("t2", *echo[:-1], message("developer", "I like mice."), result, "I feed my cat."))

    assert model.asked[-1].said == ("I feed my cat.",)
    assert [fact.value for fact in model.asked[-1].believed] == ["Ada"]


@pytest.mark.parametrize("said", [[], [message("developer", "My cat")], [message("user", "")]])
def test_a_turn_without_words_of_the_user_is_nothing_to_ask_about(
    said: list[ResponseItem], process: Callable[..., Services]
) -> None:
    model = FakeModel()
    commit(process(model), SESSION, turn("t1", *said))

    assert model.asked == []


def test_the_model_may_end_what_this_session_believes_and_nothing_else(process: Callable[..., Services]) -> None:
    sunday = replace(SESSION, session_id=SessionId("sunday"))
    services = process(FakeModel())
    for session in (SESSION, sunday):
        commit(services, session, turn("t1", "I live in Porto."))
    elsewhere = facts(services, sunday)["user_home"]
    guessing = process(FakeModel(deletes=lambda _: [elsewhere.id]))
    assert commit(guessing, SESSION, turn("t2", "Hm, Porto.")).facts_superseded == 0

    services = process(FakeModel(deletes=lambda question: [elsewhere.id, *(fact.id for fact in question.believed)]))
    result = commit(services, SESSION, turn("t3", "Hm, Porto."))

    assert result.facts_superseded == 1
    assert facts(services) == {}
    assert facts(services, sunday)["user_home"].value == "Porto"


def test_what_changed_while_the_model_thought_is_not_undone(process: Callable[..., Services]) -> None:
    model = FakeModel(upsert("my cat"), deletes=lambda question: [fact.id for fact in question.believed])
    services, other = process(model), process(None)
    commit(other, SESSION, turn("t1", "I live in Porto."))
    model.meanwhile = lambda: commit(other, SESSION, turn("t2", "I moved to Faro."))
    commit(services, SESSION, turn("t3", "Hello", "I feed my cat."))

    assert {name: fact.value for name, fact in facts(services).items()} == {"user_home": "Faro", "user_pet": "Tom"}
    assert facts(services)["user_pet"].source.event_id == "t3-in-1"


def test_of_two_calls_with_one_turn_one_set_of_proposals_is_stored(process: Callable[..., Services]) -> None:
    first, second = FakeModel(upsert("my cat", value="Tom")), FakeModel(upsert("my cat", value="Jerry"))
    first.meanwhile = lambda: commit(process(second), SESSION, turn("t1", "I feed my cat."))
    services = process(first)

    assert commit(services, SESSION, turn("t1", "I feed my cat.")).replayed
    assert [fact.value for fact in facts(services).values()] == ["Jerry"]
