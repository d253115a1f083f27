"""What a user's words yield: the facts stated, and nothing where none is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.facts.extraction import extract
from cairn.facts.facts import Candidate
from cairn.facts.short_text import MAX_VALUE_BYTES
from cairn.ground.tiers import Tier
from support.facts import NOTHING, RETRACTED, STATED
from support.processor import is_within, seconds_of


def found(text: str, *, retracts: bool = False) -> list[tuple[str, str]]:
    return [(c.fact_id, c.value) for c in extract([("e", text)]) if c.retracts is retracts]


def only(text: str) -> Candidate:
    (candidate,) = extract([("e", text)])
    return candidate


@pytest.mark.req("R060")
@pytest.mark.parametrize(("text", "facts"), STATED)
def test_what_a_user_states_is_found_with_its_case_and_whole(text: str, facts: list[tuple[str, str]]) -> None:
    assert found(text) == facts
    assert not found(text, retracts=True)


@pytest.mark.parametrize(("text", "facts"), RETRACTED)
def test_what_no_longer_holds_is_taken_back_and_not_stated(text: str, facts: list[tuple[str, str]]) -> None:
    assert found(text, retracts=True) == facts
    assert not found(text)


@pytest.mark.req("R060")
@pytest.mark.parametrize("text", NOTHING)
def test_what_is_no_statement_of_the_users_own_yields_nothing(text: str) -> None:
    assert extract([("e", text)]) == ()


@pytest.mark.req("R264")
@pytest.mark.parametrize(
    ("text", "fact_id", "tier", "confidence"),
    [
        ("My name is Ada", "user_name", Tier.L0, 0.95),
        ("I prefer trains", "user_preference", Tier.L0, 0.92),
        ("I like tea", "user_like", Tier.L2, 0.85),
        ("Today I need to rest", "today_task", Tier.L1, 0.80),
        ("This week I need to rest", "weekly_task", Tier.L2, 0.82),
    ],
)
def test_the_five_reference_markers_keep_their_tier_and_confidence(
    text: str, fact_id: str, tier: Tier, confidence: float
) -> None:
    candidate = only(text)
    assert (candidate.fact_id, candidate.tier, candidate.confidence) == (fact_id, tier, confidence)


def test_a_kind_with_one_value_is_keyed_by_itself_and_one_with_many_by_its_value() -> None:
    assert only("My name is Ada").key == "name"
    assert only("I prefer  Night Trains").key == "night trains"
    assert only("My dog's name is Rex").key == "dog's name"


def test_a_candidate_says_where_it_was_said() -> None:
    candidates = extract([("t-in-0", "Hello. I like tea!  Bye."), ("t-in-1", "I live in Rome.")])
    assert [(c.event_id, c.quote) for c in candidates] == [("t-in-0", "I like tea!"), ("t-in-1", "I live in Rome.")]


@pytest.mark.parametrize("character", ["a", "é", "語", "\U0001d4b3"])
def test_a_long_value_is_cut_between_characters_at_512_bytes(character: str) -> None:
    value = only("I prefer x" + character * 600).value
    assert MAX_VALUE_BYTES - 4 < len(value.encode()) <= MAX_VALUE_BYTES
    assert value == "x" + character * (len(value) - 1)


def test_a_lone_surrogate_does_no_harm() -> None:
    assert only("I prefer tea\ud800 time").value == "tea time"


HOSTILE = [
    "I like a. ",
    ", I like",
    "I like ",
    "and I like tea ",
    "I don't like ",
    ", in the so in the so",
    '"I like',
    "```",
    "a, b and ",
    "My name is A. Sorry, I meant B. ",
    "my name is a, sorry, ",
    "please fix: ",
    "kind regards\n",
    "Ann: a\nBob: b\n",
    "i work as a ",
    "i   ",
]


@pytest.mark.slow
@pytest.mark.parametrize("unit", HOSTILE)
def test_reading_takes_time_linear_in_a_hostile_text(unit: str) -> None:
    def read(size: int) -> object:
        return extract([("e", (unit * size)[:size])])

    assert is_within(lambda: read(60_000), lambda: 8 * max(seconds_of(lambda: read(15_000)), 0.012), 8 * 0.012)


@given(
    st.text(alphabet=st.sampled_from(" .,?!\"'\n-abIiklemynas1é語😀"))
    | st.sampled_from(NOTHING + [t for t, _ in STATED])
)
def test_a_value_is_never_empty_nor_more_than_what_was_said(text: str) -> None:
    for candidate in extract([("e", f"I like {text}")]):
        assert candidate.value
        assert len(candidate.value.encode()) <= MAX_VALUE_BYTES
        assert 0 < candidate.confidence <= 1


@pytest.mark.req("R296")
@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("I'm allergic to kiwi and Mia can't have milk.", "kiwi"),
        ("I'm allergic to kiwi and nuts.", "kiwi and nuts"),
        ("I love tea and my wife hates coffee.", "tea"),
        ("I like books and films that are old.", "books and films that are old"),
    ],
)
def test_a_value_ends_where_something_is_said_of_somebody_else(said: str, value: str) -> None:
    assert [each.value for each in extract([("e", said)])] == [value]


@pytest.mark.req("R296")
@pytest.mark.parametrize(
    ("said", "values"),
    [
        ("I live in the terminal, so give me commands.", []),
        ("I live in the fast lane.", []),
        ("I live in the old city centre.", ["the old city centre"]),
        ("I live in the Netherlands.", ["the Netherlands"]),
        ("i live in oslo", ["oslo"]),
    ],
)
def test_a_figure_of_speech_is_no_home(said: str, values: list[str]) -> None:
    assert [each.value for each in extract([("e", said)])] == values
