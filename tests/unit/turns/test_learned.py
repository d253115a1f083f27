"""after_turn's learned: what the model that answered says it learnt, believed only with the user's own words."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.facts.facts import Fact, is_said
from cairn.ground.adapters import Adapters
from cairn.ground.errors import InvalidArgument
from cairn.ground.settings import MemorySettings
from cairn.log.layout import log_owner
from cairn.recall.searching import Visibility
from cairn.tool.call import Call
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from cairn_tools.memory_run_turn import memory_run_turn
from support.services import services_over
from support.turns import SESSION

NAMES = {"project": SESSION.project, "session_id": SESSION.session_id, "user_id": "ada"}
Told = Callable[..., dict[str, Any]]


@pytest.fixture
def told(call: Call) -> Told:
    """Return a function that stores a turn with what was learnt in it."""

    def store(turn_id: str, said: str, *learned: dict[str, Any], answered: str = "Noted.", **names: str) -> Any:
        items = {"input_items": [message("user", said)], "output_items": [message("assistant", answered)]}
        given = {**NAMES, "turn_id": turn_id, **items, "learned": list(learned), **names}
        return memory_after_turn.execute(given, call)

    return store


def lesson(about: str, value: str, quote: str, replaces: str | None = None) -> dict[str, Any]:
    return {"about": about, "value": value, "quote": quote, **({} if replaces is None else {"replaces": replaces})}


def believed(call: Call, user: str = "ada", **names: str) -> dict[str, Fact]:
    """Return what the user is known by, by what it is about and its value, without what was said as such."""
    session = replace(SESSION, tenant=call.caller.tenant, **names)
    visibility = Visibility(session, log_owner(user, session.session_id), "user")  # pyright: ignore[reportArgumentType]
    call.services.searcher.refresh(visibility, visibility.own)
    facts = call.services.searcher.believed(visibility, visibility.own)
    return {f"{fact.fact_id}: {fact.value}": fact for fact in facts if not is_said(fact)}


def reference(call: Call, value: str, **names: str) -> str:
    """Return the reference that stands in the memory block beside a value."""
    asked = {**NAMES, **names, "current_input": f"What about {value}?", "format": "text"}
    text = memory_before_turn.execute(asked, call)["text"]
    found = re.search(rf"{re.escape(value)} \([^()]*, (#\w+)\)", text)
    assert found, text
    return found[1]


@pytest.mark.req("R299")
def test_what_a_quote_of_the_user_says_is_believed_in_any_language(call: Call, told: Told) -> None:
    said = "Vi har flyttat och bor i  Gävle nu. Atlas ska vara klar den 12 december."
    home, deadline = (
        lesson("home", "Gävle", "bor i Gävle"),
        lesson("deadline of Atlas", "12 december", "DEN 12 december"),
    )
    answer = told("t1", said, home, deadline)

    facts = believed(call)
    assert set(facts) == {"user_home: Gävle", "deadline_of_atlas: 12 december"}
    ids = [facts["user_home: Gävle"].id, facts["deadline_of_atlas: 12 december"].id]
    assert answer["learned"] == [{"place": 0, "id": ids[0]}, {"place": 1, "id": ids[1]}]
    assert "learned_refused" not in answer
    assert answer["facts_written"] == 2
    source = facts["deadline_of_atlas: 12 december"].source
    assert (source.quote, source.event_id, source.user_id) == ("den 12 december", "t1-in-0", "ada")


@pytest.mark.req("R299")
@pytest.mark.parametrize(
    ("refused", "reason"),
    [
        (lesson("home", "Rome", "I live in Rome"), "not_said"),
        (lesson("home", "Gävle", "You live in Gävle"), "not_said"),
        (lesson("bank", "Mallory Bank", "it is lovely"), "not_in_quote"),
        (lesson("home", "Gävle", "it is lovely"), "not_in_quote"),
        (lesson("hobby", "art", "art"), "not_in_quote"),
        (lesson("hobby", "!?1", "it is lovely"), "not_in_quote"),
        (lesson("town", "lovely", "it is lovely", replaces="#zzzz"), "unknown_reference"),
        (lesson("town", "lovely", "it is lovely", replaces="#"), "unknown_reference"),
    ],
)
def test_what_the_user_did_not_say_is_refused_with_its_place(
    call: Call, told: Told, refused: dict[str, Any], reason: str
) -> None:
    answer = told(
        "t1",
        "We start to settle in, it is lovely.",
        lesson("mood", "lovely", "it is lovely"),
        refused,
        answered="You live in Gävle, and your bank is Mallory Bank.",
    )

    assert [entry["place"] for entry in answer["learned"]] == [0]
    assert answer["learned_refused"] == [{"place": 1, "reason": reason}]
    assert set(believed(call)) == {"mood: lovely"}


@pytest.mark.req("R299")
def test_words_of_an_earlier_turn_or_of_recalled_memory_are_no_support(call: Call, told: Told) -> None:
    told("t1", "The cabin is in Narvik.")
    prepared = memory_before_turn.execute({**NAMES, "current_input": "And the cabin?"}, call)
    again = lesson("cabin", "Narvik", "The cabin is in Narvik")
    items = {"input_items": prepared["input_items"], "output_items": "In Narvik."}
    answer = memory_after_turn.execute({**NAMES, "turn_id": "t2", **items, "learned": [again]}, call)

    assert answer["learned_refused"] == [{"place": 0, "reason": "not_said"}]
    assert believed(call) == {}


@pytest.mark.req("R299")
@pytest.mark.parametrize("kinds", [("user_home", "home"), ("deadline_of_atlas", "Deadline of Atlas")])
@pytest.mark.parametrize("session", ["monday", "tuesday"])
def test_a_replacement_ends_the_old_fact_in_any_session_of_the_user(
    call: Call, told: Told, kinds: tuple[str, str], session: str
) -> None:
    kind, about = kinds
    told("t1", "It was Oslo then.", lesson(about, "Oslo", "It was Oslo"))
    old = reference(call, "Oslo", session_id=session)
    answer = told("t2", "Now it is Gävle.", lesson(about, "Gävle", "it is Gävle", old), session_id=session)

    assert answer["facts_superseded"] == 1
    assert set(believed(call)) == {f"{kind}: Gävle"}


@pytest.mark.req("R299")
@pytest.mark.parametrize("session", ["monday", "tuesday"])
def test_a_replacement_may_be_of_another_kind_or_stand_under_a_value_of_its_own(
    call: Call, told: Told, session: str
) -> None:
    told("t1", "I prefer tabs. Nuts are bad for me.", lesson("allergy", "Nuts", "Nuts are bad"))
    assert set(believed(call)) == {"user_preference: tabs", "user_allergy: Nuts"}
    nuts, tabs = reference(call, "Nuts"), reference(call, "tabs")
    told(
        "t2",
        "It was cashews after all, and spaces from now on, for the style guide.",
        lesson("allergy", "cashews", "It was cashews", nuts),
        lesson("style guide", "spaces", "spaces from now on", tabs.upper()),
        session_id=session,
    )

    assert set(believed(call)) == {"user_allergy: cashews", "style_guide: spaces"}


@pytest.mark.req("R299")
@pytest.mark.parametrize("nothing", ["", None])
def test_whoever_replaces_nothing_may_say_so(call: Call, told: Told, nothing: str | None) -> None:
    told("t1", "Bor i Gävle.", {**lesson("home", "Gävle", "i Gävle"), "replaces": nothing})
    assert set(believed(call)) == {"user_home: Gävle"}


@pytest.mark.req("R299")
def test_a_full_id_names_the_fact_too(call: Call, told: Told) -> None:
    told("t1", "I live in Oslo.")
    [old] = believed(call).values()
    told("t2", "Nu bor jag i Gävle.", lesson("home", "Gävle", "i Gävle", old.id))
    assert set(believed(call)) == {"user_home: Gävle"}


@pytest.mark.req("R299")
@pytest.mark.parametrize("scope", ["user", "project"])
def test_another_user_s_fact_cannot_be_ended(call: Call, told: Told, scope: str) -> None:
    told("t1", "I live in Oslo. I love chess.", user_id="bob", session_id="shared")
    theirs = believed(call, "bob", session_id="shared")
    asked = {**NAMES, "session_id": "shared", "current_input": "Oslo chess?", "format": "text", "recall_scope": scope}
    assert "#" not in memory_before_turn.execute(asked, call).get("text", "")

    for number, fact in enumerate(theirs.values()):
        entry = lesson("home", "Gävle", "in Gävle", fact.id)
        answer = told(f"t{number + 2}", "We are in Gävle.", entry, session_id="shared")
        assert answer["learned_refused"] == [{"place": 0, "reason": "unknown_reference"}]
    assert believed(call, "bob", session_id="shared") == theirs
    assert believed(call) == {}


@pytest.mark.req("R299")
def test_a_turn_that_is_sent_again_is_a_replay_whatever_it_says_it_learnt(call: Call, told: Told) -> None:
    first = told("t1", "Bor i Gävle.", lesson("home", "Gävle", "Bor i Gävle"))
    again = [
        told("t1", "Bor i Gävle.", *learned)
        for learned in ([lesson("home", "Gävle", "Bor i Gävle")], [lesson("city", "Bor", "Bor")], [])
    ]

    assert first["replayed"] is False
    assert [answer["replayed"] for answer in again] == [True, True, True]
    assert all("learned" not in answer and answer["facts_written"] == 0 for answer in again)
    assert set(believed(call)) == {"user_home: Gävle"}


@pytest.mark.req("R299")
@pytest.mark.req("R062")
def test_where_a_rule_or_a_later_entry_reads_it_otherwise_the_answer_says_so(call: Call, told: Told) -> None:
    answer = told(
        "t1",
        "My name is Ada. Pick blue or green.",
        lesson("name", "My", "My name"),
        lesson("colour", "blue", "Pick blue or green"),
        lesson("colour", "green", "Pick blue or green"),
    )

    assert [entry["place"] for entry in answer["learned"]] == [2]
    assert answer["learned_refused"] == [{"place": at, "reason": "stated_otherwise"} for at in (0, 1)]
    assert set(believed(call)) == {"user_name: Ada", "colour: green"}


@pytest.mark.req("R299")
def test_what_was_believed_already_is_answered_with_its_id(told: Told) -> None:
    first = told("t1", "Bor i Gävle.", lesson("home", "Gävle", "Bor i Gävle"))
    second = told("t2", "Ja, Gävle.", lesson("home", "gävle", "Gävle"))

    assert second["learned"] == first["learned"]
    assert second["facts_written"] == 0


@pytest.mark.req("R299")
def test_without_memory_across_projects_it_is_all_the_same(adapters: Adapters, call: Call) -> None:
    services = services_over(adapters, MemorySettings(across_projects=False))
    here = replace(call, services=services)
    items = {"input_items": "Oslo it was.", "output_items": "Noted."}
    given = {**NAMES, "turn_id": "t1", **items, "learned": [lesson("home", "Oslo", "Oslo")]}
    [first] = memory_after_turn.execute(given, here)["learned"]
    items = {"input_items": "Gävle it is.", "output_items": "Noted."}
    entry = lesson("home", "Gävle", "Gävle", first["id"][-4:])
    names = {**NAMES, "session_id": "tuesday"}
    answer = memory_after_turn.execute({**names, "turn_id": "t2", **items, "learned": [entry]}, here)

    assert answer["facts_superseded"] == 1
    assert len(answer["learned"]) == 1


@pytest.mark.req("R299")
def test_the_commit_of_run_turn_takes_it_too(call: Call) -> None:
    begun = memory_run_turn.execute({**NAMES, "phase": "begin", "current_input": "Bor i Gävle."}, call)
    entries = [lesson("home", "Gävle", "Bor i Gävle"), lesson("home", "Rome", "Rome")]
    commit = {"phase": "commit", "operation_token": begun["operation_token"], "output_items": "Rome!"}
    answer = memory_run_turn.execute({**commit, "learned": entries}, call)

    assert set(believed(call)) == {"user_home: Gävle"}
    assert answer["learned_refused"] == [{"place": 1, "reason": "not_said"}]


@pytest.mark.req("R299")
@pytest.mark.req("R055")
@pytest.mark.parametrize(
    ("learned", "field"),
    [
        ("Gävle", "learned"),
        ([lesson("home", "Gävle", "Gävle")] * 21, "learned"),
        ([lesson("home", "Gävle", "Gävle"), {"about": "home", "value": "Gävle"}], "learned[1].quote"),
        ([lesson("home", "x" * 513, "Gävle")], "learned[0].value"),
        ([lesson("home", "Gävle", "ä" * 257)], "learned[0].quote"),
        ([lesson(" ", "Gävle", "Gävle")], "learned[0].about"),
        ([lesson("home", "Gä\x07vle", "Gävle")], "learned[0].value"),
        ([{**lesson("home", "Gävle", "Gävle"), "replace": "#abcd"}], "learned[0].replace"),
        ([{**lesson("home", "Gävle", "Gävle"), "replaces": 3}], "learned[0].replaces"),
    ],
)
def test_what_has_another_shape_is_refused_by_its_field(call: Call, store: Any, learned: object, field: str) -> None:
    given = {**NAMES, "turn_id": "t1", "input_items": "Gävle", "output_items": "Noted.", "learned": learned}
    with pytest.raises(InvalidArgument) as refused:
        memory_after_turn.execute(given, call)
    assert list(refused.value.details["fields"]) == [field]  # pyright: ignore[reportArgumentType]
    assert store.rows() == 0
