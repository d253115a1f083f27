"""Instructions, preferences and conventions that hold are in every context of their user, within their own tokens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias, get_args

import pytest

from cairn.conversation import token_count as tokens
from cairn.facts.proposals import FactQuestion, Proposals, accepted
from cairn.ground.ids import Project
from cairn.ground.settings import ContextSettings, HeuristicSettings, MemorySettings
from cairn.log.memories import STANDING
from cairn.messages.formats import Format
from support.memories import Notebook, index
from support.services import services_over

pytestmark = pytest.mark.req("R298")

START: TypeAlias = Callable[..., Any]
PLACED: TypeAlias = Callable[..., dict[str, Any]]
ON = HeuristicSettings(enabled=True, base_url="https://models.example.com")
UNRELATED = "How far away is the moon?"


class Model:
    """A model that finds in what was said how answers shall be for a week."""

    def __init__(self, said: str) -> None:
        self.said = said

    def propose(self, question: FactQuestion, settings: HeuristicSettings) -> Proposals:
        assert question
        assert settings.enabled
        fields = {"key": "answers", "value": "short answers", "tier": "L2", "confidence": 0.9, "quote": self.said}
        return accepted({"upserts": [{"fact_id": "user_preference", **fields}], "deletes": []})


@pytest.fixture
def values(placed: PLACED) -> Callable[[Any], list[str]]:
    """Return a function that returns the values of the facts that a turn was given, in their order."""
    return lambda turn: [fact["value"] for fact in placed(turn)["facts"]]


def elsewhere(talk: Any, project: str = "shop") -> Any:
    """Return a process that has read nothing yet, in another project and session."""
    other = talk.other("friday")
    other.session = replace(other.session, project=Project(project))
    return other


@pytest.mark.parametrize("asked", ["How far away is the moon?", "Ok.", "", "What did we plant?", "Hur mår du?"])
def test_an_instruction_said_in_one_session_is_in_the_context_of_another_whatever_is_asked(
    asked: str, start: START, values: Any
) -> None:
    talk = start()
    talk.say("Always answer in Swedish. Please keep your answers short. I prefer metric units.")
    talk.say("We planted the fig tree behind the shed.")

    found = values(talk.other("tuesday").ask(asked))

    assert {"answer in Swedish", "keep your answers short", "metric units"} <= set(found)


@pytest.mark.parametrize("format_", get_args(Format))
def test_it_is_in_the_context_in_every_format(format_: Any, start: START) -> None:
    talk = start()
    talk.say("Always answer in Swedish.")

    turn = talk.other("tuesday").ask(UNRELATED, format=format_)

    assert "preference: answer in Swedish (User, 1 March 2026, #" in str((turn.items, turn.system, turn.text))
    assert len(turn.recalled_fact_ids) == 1


def test_the_newest_comes_first_and_before_what_matches_and_each_stands_once(
    start: START, clock: Any, values: Any
) -> None:
    talk = start()
    for session, said in enumerate(("I prefer tea.", "Always answer in Swedish. I live in Oslo.", "I prefer TEA!")):
        talk.other(f"s{session}").say(said)
        clock.advance(minutes=1)
    talk.other("s0").say("I prefer jazz.")

    assert values(talk.other("tuesday").ask(UNRELATED))[:3] == ["jazz", "TEA", "answer in Swedish"]
    assert values(talk.other("tuesday").ask("In which town do I live?")) == ["jazz", "TEA", "answer in Swedish", "Oslo"]
    assert values(talk.other("tuesday").ask("What do I prefer, tea or jazz?")) == ["jazz", "TEA", "answer in Swedish"]


def test_a_convention_that_was_told_is_in_every_context_of_its_project_behind_what_the_user_wishes(
    start: START, clock: Any, values: Any
) -> None:
    convention = "No ORM, we use plain SQL."
    talk = start()
    talk.say("Always answer in Swedish.")
    clock.advance(minutes=1)
    talk.other("monday").say(convention)

    assert values(talk.other("friday").ask("Write me a function for orders.")) == ["answer in Swedish", convention]
    assert values(elsewhere(talk).ask("Write me a function for orders.")) == ["answer in Swedish"]


def test_of_what_differs_by_case_and_signs_alone_the_newest_stands(start: START, clock: Any, values: Any) -> None:
    notes = Notebook(start(), "ada")
    for content in ("Name branches after tickets", "Name branches after tickets.", "name branches after TICKETS!"):
        clock.advance(minutes=2)
        notes.keep(content, "project", type="convention")

    assert values(notes.talk.ask(UNRELATED)) == ["name branches after TICKETS!"]


def test_it_keeps_to_its_tokens_the_newest_first_and_one_that_is_too_long_makes_room(
    start: START, clock: Any, placed: PLACED, values: Any
) -> None:
    talk = start()
    notes = Notebook(talk, "ada")
    for number in range(30):
        notes.keep(f"Rule {number}: close gate {number}.", "user", type="agent_rule")
        clock.advance(minutes=1)
    notes.keep("Mind the hedge. " * 70, "user", type="agent_rule")

    for budget in (0, 5, 60, 200):
        turn = talk.other("tuesday", standing_tokens=budget).ask(UNRELATED)
        facts = placed(turn)["facts"]
        lines = [f"{each['about']}: {each['value']} ({each['who']}, {each['day']})" for each in facts]
        assert sum(map(tokens.count, lines)) <= budget
        assert values(turn) == [f"Rule {n}: close gate {n}." for n in range(29, 29 - len(facts), -1)]
        assert bool(facts) is (budget > 20)


def test_it_counts_under_the_ceiling_of_the_block_and_among_the_most_facts(start: START, values: Any) -> None:
    talk = start()
    talk.say("I live in Oslo. I prefer tea. I prefer jazz. I prefer trains. Always answer in Swedish.")
    nothing = talk.other("empty").ask(UNRELATED, recall_scope="session").token_count

    for ceiling in (0, 150, 170, 1350):
        turn = talk.other("tuesday", context_tokens=ContextSettings(ceiling=ceiling)).ask(UNRELATED)
        assert turn.token_count - nothing <= ceiling
    for most in (0, 1, 3):
        assert len(values(talk.other("tuesday", recall_facts_limit=most).ask("Where do I live?"))) == most


def test_without_tokens_of_their_own_preferences_are_placed_where_they_match(start: START, values: Any) -> None:
    talk = start(standing_tokens=0)
    talk.say("I prefer green tea. I live in Oslo.")

    assert values(talk.other("tuesday").ask("Where do I live?")) == ["Oslo"]
    assert "green tea" in values(talk.other("tuesday").ask("Which tea do I prefer?"))


def test_what_was_replaced_taken_back_or_forgotten_does_not_stand(start: START, clock: Any, values: Any) -> None:
    talk = start()
    notes = Notebook(talk, "ada")
    talk.say("I prefer dark mode. I prefer coffee. I live in Oslo.")
    talk.say("I no longer prefer dark mode.")
    talk.say("I no longer prefer coffee. I prefer tea.")
    tabs = notes.keep("Indent with tabs.", "project", type="coding_standard")
    spaces = notes.keep("Indent with spaces.", "project", type="coding_standard")
    notes.drop(tabs, replacement=spaces)
    notes.drop(notes.keep("Never ask back.", "user", type="agent_rule"))
    clock.advance(minutes=2)

    turn = talk.other("tuesday").ask(UNRELATED)
    found = dict(zip(values(turn), turn.recalled_fact_ids, strict=True))

    assert set(found) == {"Indent with spaces.", "tea", "Oslo"}
    notes.drop(found["tea"])
    assert "tea" not in values(talk.other("tuesday").ask(UNRELATED))


def test_what_holds_for_some_days_stands_until_it_expires(start: START, clock: Any, values: Any) -> None:
    talk = start()
    said = "Keep it short this week."
    talk.services = services_over(talk.adapters, MemorySettings(heuristic=ON), fact_model=Model(said))
    talk.say(said)

    assert values(talk.other("tuesday").ask(UNRELATED)) == ["short answers"]
    clock.advance(days=9)
    assert values(talk.other("tuesday").ask(UNRELATED)) == []


def test_another_users_does_not_stand_even_in_a_session_or_a_scope_that_both_share(start: START, values: Any) -> None:
    talk = start()
    talk.say("I prefer tea.", user="ada")
    talk.say("Always answer in Swedish.", user="bob")
    Notebook(talk, "bob").keep("Address me as Doctor.", "user", type="agent_rule")
    Notebook(talk, "bob").keep("Use British spelling.", "user_everywhere", type="agent_rule")

    for scope in ("session", "user", "project"):
        assert values(talk.other().ask(UNRELATED, recall_scope=scope)) == ["tea"]
        assert values(talk.other("tuesday").ask(UNRELATED, user="eve", recall_scope=scope)) == []
    assert set(values(talk.other().ask(UNRELATED, user="bob"))) == {
        "answer in Swedish",
        "Address me as Doctor.",
        "Use British spelling.",
    }


def test_a_projects_conventions_stand_for_everyone_there_and_in_no_other_project(start: START, values: Any) -> None:
    talk = start()
    talk.say("For this repo I prefer tabs. I prefer short answers.")
    notes = Notebook(talk, "ada")
    notes.keep("Commit messages name a ticket.", "project", type="process_convention")
    notes.keep("Show me the diff.", "user", type="agent_rule")
    notes.keep("Use metric units.", "user_everywhere", type="agent_rule")

    here = {"tabs", "short answers", "Commit messages name a ticket.", "Show me the diff.", "Use metric units."}
    assert set(values(talk.other("tuesday").ask(UNRELATED))) == here
    assert values(talk.other("tuesday").ask(UNRELATED, user="bob")) == ["Commit messages name a ticket."]
    assert set(values(elsewhere(talk).ask(UNRELATED))) == {"short answers", "Use metric units."}


def test_rules_standards_and_conventions_stand_and_what_is_of_a_matter_is_placed_where_it_matches(
    start: START, values: Any
) -> None:
    notes = Notebook(start(), "ada")
    for type_ in sorted(STANDING):
        notes.keep(f"This is of type {type_}.", "project", type=type_)
    for type_ in ("fact", "decision", "architectural_decision", "risk", "lesson_learned"):
        notes.keep(f"Never plant a quince beside a {type_}.", "project", type=type_)

    # What nothing matches is introduced by up to five facts, kept memories not among them.
    assert set(values(notes.talk.ask(UNRELATED))) == {f"This is of type {type_}." for type_ in STANDING}


def test_what_is_in_a_segment_stands_as_well(start: START, values: Any) -> None:
    notes = Notebook(start(), "ada")
    notes.keep("Commit messages name a ticket.", "project", type="process_convention")
    notes.keep("The quince is planted.", "project", type="decision")
    index(notes, "p:")
    notes.keep("Branches are named after tickets.", "project", type="convention")
    notes.talk.adapters.clock.advance(minutes=2)

    assert values(notes.talk.other("tuesday").ask(UNRELATED)) == [
        "Branches are named after tickets.",
        "Commit messages name a ticket.",
    ]


def test_an_introduction_has_at_most_five_facts_beside_what_stands(start: START, values: Any) -> None:
    talk = start()
    talk.say("My name is Ada. I live in Oslo. I work at Acme. I work as a nurse. I'm allergic to nuts. Call me Ace.")
    talk.say("I'm allergic to dairy. I'm allergic to shellfish. I prefer tea. Always answer in Swedish.")

    found = values(talk.other("tuesday").ask(UNRELATED))

    assert set(found[:2]) == {"tea", "answer in Swedish"}
    assert len(found) == 7


def test_in_a_window_that_is_too_small_passages_go_first_then_what_matches_and_what_stands_last(
    start: START, placed: PLACED
) -> None:
    talk = start()
    talk.say("I live in Oslo.")
    talk.say("Always answer in Swedish.")
    talk.say("The town where I live has a harbour, a castle and an opera house that one can walk on.")
    other = talk.other("tuesday")
    seen: list[tuple[int, bool, bool]] = []
    full = other.ask("In which town do I live?").token_count

    for limit in range(full, 0, -1):
        block = placed(other.ask("In which town do I live?", max_input_tok=limit))
        found = {fact["value"] for fact in block["facts"]}
        seen.append((len(block["chunks"]), "Oslo" in found, "answer in Swedish" in found))

    steps = list(dict.fromkeys(seen))
    assert steps[0][0] > 0
    assert steps[-3:] == [(0, True, True), (0, False, True), (0, False, False)]
    assert all(matches and stands for chunks, matches, stands in steps if chunks)


def test_an_explanation_says_that_it_stands(start: START, values: Any) -> None:
    talk = start()
    talk.say("Always answer in Swedish. I live in Oslo.")
    other = talk.other("tuesday")

    turn = other.ask("In which town do I live?", explain=True)
    names = dict(zip(values(turn), turn.recalled_fact_ids, strict=True))

    assert turn.why[names["answer in Swedish"]].signals == {"standing": 1.0}
    assert "standing" not in turn.why[names["Oslo"]].signals
    assert other.ask("In which town do I live?").why == {}
