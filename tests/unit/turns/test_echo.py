"""What counts as new in a turn's input, for any inputs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.conversation.items import message
from cairn.ground.session import ResponseItem
from cairn.recall import block
from cairn.turns.echo import new_inputs
from cairn.turns.window import recent_items

Items = list[ResponseItem]


def nobody(_message: bytes, _tag: str) -> bool:
    return False


def said(*texts: str) -> Items:
    return [message("user", text) for text in texts]


def new(inputs: Items, stored: Items, history: Items | None = None) -> Items:
    return list(new_inputs(inputs, stored, history or [], nobody))


def _item(kind: str, text: str) -> dict[str, Any]:
    if kind == "call":
        return {"type": "function_call", "call_id": text, "name": "f", "arguments": "{}"}
    if kind == "result":
        return {"type": "function_call_output", "call_id": text, "output": "1"}
    return message(kind, text)


words = st.text(alphabet="abcde", min_size=1, max_size=2)
items = st.builds(_item, st.sampled_from(["user", "assistant", "call", "result"]), words)
conversations = st.lists(items, max_size=12)
fresh = st.lists(st.builds(message, st.just("user"), st.text(alphabet="xyz", min_size=1, max_size=2)), max_size=6)


@pytest.mark.req("R051")
def test_a_lone_input_is_new_even_if_it_was_just_said() -> None:
    assert new(said("ok"), said("ok")) == said("ok")


@pytest.mark.req("R051")
def test_a_run_that_ends_elsewhere_than_the_stored_items_is_new() -> None:
    assert new(said("a", "b", "next"), said("a", "b", "c")) == said("a", "b", "next")


@pytest.mark.req("R051")
def test_one_matching_item_does_not_take_unknown_ones_along() -> None:
    assert new(said("important", "ok", "next"), said("ok")) == said("important", "ok", "next")


@pytest.mark.req("R051")
def test_what_stands_before_the_whole_of_the_stored_items_is_older_than_they_are() -> None:
    assert new(said("older", "a", "b", "next"), said("a", "b")) == said("next")


@pytest.mark.req("R051")
def test_an_item_named_by_the_client_is_known_by_that_name() -> None:
    first = {**message("user", "hello"), "metadata": {"item_id": "i1"}}
    again = {**message("user", "hello, edited"), "metadata": {"item_id": "i1"}}
    assert new([again, *said("next")], [first]) == said("next")


@pytest.mark.req("R051")
def test_the_policy_is_no_input_of_the_turn() -> None:
    assert new([block.policy()], []) == []


@pytest.mark.req("R051")
@given(inputs=conversations.filter(bool), stored=conversations, history=conversations)
def test_the_last_input_is_always_kept_and_the_rest_is_a_tail(inputs: Items, stored: Items, history: Items) -> None:
    kept = new(inputs, stored, history)
    assert kept
    assert kept == inputs[-len(kept) :]


@pytest.mark.slow
@pytest.mark.req("R051")
@given(inputs=fresh.filter(bool), stored=conversations, history=conversations)
def test_nothing_is_dropped_of_inputs_that_were_never_said(inputs: Items, stored: Items, history: Items) -> None:
    assert new(inputs, stored, history) == inputs


@pytest.mark.req("R051")
@given(
    stored=conversations,
    history=conversations,
    current=fresh.filter(bool),
    limit=st.integers(0, 14),
    cut=st.integers(0, 14),
)
def test_whatever_before_turn_places_is_recognised(
    stored: Items, history: Items, current: Items, limit: int, cut: int
) -> None:
    placed = recent_items(stored, history, current, limit)
    assert new([*history, *placed, *current], stored, history) == current
    assert new([*placed[cut:], *current], stored, history) == current
