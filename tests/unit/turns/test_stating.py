"""What a user states is known in the next conversation as it was said, and what a later statement changes is not."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from cairn.context import chances
from cairn.conversation.items import message
from cairn.facts.facts import Fact, State, digest, from_record, is_said, to_record
from cairn.ground.ids import TurnId
from cairn.statements import linking
from cairn.statements.linking import Link, Saying
from cairn.turns import stating
from cairn.turns.take_back import take_back

START: TypeAlias = Callable[..., Any]
OLD = "Our team keeps its tickets in Larkboard, so use that word."
NEW = "We have moved the tickets to Finchdesk, Larkboard is gone."


@pytest.fixture
def links(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that makes the newest things believed those that a statement changes, this likely."""

    def linked(*likelihoods: float) -> None:
        def links(said: str, lasts: float, changes: float, believed: list[Saying], judge: None) -> list[Link]:
            del said, lasts, changes, judge
            newest = range(len(believed) - 1, -1, -1)
            return [Link(number, likelihood) for number, likelihood in zip(newest, likelihoods, strict=False)]

        monkeypatch.setattr(stating, "links", links)

    return linked


def statements(talk: Any, user: str = "ada") -> list[str]:
    return [fact.value for fact in said(talk, user)]


def said(talk: Any, user: str = "ada") -> list[Fact]:
    return [fact for fact in believed(talk, user) if is_said(fact)]


def believed(talk: Any, user: str = "ada") -> list[Fact]:
    """Return what is believed of a user, as a process finds it that has read nothing yet."""
    other = talk.other()
    other.ask("Ok.", user=user)
    return other.facts(user)


def context(talk: Any, asked: str = "Where are our tickets?", user: str = "ada") -> str:
    return talk.ask(asked, user=user, format="text").text or ""


@pytest.mark.req("R296")
def test_a_statement_is_known_in_the_words_in_which_it_was_said_with_its_turn_speaker_and_kind(start: START) -> None:
    talk = start()
    talk.say(f"Can you write a short reply? {OLD}", turn_id="t1")

    [fact] = said(talk)

    assert (fact.value, fact.source.quote) == (OLD, OLD)
    assert (fact.source.turn_id, fact.source.user_id) == ("t1", "ada")
    assert fact.fact_id.startswith("said_")


@pytest.mark.req("R296")
def test_what_another_speaker_states_is_never_the_user_s(start: START) -> None:
    talk = start()
    talk.say(OLD, user="bob")

    assert statements(talk, "ada") == []
    assert statements(talk, "bob") == [OLD]


@pytest.mark.req("R296")
@pytest.mark.parametrize(("name", "is_own"), [("Ada", True), ("ada", True), ("user", True), ("Bob", False)])
def test_what_is_said_under_another_name_is_never_the_user_s(name: str, *, is_own: bool, start: START) -> None:
    talk = start()
    talk.say({**message("user", OLD), "name": name})

    assert statements(talk) == [OLD] * is_own


@pytest.mark.req("R296")
def test_the_same_sentence_again_is_the_same_fact(start: START) -> None:
    talk = start()
    talk.say(OLD)
    talk.other("friday").say(OLD)

    assert statements(talk.other()) == [OLD] * len(statements(talk.other()))
    assert len({fact.key for fact in said(talk)}) == 1


@pytest.mark.req("R297")
def test_a_change_takes_the_place_of_what_it_changes_and_keeps_the_evidence(start: START, links: Any) -> None:
    talk = start()
    talk.say(OLD, turn_id="t1")
    links(0.9)
    talk.other("friday").say(NEW, turn_id="t2")

    later = talk.other("saturday")
    text = context(later)

    assert NEW in text
    assert OLD not in text
    assert any(OLD in str(item) for item in talk.history()), "the turn stays as it was said"
    [new] = [fact for fact in said(later) if fact.value == NEW]
    assert [(each.event_id, each.digest) for each in new.outdates] == [("t1-in-0", digest(OLD))]


@pytest.mark.req("R297")
def test_where_the_past_is_asked_for_what_no_longer_holds_is_placed_and_says_until_when(
    start: START, links: Any
) -> None:
    talk = start()
    talk.say(OLD)
    links(0.9)
    talk.other("friday").say(NEW)

    text = context(talk.other("saturday"), "Where were our tickets before Finchdesk?")

    assert f"{OLD} [until " in text


@pytest.mark.req("R297")
def test_where_a_change_is_not_sure_both_stand_and_the_older_is_marked(start: START, links: Any) -> None:
    talk = start()
    talk.say(OLD)
    links(linking.PERHAPS + 0.01)
    talk.adapters.clock.advance(days=1)
    talk.other("friday").say(NEW)

    text = context(talk.other("saturday"))

    assert NEW in text
    assert OLD in text
    assert "may be outdated" in text
    assert text.index(NEW) < text.index(OLD)


@pytest.mark.req("R297")
@pytest.mark.parametrize(("second", "is_over"), [(0.8, True), (0.45, False)])
def test_a_statement_ends_all_that_it_surely_changes(second: float, start: START, links: Any, *, is_over: bool) -> None:
    other = "Our team meets in Kiel on Thursdays at nine."
    talk = start()
    talk.say(OLD, turn_id="t1")
    talk.adapters.clock.advance(days=1)
    talk.say(other, turn_id="t2")
    links(0.9, second)
    talk.say(NEW)

    assert (other in statements(talk), OLD in statements(talk)) == (False, not is_over)
    [new] = [fact for fact in said(talk) if fact.value == NEW]
    assert {each.event_id for each in new.outdates} == {"t2-in-0", *(["t1-in-0"] * is_over)}


@pytest.mark.req("R297")
def test_what_hardly_lasts_is_a_statement_only_where_it_changes_something(start: START, links: Any) -> None:
    hardly = "Finchdesk it is."
    talk = start()
    talk.say(OLD)
    links(0.0)
    talk.other("thursday").say(hardly)
    assert statements(talk) == [OLD]

    links(0.9)
    talk.other("friday").say(hardly)

    assert statements(talk) == [hardly]


@pytest.mark.req("R297")
def test_a_long_sentence_says_more_than_what_no_longer_holds_and_stays_marked(start: START, links: Any) -> None:
    long = (
        f"{OLD[:-1]} on labels, in mails and in the handbook that Ines writes for whoever starts with us in the spring."
    )
    talk = start()
    talk.say(long)
    links(0.9)
    talk.other("friday").say(NEW)

    assert f"{long} [until 1 March 2026, in part]" in context(talk.other("saturday"))


@pytest.mark.req("R297")
def test_what_is_hardly_a_change_changes_nothing(start: START, links: Any) -> None:
    talk = start()
    talk.say(OLD)
    links(linking.PERHAPS - 0.01)
    talk.say(NEW)

    assert {*statements(talk)} == {OLD, NEW}
    assert not any(fact.outdates for fact in said(talk))


@pytest.mark.req("R297")
def test_a_change_that_a_rule_reads_ends_a_statement_of_another_kind(start: START, links: Any) -> None:
    talk = start()
    talk.say("My flat in Bruges is tiny, two rooms and a stove that smokes.", turn_id="t1")
    links(0.9)
    talk.say("We've moved, I live in Ghent now.")

    assert [fact.value for fact in believed(talk) if fact.fact_id == "user_home"] == ["Ghent"]
    assert statements(talk) == []
    [home] = [fact for fact in believed(talk) if fact.fact_id == "user_home"]
    assert [each.event_id for each in home.outdates] == ["t1-in-0"]


@pytest.mark.req("R297")
def test_a_rule_that_ends_a_fact_counts_and_its_sentence_is_not_placed(start: START) -> None:
    talk = start()
    talk.say("I work at Acme, by the canal.")
    talk.say("I no longer work at Acme.")

    assert not [fact for fact in believed(talk) if fact.fact_id == "user_workplace"]
    assert "I work at Acme" not in context(talk.other("friday"), "Where is Acme?")


@pytest.mark.req("R297")
def test_a_change_that_is_taken_back_leaves_what_was_believed_before(start: START, links: Any) -> None:
    talk = start()
    talk.say(OLD, turn_id="t1")
    links(0.9)
    talk.say(NEW, turn_id="t2")
    take_back(talk.services, talk.session, TurnId("t2"))

    assert statements(talk.other()) == [OLD]
    assert OLD in context(talk.other("friday"))


@pytest.mark.req("R297")
def test_what_was_believed_before_a_change_stays_in_history(start: START, links: Any) -> None:
    talk = start()
    talk.say(OLD)
    links(0.9)
    talk.say(NEW)

    ended = [
        fact
        for owner in ("u:ada", "~u:ada")
        for fact in _history(talk, owner)
        if fact.value == OLD and fact.state is State.SUPERSEDED
    ]

    assert len(ended) == 1


def _history(talk: Any, owner: str) -> list[Fact]:
    talk.ask("Ok.")
    with talk.services.log.view(talk.session.tenant, talk.session.project, owner) as view:
        return view.history(talk.adapters.clock.now()).superseded(None)


@pytest.mark.req("R300")
def test_a_statement_that_is_wrong_or_to_be_forgotten_ends(start: START) -> None:
    talk = start()
    talk.say(OLD)
    talk.say("That's wrong.")

    assert statements(talk) == []

    talk.say(OLD)
    talk.say("Don't keep this: we use Finchdesk in our team for all of our tickets now.")

    assert statements(talk) == [OLD]


def test_a_sentence_out_of_which_a_rule_reads_all_is_not_kept_twice(start: START) -> None:
    talk = start()
    talk.say("I live in Ghent.")

    assert [fact.value for fact in believed(talk)] == ["Ghent"]


def test_an_export_keeps_what_a_fact_outdates(start: START, links: Any) -> None:
    talk = start()
    talk.say(OLD)
    links(0.9)
    talk.say(NEW)
    [new] = said(talk)

    assert from_record(to_record(new)) == new
    assert new.outdates
    assert "outdates" not in to_record(replace(new, outdates=()))


def test_statements_take_no_place_of_what_was_kept_or_read(start: START, placed: Callable[..., Any]) -> None:
    talk = start(recall_facts_limit=2)
    talk.say("My sister's name is Ines.")
    for number in range(6):
        talk.say(f"My sister is moving into flat number {number} in Kiel, so her address changes.")

    block = placed(talk.other("friday").ask("Which flat is my sister moving into in Kiel?"))

    assert "Ines" in [fact["value"] for fact in block["facts"]]


@pytest.mark.req("R298")
def test_an_instruction_stands_whether_a_passage_tells_it_or_not(start: START, placed: Callable[..., Any]) -> None:
    asked = "Please answer in short lists from now on."
    talk = start()
    talk.say(asked)

    block = placed(talk.other("friday").ask("How shall you answer, in short lists?"))

    assert asked in [fact["value"] for fact in block["facts"]]
    assert asked in [chunk["text"] for chunk in block["chunks"]]


@pytest.mark.req("R298")
def test_a_statement_whose_passage_finds_no_place_is_placed_as_a_fact_in_its_own_words(
    start: START, placed: Callable[..., Any]
) -> None:
    talk = start()
    talk.say(f"Can you write a short reply? {OLD}")

    without, beside = (placed(talk.other("friday", search_limit=n).ask("Where are our tickets?")) for n in (0, 1))

    assert ([fact["value"] for fact in without["facts"]], without["chunks"]) == ([OLD], [])
    assert (beside["facts"], len(beside["chunks"])) == ([], 1)


@pytest.mark.req("R298")
@pytest.mark.parametrize(("worth", "first"), [(0.0, "Thanks, that poem of tickets in Larkboard was fun!"), (50.0, OLD)])
def test_how_much_a_text_gains_by_what_it_states_decides_between_passages(
    worth: float, first: str, start: START, placed: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    fitted = json.loads(Path(chances.__file__).with_name("fitted.json").read_text("utf-8"))
    monkeypatch.setattr(chances, "_fitted", lambda: {**fitted, "stated": worth})
    talk = start()
    talk.other("monday").say(OLD)
    talk.other("tuesday").say("Thanks, that poem of tickets in Larkboard was fun!")

    asking = talk.other("friday", search_limit=1)
    block = placed(asking.ask("What of tickets in Larkboard?"))

    assert [chunk["text"] for chunk in block["chunks"]] == [first]


@pytest.mark.req("R296")
def test_what_a_sentence_says_of_somebody_else_stands_beside_the_value_that_a_rule_read(start: START) -> None:
    talk = start()
    talk.say("I'm allergic to kiwi and Mia can't have milk.")

    assert {fact.value for fact in believed(talk)} == {"kiwi", "I'm allergic to kiwi and Mia can't have milk."}
