"""What no longer holds is left out of a context, or marked where the past is asked for."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from cairn.context.outdated import Outdating
from cairn.facts.facts import Fact, Outdated, Source, digest
from cairn.language.past import asks_for_the_past
from support.facts import fact_of

pytestmark = pytest.mark.req("R297")
TEXT = "Can you plan my trip? I live in Bruges. I like trains."
WHEN = datetime(2026, 5, 12, tzinfo=UTC)
BRUGES = {"fact_id": "user_home", "key": "home", "value": "Bruges"}


def fact(*outdates: Outdated) -> Fact:
    source = Source(turn_id="t9", event_id="t9-in-0", quote="It's Ghent now.")
    said = {"fact_id": "said_attribute", "key": "k", "value": "It's Ghent now."}
    return fact_of("new", WHEN, **said, source=source, outdates=outdates)


def outdated(sentence: str, likelihood: float = 1.0) -> Outdated:
    return Outdated("t1-in-0", digest(sentence), likelihood)


def test_a_sentence_that_no_longer_holds_is_left_out_and_what_took_its_place_told() -> None:
    new = fact(outdated("I live in Bruges."))

    kept = Outdating([new], past=False).kept("t1-in-0", TEXT)

    assert kept.text == "Can you plan my trip? I like trains."
    assert kept.outdated_by == (new,)


def test_where_the_past_is_asked_for_it_stays_and_says_until_when_it_held() -> None:
    kept = Outdating([fact(outdated("I live in Bruges."))], past=True).kept("t1-in-0", TEXT)

    assert kept.text == "Can you plan my trip? I live in Bruges. [until 12 May 2026] I like trains."


def test_what_may_be_outdated_stays_and_is_marked() -> None:
    kept = Outdating([fact(outdated("I live in Bruges.", 0.3))], past=False).kept("t1-in-0", TEXT)

    assert kept.text == "Can you plan my trip? I live in Bruges. [may be outdated] I like trains."


def test_the_same_sentence_in_another_event_stays() -> None:
    assert Outdating([fact(outdated("I live in Bruges."))], past=False).kept("t2-in-0", TEXT) == (TEXT, ())


def test_what_was_taken_back_is_left_out_and_nothing_takes_its_place() -> None:
    gone = replace(fact(), source=Source(turn_id="t1", event_id="t1-in-0", quote="I live in Bruges"), valid_to=WHEN)

    assert Outdating([], [gone], past=False).kept("t1-in-0", "I live in Bruges") == ("", ())


def test_a_clause_goes_alone_where_a_fact_quotes_no_more() -> None:
    kept = Outdating([fact(outdated("I live in Bruges"))], past=False).kept(
        "t1-in-0", "I live in Bruges, and I like trains."
    )

    assert kept.text == "and I like trains."


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("I'm Ada, I live in Bruges and work as a nurse.", "I'm Ada, and work as a nurse."),
        ("I'm Ada, I live in Bruges, and work as a nurse.", "I'm Ada, and work as a nurse."),
        ("I'm Ada; I live in Bruges.", "I'm Ada."),
        ("Hi! I live in Bruges. Bye now, my friend.", "Hi! Bye now, my friend."),
        ("To do:\nI live in Bruges\nI like trains", "To do:\n\nI like trains"),
        ("Well, my friend, I live in Bruges", "Well, my friend"),
    ],
)
def test_no_comma_and_no_space_stay_for_what_is_left_out(said: str, left: str) -> None:
    assert Outdating([fact(outdated("I live in Bruges"))], past=False).kept("t1-in-0", said).text == left


def test_two_short_sentences_that_say_one_thing_go_together() -> None:
    text = "Bruges it is! We live there now."

    assert Outdating([fact(outdated(text))], past=False).kept("t1-in-0", f"Hello there, my friend! {text}").text == (
        "Hello there, my friend!"
    )


def restated(minutes: int) -> Fact:
    """Return the outdated sentence as a fact that is believed, recorded so long after what outdates it."""
    source = Source(turn_id="t1", event_id="t1-in-0", quote="I live in Bruges.")
    return fact_of("again", WHEN + timedelta(minutes=minutes), **BRUGES, source=source)


def test_a_sentence_holds_that_was_restored_since_something_outdated_it() -> None:
    outdating = Outdating([restated(1), fact(outdated("I live in Bruges."))], past=False)

    assert outdating.kept("t1-in-0", TEXT) == (TEXT, ())
    assert outdating.of(restated(1)) is None


@pytest.mark.parametrize("minutes", [-1, 0])
def test_a_sentence_that_was_outdated_after_its_fact_was_recorded_is_left_out(minutes: int) -> None:
    outdating = Outdating([restated(minutes), fact(outdated("I live in Bruges."))], past=False)

    assert "Bruges" not in outdating.kept("t1-in-0", TEXT).text


def test_what_a_person_wrote_and_let_go_of_hides_no_other_of_the_same_words() -> None:
    written = replace(restated(0), source=Source(turn_id="", event_id="", quote="Bruges"))

    assert Outdating([], [replace(written, valid_to=WHEN)], past=False).of(replace(written, id="other")) is None


@pytest.mark.parametrize(
    "question",
    ["Where did I live before?", "Wo habe ich früher gewohnt?", "Où habitais-je avant ?", "¿Dónde vivía antes?"],
)
def test_a_question_for_the_past_is_known(question: str) -> None:
    assert asks_for_the_past(question)


@pytest.mark.parametrize("question", ["Where do I live?", "Wo wohne ich?", "Où est-ce que j'habite ?", "¿Dónde vivo?"])
def test_a_question_for_the_present_is_none(question: str) -> None:
    assert not asks_for_the_past(question)
