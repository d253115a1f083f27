"""A language model reads stored turns in batches: proven by their words, as of their time, and nothing twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.facts.facts import Fact
from cairn.facts.proposals import MAX_SAID_CHARACTERS
from cairn.ground.adapters import Adapters
from cairn.ground.errors import ModelFailed, ResourceBusy, Unavailable
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.settings import HeuristicSettings, MemorySettings
from cairn.ground.table import Key
from cairn.log.layout import log_owner, with_across
from cairn.memories.forget import forget
from cairn.memories.model import ForgetRequest
from cairn.memories.pin import pin
from cairn.process.system import in_turn
from cairn.services import Services
from cairn.sessions.layout import HEAD, session_pk
from cairn.settings.settings import Settings
from cairn.turns import batches
from cairn.turns.after_turn import commit
from cairn.turns.batches import MOST_TURNS
from cairn.turns.read_back import MOST_FAILURES
from cairn.turns.take_back import take_back
from cairn.upkeep.model import MaintenanceReport
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped
from support.models import FakeModel, upsert
from support.services import services_over

SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
SUNDAY = replace(SESSION, session_id=SessionId("sunday"))
ADA, BOB = UserId("ada"), UserId("bob")
ON = HeuristicSettings(enabled=True, reads="batches", base_url="https://models.example.com")
OF_TURNS = replace(ON, reads="turns")
CAT = upsert("our cat Tom")
Start = Callable[..., Services]


@pytest.fixture
def process(adapters: Adapters) -> Start:
    """Return a function that starts a process with a model."""

    def start(model: object | None, heuristic: HeuristicSettings = ON, **knobs: Any) -> Services:
        return services_over(adapters, MemorySettings(heuristic=heuristic, **knobs), fact_model=model)

    return start


def say(services: Services, turn_id: str, *said: str, session: Session = SESSION, user: UserId | None = ADA) -> None:
    """Store a turn, a minute after the one before."""
    clock: Any = services.adapters.clock
    clock.advance(minutes=1)
    inputs = tuple(message("user", each) for each in said)
    outputs = (message("assistant", "I am called Cairn.", "output_text"),)
    commit(services, session, Completion(turn_id=TurnId(turn_id), inputs=inputs, outputs=outputs, user_id=user))


def believed(services: Services, user: UserId | None = ADA, session: Session = SESSION) -> dict[str, Fact]:
    """Return what is believed of a user by all sessions together, by kind and value, to a process that starts now."""
    fresh, found = services_over(services.adapters), dict[str, Fact]()
    for owner in with_across([log_owner(user, session.session_id)]):
        with fresh.log.view(session.tenant, session.project, owner) as view:
            found |= {f"{fact.fact_id}: {fact.value}": fact for fact in view.facts(services.adapters.clock.now(), None)}
    return found


def values(services: Services, user: UserId | None = ADA) -> list[str]:
    """Return what is believed and was read, rather than kept as it was said."""
    return sorted(name for name, fact in believed(services, user).items() if not fact.fact_id.startswith("said_"))


def head(services: Services, session: Session = SESSION) -> dict[str, Any]:
    return dict(services.adapters.table.get(Key(session_pk(session), HEAD)) or {})


def maintained(services: Services, session: Session = SESSION) -> MaintenanceReport:
    return services.maintenance.run(session)


def asked(model: FakeModel) -> list[tuple[str, ...]]:
    return [question.said for question in model.asked]


@pytest.mark.req("R063")
def test_no_turn_asks_a_model_and_maintenance_asks_about_all_of_them_at_once(process: Start) -> None:
    model = FakeModel(CAT)
    services = process(model)
    say(services, "t1", "I feed our cat Tom.")
    say(services, "t2", "It rains.", "It is wet.")
    assert model.asked == []

    report = maintained(services)

    assert asked(model) == [("I feed our cat Tom.", "It rains.", "It is wet.")]
    assert report.read_turns == 2
    assert values(services) == ["user_pet: Tom"]


@pytest.mark.req("R062")
def test_a_fact_is_of_the_turn_the_event_and_the_time_of_its_quote(process: Start) -> None:
    services = process(FakeModel(CAT))
    say(services, "t1", "Hello.", "I feed our cat Tom.")
    said_at = services.adapters.clock.now()
    say(services, "t2", "It rains.")
    maintained(services)

    pet = believed(services)["user_pet: Tom"]
    assert (pet.source.turn_id, pet.source.event_id, pet.source.user_id) == ("t1", "t1-in-1", "ada")
    assert pet.valid_from == pet.recorded_at == pet.last_seen == said_at
    with services.log.view(SESSION.tenant, SESSION.project, "u:ada") as view:
        then, before = view.history(said_at), view.history(said_at - timedelta(seconds=1))
    assert [fact.id for fact in then.facts(None) if fact.fact_id == "user_pet"] == [pet.id]
    assert [fact.id for fact in before.facts(None) if fact.fact_id == "user_pet"] == []


@pytest.mark.req("R062")
@pytest.mark.parametrize("quote", ["our dog Rex", "I am called Cairn", "t1", "our cat Tom. It rains"])
def test_a_quote_that_no_turn_holds_is_refused(quote: str, process: Start) -> None:
    services = process(FakeModel(upsert(quote)))
    say(services, "t1", "I feed our cat Tom.")
    say(services, "t2", "It rains.")

    assert maintained(services).read_turns == 2
    assert values(services) == []


def test_a_deletion_needs_a_quote_and_ends_what_was_said_before_it(process: Start) -> None:
    def drop(quote: str) -> FakeModel:
        return FakeModel(deletes=lambda question: [{"id": fact.id, "quote": quote} for fact in question.believed])

    services = process(FakeModel())
    say(services, "t1", "I live in Porto.")
    maintained(services)
    say(services, "t2", "Well, Porto is history.")
    maintained(process(drop("Porto is gone")))
    assert values(services) == ["user_home: Porto"]

    say(services, "t3", "As I said, Porto is history.")
    maintained(process(drop("Porto is history")))

    assert values(services) == []


def test_a_deletion_ends_nothing_that_was_said_after_its_quote(process: Start) -> None:
    services = process(
        FakeModel(deletes=lambda question: [{"id": each.id, "quote": "is history"} for each in question.believed])
    )
    say(services, "t1", "Well, Porto is history.")
    say(services, "t2", "I live in Porto.")
    maintained(services)

    assert values(services) == ["user_home: Porto"]


@pytest.mark.req("R062")
@pytest.mark.parametrize("elsewhere", [SESSION, SUNDAY, replace(SESSION, project=Project("orchard"))])
def test_what_was_told_after_a_turn_stands(elsewhere: Session, process: Start) -> None:
    services = process(FakeModel(upsert("Oslo is home", fact_id="user_home", key="home", value="Oslo")))
    say(services, "t1", "Well, Oslo is home.")
    say(services, "t2", "I live in Faro.", session=elsewhere)
    maintained(services)

    assert values(services) == ["user_home: Faro"]


def test_what_was_told_while_the_model_thought_stands(process: Start) -> None:
    model = FakeModel(upsert("Oslo is home", fact_id="user_home", key="home", value="Oslo"), CAT)
    services = process(model)
    say(services, "t1", "Well, Oslo is home. I feed our cat Tom.")
    model.meanwhile = lambda: say(process(None), "t2", "I live in Faro.")
    maintained(services)

    assert values(services) == ["user_home: Faro", "user_pet: Tom"]
    assert (head(services)["seq"], head(services)["read_through"]) == (2, 1)


def test_where_a_rule_read_the_same_turn_the_rule_is_right(process: Start) -> None:
    services = process(FakeModel(upsert("My name is Ada", fact_id="User_Name", key="name", value="Mallory")))
    say(services, "t1", "My name is Ada.")
    maintained(services)

    assert values(services) == ["user_name: Ada"]


def test_a_later_turn_of_a_batch_replaces_what_an_earlier_one_says(process: Start) -> None:
    services = process(FakeModel(upsert("Jerry purrs", value="Jerry"), CAT))
    say(services, "t1", "I feed our cat Tom.")
    say(services, "t2", "Jerry purrs.")
    between = services.adapters.clock.now() - timedelta(seconds=30)
    maintained(services)

    assert values(services) == ["user_pet: Jerry"]
    with services.log.view(SESSION.tenant, SESSION.project, "u:ada") as view:
        assert [fact.value for fact in view.history(between).facts(None) if fact.fact_id == "user_pet"] == ["Tom"]


@pytest.mark.parametrize(
    "later",
    [
        "Forget that I am allergic to cashews.",
        "That's wrong.",
        "Forget that. Forget that I am allergic to cashews, please.",
    ],
)
def test_what_was_taken_back_before_it_was_read_does_not_come_back(later: str, process: Start) -> None:
    allergy = upsert("I never eat them", fact_id="user_allergy", key="cashews", value="cashews")
    note = upsert("I never eat them", fact_id="diet", key="avoid", value="no cashews")
    services = process(FakeModel(allergy, note))
    say(services, "t1", "As I am allergic to cashews I never eat them.")
    say(services, "t2", later)
    maintained(services)

    assert values(services) == []


@pytest.mark.parametrize("later", ["Forget my allergies.", "I am no longer allergic to nuts.", "That's wrong."])
def test_what_was_ended_before_it_was_read_does_not_come_back(later: str, process: Start) -> None:
    services = process(FakeModel(upsert("nuts make me ill", fact_id="user_allergy", key="nuts", value="nuts")))
    say(services, "t1", "Well, nuts make me ill.")
    say(services, "t2", later)
    maintained(services)

    assert values(services) == []


def test_what_is_said_again_after_it_was_taken_back_is_read(process: Start) -> None:
    services = process(FakeModel(CAT))
    say(services, "t1", "I feed our cat Tom.")
    say(services, "t2", "That's wrong.")
    say(services, "t3", "Well, I feed our cat Tom after all.")
    maintained(services)

    assert believed(services)["user_pet: Tom"].source.turn_id == "t3"


def test_a_fact_that_was_forgotten_is_not_read_again_from_its_sentence(process: Start) -> None:
    model = FakeModel(upsert("I live in Porto", fact_id="address", key="city", value="Porto"))
    services = process(model)
    say(services, "t1", "I live in Porto.")
    home = believed(services)["user_home: Porto"]
    forget(services, SESSION, ForgetRequest(id=home.id, user_id=ADA))
    maintained(services)

    assert values(services) == []
    assert asked(model) == []


def test_a_fact_that_is_forgotten_while_the_model_thinks_is_not_read_from_its_sentence(process: Start) -> None:
    model = FakeModel(upsert("I live in Porto", fact_id="address", key="city", value="Porto"))
    services = process(model)
    say(services, "t1", "I live in Porto.")
    home = believed(services)["user_home: Porto"]
    model.meanwhile = lambda: forget(services, SESSION, ForgetRequest(id=home.id, user_id=ADA))
    maintained(services)

    assert asked(model) == [("I live in Porto.",)]
    assert values(services) == []


def test_what_a_turn_takes_back_itself_is_not_read(process: Start) -> None:
    services = process(FakeModel(upsert("I feed Acme", fact_id="user_workplace", key="workplace", value="Acme")))
    say(services, "t1", "I feed Acme. I no longer work at Acme.")
    maintained(services)

    assert values(services) == []


def test_what_is_read_to_be_repeated_was_not_seen_later_than_it_was_said(process: Start) -> None:
    model = FakeModel(CAT)
    services = process(model)
    task = "Today I need to buy stamps."
    for turn_id, said in (("t1", task), ("t2", "Stamps, yes. I feed our cat Tom."), ("t3", task)):
        say(services, turn_id, said)
    [name] = [each for each in values(services) if "stamps" in each]
    before = believed(services)[name]
    same = {"fact_id": before.fact_id, "key": before.key, "value": before.value, "tier": before.tier.value}
    model.upserts.append(upsert("Stamps, yes", **same))
    maintained(services)

    assert "user_pet: Tom" in values(services)
    assert believed(services)[name] == before
    assert before.last_seen > before.recorded_at


def test_the_run_that_read_facts_tidies_them_too(process: Start) -> None:
    said = "dark-roast coffee", "dark roast coffees"
    services = process(FakeModel(*(upsert(each, fact_id="user_preference", key=each, value=each) for each in said)))
    for number, each in enumerate(said):
        say(services, f"t{number}", f"Well? {each}?")
    assert "across" not in head(services)

    assert maintained(services).merged_facts == 1


@pytest.mark.req("R062")
@pytest.mark.parametrize("request_of", ["Don't remember that.", "Keep that between us.", "That's off the record."])
def test_nothing_of_what_is_not_to_be_kept_reaches_the_model(request_of: str, process: Start) -> None:
    model = FakeModel(upsert("I am pregnant", value="pregnant"))
    services = process(model)
    say(services, "t1", f"I feed our cat Tom. I am pregnant. {request_of}")
    maintained(services)

    assert "pregnant" not in str(model.asked)
    assert asked(model) == [("I feed our cat Tom.",)]
    assert values(services) == []


def test_a_statement_in_its_own_words_gives_way_to_the_fact_that_is_read_out_of_it(process: Start) -> None:
    services = process(FakeModel(upsert("cat is called Tom")))
    say(services, "t1", "By the way, our cat is called Tom and he lives with us.")
    assert [name for name in believed(services) if "Tom" in name] != ["user_pet: Tom"]
    maintained(services)

    assert [name for name in believed(services) if "Tom" in name] == ["user_pet: Tom"]
    assert believed(services)["user_pet: Tom"].outdates == ()


def test_a_statement_that_is_pinned_stays_in_its_own_words(process: Start) -> None:
    services = process(FakeModel(upsert("cat is called Tom")))
    say(services, "t1", "By the way, our cat is called Tom and he lives with us.")
    (statement,) = (fact for name, fact in believed(services).items() if "Tom" in name)
    pin(services, replace(SESSION, session_id=NO_SESSION), ADA, statement.id, pinned=True)

    maintained(services)

    assert [fact.value for fact in believed(services).values() if fact.pinned] == [statement.value]


def test_a_statement_that_took_a_fact_s_place_gives_way_to_what_is_read_out_of_it(process: Start) -> None:
    services = process(FakeModel(CAT))
    say(services, "t1", "I feed our cat Tom.")
    maintained(services)
    say(services, "t2", "We no longer have our cat Tom, the new cat is called Jerry now.")
    changed = next(fact for fact in believed(services).values() if "Jerry" in fact.value)
    assert (changed.fact_id, len(changed.outdates)) == ("user_pet", 1)
    maintained(process(FakeModel(upsert("is called Jerry", value="Jerry"))))

    pet = believed(services)["user_pet: Jerry"]
    assert [name for name in believed(services) if "user_pet" in name] == ["user_pet: Jerry"]
    assert pet.outdates == changed.outdates


def test_nothing_is_held_while_the_model_thinks(process: Start) -> None:
    model, seen = FakeModel(CAT), list[bool]()
    services = process(model)
    say(services, "t1", "I feed our cat Tom.")
    model.meanwhile = lambda: seen.append("lease_owner" in head(services))
    maintained(services)

    assert seen == [False]


def test_the_model_sees_what_the_session_believes_of_the_user(process: Start) -> None:
    model = FakeModel()
    services = process(model)
    say(services, "t0", "I live in Porto.", session=SUNDAY)
    say(services, "t1", "My name is Ada.")
    maintained(services)

    assert [fact.value for fact in model.asked[0].believed] == ["Ada"]


@pytest.mark.req("R063")
def test_what_was_read_is_not_read_again(process: Start) -> None:
    model = FakeModel(CAT)
    services = process(model)
    say(services, "t1", "I feed our cat Tom.")
    assert [maintained(services).read_turns for _ in range(2)] == [1, 0]
    say(services, "t2", "It rains.")
    maintained(process(model))

    assert asked(model) == [("I feed our cat Tom.",), ("It rains.",)]


@pytest.mark.req("R063")
def test_two_tenants_read_each_in_their_own_way(adapters: Adapters) -> None:
    model = FakeModel(CAT)
    tenants = {"acme": MemorySettings(heuristic=ON), "globex": MemorySettings(heuristic=OF_TURNS)}
    services = services_over(adapters, Settings(memory_enabled=True, tenants=tenants), fact_model=model)
    others = [replace(SESSION, tenant=Tenant(name)) for name in ("globex", "initech")]
    seen: list[tuple[int, bool]] = []
    for session in (SESSION, *others):
        say(services, "t1", "I feed our cat Tom.", session=session)
        seen.append((len(model.asked), any(question.of_batch for question in model.asked)))
    assert seen == [(0, False), (1, False), (1, False)]

    assert [maintained(services, session).read_turns for session in (SESSION, *others)] == [1, 0, 0]
    assert [question.of_batch for question in model.asked] == [False, True]


def test_turns_that_were_read_before_they_were_stored_are_not_read_again_in_batches(process: Start) -> None:
    model = FakeModel()
    say(process(model, OF_TURNS), "t1", "I feed our cat Tom.")
    services = process(model)
    say(services, "t2", "It rains.")
    maintained(services)

    assert asked(model) == [("I feed our cat Tom.",), ("It rains.",)]


def test_a_batch_has_so_many_turns_and_characters_and_the_next_run_is_due_at_once(process: Start) -> None:
    model = FakeModel()
    services = process(model, recent_context_items=0)
    for number in range(MOST_TURNS + 2):
        say(services, f"t{number}", f"Turn {number}.")
    report = maintained(services)

    assert (report.read_turns, report.finished, len(model.asked[0].said)) == (MOST_TURNS, False, MOST_TURNS)
    report = maintained(services)
    assert (report.read_turns, report.finished) == (2, True)

    long = "Rain. " * 600
    for number in range(10):
        say(services, f"l{number}", long[: 3_900 + number])
    assert (maintained(services).read_turns, sum(map(len, model.asked[-1].said)) <= MAX_SAID_CHARACTERS) == (6, True)


def test_each_user_s_turns_are_read_apart(process: Start) -> None:
    model = FakeModel(CAT)
    services = process(model)
    say(services, "t1", "I feed our cat Tom.")
    say(services, "t2", "I feed our cat Tom, too.", user=BOB)
    say(services, "t3", "It rains.")
    for _ in range(3):
        maintained(services)

    assert asked(model) == [("I feed our cat Tom.",), ("I feed our cat Tom, too.",), ("It rains.",)]
    assert values(services) == values(services, BOB) == ["user_pet: Tom"]


@pytest.mark.req("R074")
def test_a_model_that_fails_leaves_the_turns_unread_and_the_rest_of_the_run_done(process: Start, clock: Any) -> None:
    model = FakeModel(CAT, fails=True)
    services = process(model, recent_context_items=2)
    say(services, "t1", "Today I need to buy stamps. I feed our cat Tom.")
    say(services, "t2", "It rains.")
    clock.advance(days=3)
    report = maintained(services)

    assert (report.read_turns, report.archived_shards, report.expired_facts, report.finished) == (0, 1, 1, True)
    assert report.summaries_refreshed
    assert "isk" in head(services)

    model.fails = False
    assert maintained(services).read_turns == 0
    clock.advance(hours=1)
    assert maintained(services).read_turns == 2
    assert "user_pet: Tom" in values(services)
    assert head(services)["read_failures"] == 0


def test_a_model_that_keeps_failing_is_asked_less_and_later_and_a_turn_is_passed_over_in_the_end(
    process: Start, clock: Any
) -> None:
    model = FakeModel(fails=True)
    services = process(model)
    for number in range(MOST_TURNS):
        say(services, f"t{number}", f"Turn {number}.")
    pauses: list[float] = []
    for _ in range(MOST_FAILURES + 1):
        maintained(services)
        again = datetime.fromisoformat(head(services)["read_again"])
        pauses.append((again - clock.now()) / timedelta(hours=1))
        clock.time = again - timedelta(seconds=1)
        maintained(services)
        clock.time = again

    assert [len(question.said) for question in model.asked] == [40, 20, 10, 5, 2, 1, 1, 1, 1]
    assert pauses == [1, 2, 4, 8, 16, 24, 24, 24, 24]
    assert (head(services)["read_through"], head(services)["read_failures"]) == (1, 0)


@pytest.mark.slow
@pytest.mark.req("R074")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_run_that_is_stopped_at_any_call_is_done_again_with_the_same_end(
    fault: Callable[[Callable[[], object]], object], new_adapters: Callable[[], tuple[Any, Adapters]]
) -> None:
    def run(at: int) -> tuple[list[str], Any, int, bool]:
        adapters = new_adapters()[1]
        settings, model = MemorySettings(heuristic=ON, guard_lease_seconds=30), FakeModel(CAT)
        start = partial(services_over, settings=settings, fact_model=model)
        say(start(adapters), "t1", "I feed our cat Tom.")
        say(start(adapters), "t2", "I live in Porto.")
        store, stopped = FaultyStore(adapters, at, fault), False
        try:
            maintained(start(replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))))
        except (Stopped, Unavailable):
            stopped = True
        clock: Any = adapters.clock
        clock.advance(seconds=31)
        maintained(start(adapters))
        end = head(start(adapters))
        counts = [end[name] for name in ("read_through", "facts_written", "facts_superseded")]
        return values(start(adapters)), counts, store.calls, stopped

    *clean, calls, _ = run(0)
    assert clean[0] == ["user_home: Porto", "user_pet: Tom"]
    for at in range(1, calls + 1):
        *found, _, stopped = run(at)
        assert found == clean, at
        # The last call but one gives the lease up, which would end by itself.
        assert stopped or at == calls - 1, at


def test_of_two_runs_at_once_one_keeps_what_it_read(process: Start) -> None:
    first, second = FakeModel(upsert("our cat Tom", key="tom")), FakeModel(upsert("our cat Tom", value="Jerry"))
    services = process(first)
    say(services, "t1", "I feed our cat Tom.")
    before = head(services)["facts_written"]
    first.meanwhile = lambda: maintained(process(second))
    maintained(services)

    assert values(services) == ["user_pet: Jerry"]
    assert head(services)["facts_written"] == before + 1


@pytest.mark.parametrize("again", [False, True])
def test_a_session_that_was_erased_while_the_model_thought_gets_nothing(again: bool, process: Start) -> None:  # noqa: FBT001 - pytest passes parameters by position
    model = FakeModel(CAT)
    services = process(model)
    say(services, "t1", "I feed our cat Tom.")

    def erase() -> None:
        clock: Any = services.adapters.clock
        clock.advance(days=40)
        assert process(None, HeuristicSettings(), session_retention_days=30).maintenance.run(SESSION).erased
        if again:
            say(process(None), "t1", "I feed our cat Tom.")

    model.meanwhile = erase
    maintained(services)

    assert values(services) == []
    assert bool(head(services)) == again


def test_a_session_whose_time_is_over_is_not_read(process: Start, clock: Any) -> None:
    model = FakeModel(CAT)
    services = process(model, session_retention_days=30)
    say(services, "t1", "I feed our cat Tom.")
    clock.advance(days=40)

    assert maintained(services).erased
    assert model.asked == []


def test_a_turn_that_was_taken_back_while_the_model_thought_teaches_nothing(process: Start) -> None:
    model = FakeModel(CAT)
    services = process(model)
    say(services, "t1", "It rains.")
    say(services, "t2", "I feed our cat Tom.")
    model.meanwhile = lambda: take_back(services, SESSION, TurnId("t2"))
    maintained(services)

    assert values(services) == []


def test_what_was_read_in_a_turn_goes_with_it_when_it_is_taken_back(process: Start) -> None:
    name = upsert("call me Addie", fact_id="user_nickname", key="nickname", value="Addie")
    services = process(FakeModel(CAT, upsert("the cat is Jerry", value="Jerry"), name))
    say(services, "t1", "I feed our cat Tom. I live in Porto.")
    say(services, "t2", "Well, the cat is Jerry, folks call me Addie, I live in Faro.")
    maintained(services)
    assert {"user_pet: Jerry", "user_nickname: Addie"} < set(values(services))
    before = head(services)
    taken = take_back(services, SESSION, TurnId("t2"))

    assert values(services) == ["user_home: Porto", "user_pet: Tom"]
    assert taken.retracted == 3
    assert head(services)["facts_written"] == before["facts_written"] - 3
    say(services, "t3", "It rains.")
    model = FakeModel()
    maintained(process(model))
    assert asked(model) == [("It rains.",)]


def test_a_turn_that_was_begun_before_builds_on_what_was_read(process: Start, adapters: Adapters) -> None:
    services = process(FakeModel(upsert("our cat Tom", value="cat Tom")))
    say(services, "t1", "I feed our cat Tom.")

    def last_first(calls: Sequence[Callable[[], object]]) -> list[object]:
        """Read the logs before the lease is taken, as happens where calls are made at once."""
        return in_turn(list(reversed(calls)))[::-1]

    other = services_over(replace(adapters, parallel=last_first))
    say(other, "t2", "It rains.")
    lease = other.sessions.try_lease

    def late_lease(*given: Any) -> Any:
        assert maintained(services).read_turns == 2
        return lease(*given)

    vars(other.sessions).update(try_lease=late_lease)
    say(other, "t3", "Forget cat Tom.")

    assert values(services) == []


def test_a_session_that_is_being_written_loses_the_answer_and_nothing_else(process: Start) -> None:
    model = FakeModel(CAT)
    services = process(model, session_lock_timeout_ms=0)
    say(services, "t1", "I feed our cat Tom.")
    model.meanwhile = lambda: services.sessions.try_lease(SESSION, "another call", 30)
    with pytest.raises(ResourceBusy):
        maintained(services)
    clock: Any = services.adapters.clock
    clock.advance(seconds=31)
    model.meanwhile = lambda: None

    assert maintained(services).read_turns == 1


def test_a_model_that_might_take_too_long_is_not_asked_by_a_run_that_is_about_to_end(
    process: Start, clock: Any
) -> None:
    model = FakeModel(CAT)
    services = process(model)
    say(services, "t1", "I feed our cat Tom.")
    clock.advance(hours=2)
    now = clock.now()
    assert services.maintenance.run_due(SESSION, now + batches.LONGEST - timedelta(milliseconds=1)).read_turns == 0
    assert (model.asked, "isk" in head(services)) == ([], True)

    clock.advance(hours=2)
    assert services.maintenance.run_due(SESSION, clock.now() + batches.LONGEST).read_turns == 1


def test_a_patient_tenant_s_model_is_waited_for_no_longer_than_maintenance_can(process: Start) -> None:
    model = FakeModel()
    services = process(model, replace(ON, timeout_ms=20_000))
    say(services, "t1", "I feed our cat Tom.")
    maintained(services)

    assert [settings.timeout_ms for settings in model.settings] == [12_000]


def test_turns_without_words_are_read_without_a_model(process: Start) -> None:
    model = FakeModel()
    services = process(model)
    say(services, "t1")
    report = maintained(services)

    assert (report.read_turns, report.finished, model.asked) == (1, True, [])


def test_a_project_that_keeps_what_users_say_to_itself_keeps_what_is_read(process: Start) -> None:
    services = process(
        FakeModel(upsert("call me Addie", fact_id="user_nickname", value="Addie")), across_projects=False
    )
    say(services, "t1", "Folks call me Addie.")
    maintained(services)

    with services.log.view(SESSION.tenant, SESSION.project, "u:ada") as view:
        assert [fact.value for fact in view.facts(services.adapters.clock.now(), None)] == ["Addie"]


def test_a_turn_of_no_user_is_read_for_its_session(process: Start) -> None:
    services = process(FakeModel(CAT))
    say(services, "t1", "I feed our cat Tom.", user=None)
    maintained(services)

    assert values(services, None) == ["user_pet: Tom"]


class Failing:
    """A model that cannot read some words."""

    def __init__(self, words: str) -> None:
        self.words = words
        self.read: list[Sequence[str]] = []

    def propose(self, question: Any, _: HeuristicSettings) -> Any:
        if any(self.words in text for text in question.said):
            raise ModelFailed("the answer is no JSON")
        self.read.append(question.said)
        return question.accepted({"upserts": [], "deletes": []})


def test_one_turn_that_no_model_reads_does_not_keep_the_others_from_being_read(process: Start, clock: Any) -> None:
    model = Failing("snow")
    services = process(model)
    for number in range(8):
        say(services, f"t{number}", "Much snow." if number == 4 else f"Turn {number}.")
    for _ in range(20):
        clock.advance(days=1)
        maintained(services)

    assert sorted(text for said in model.read for text in said) == [
        f"Turn {number}." for number in range(8) if number != 4
    ]
    assert head(services)["read_through"] == 8
