"""Of facts and memories that say the same, the newest alone is placed, and only what says the same is folded."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cairn.context.repeats import said, unrepeated
from cairn.conversation.items import message
from cairn.facts.facts import Source
from cairn.ground.adapters import Adapters
from cairn.ground.settings import MemorySettings
from cairn.memories.model import Note
from cairn.memories.remember import remember
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from support.facts import fact_of
from support.services import services_over
from support.turns import SESSION, turn

pytestmark = pytest.mark.req("R291")

AT = datetime(2026, 3, 1, tzinfo=UTC)
ASKED = "What does the user like: tea or something else?"


@pytest.fixture
def kept(adapters: Adapters) -> Callable[[str], None]:
    """Return a function that keeps something for the project a day after what was before."""
    clock: Any = adapters.clock

    def keep(content: str) -> None:
        clock.advance(days=1)
        remember(services_over(adapters), SESSION, Note(content=content, scope="project"))

    return keep


@pytest.fixture
def facts_of(adapters: Adapters, placed: Callable[..., dict[str, Any]]) -> Callable[..., list[tuple[str, str]]]:
    """Return a function that returns value and day of each fact that is placed, at most so many."""

    def read(most: int = 20) -> list[tuple[str, str]]:
        services = services_over(adapters, MemorySettings(recall_facts_limit=most))
        commit(services, SESSION, turn("t1", "Does the user like tea, or something else with the cake?"))
        asked = Preparation(current=(message("user", ASKED),))
        return [(fact["value"], fact["day"]) for fact in placed(prepare(services, SESSION, asked))["facts"]]

    return read


def test_of_memories_that_differ_in_a_dot_the_newest_is_placed(
    kept: Callable[[str], None], facts_of: Callable[..., list[tuple[str, str]]]
) -> None:
    for content in ("The user likes tea", "The user likes tea.", "The user likes coffee with tea cake."):
        kept(content)

    found = facts_of()

    assert sorted(found) == [
        ("The user likes coffee with tea cake.", "4 March 2026"),
        ("The user likes tea.", "3 March 2026"),
    ]


def test_what_is_folded_takes_no_place_of_what_says_something_else(
    kept: Callable[[str], None], facts_of: Callable[..., list[tuple[str, str]]]
) -> None:
    for mark in ("", ".", "!", " !", "..", "?", "!!", "...", ";", ":", "?!", " .", "!?"):
        kept(f"The user likes tea{mark}")
    kept("The user likes something else.")

    values = [value for value, _ in facts_of(most=2)]

    assert len(values) == 2
    assert "The user likes something else." in values


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("tea", "Tea.", True),
        ("green tea", "green  TEA!", True),
        ("C", "C++", False),
        ("C", "C#", False),
        ("5 degrees", "-5 degrees", False),
        ("3.5", "3 5", False),
        ("tea", "no tea", False),
        ("great", "lovely", False),
        ("\U0001f44d", "\U0001f44e", False),
    ],
)
def test_what_differs_in_more_than_case_and_punctuation_is_no_repeat(one: str, other: str, *, same: bool) -> None:
    first = fact_of("first", AT, fact_id="user_like", key=one, value=one)
    later = fact_of("later", AT + timedelta(1), fact_id="user_like", key=other, value=other)

    assert unrepeated([first, later], None) == ((later,) if same else (first, later))
    assert unrepeated([later, first], None) == ((later,) if same else (later, first))


@pytest.mark.parametrize(
    "other",
    [
        {"source": Source(turn_id="t", event_id="e", quote="q", user_id="bob")},
        {"source": Source(turn_id="", event_id="", quote="")},
        {"fact_id": "user_preference"},
        {"key": "favourite drink"},
    ],
    ids=["another's", "an agent's", "of another kind", "about something else"],
)
def test_what_another_said_or_is_of_something_else_is_no_repeat(other: dict[str, Any]) -> None:
    of_tea = {"fact_id": "user_like", "key": "tea", "value": "tea"}
    fact = fact_of("tea", AT, **of_tea)

    assert said(fact, "ada") == said(fact_of("later", AT, **of_tea | {"value": "Tea."}), "ada")
    assert said(fact, "ada") != said(fact_of("later", AT, **of_tea | other), "ada")
