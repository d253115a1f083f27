"""Items are told apart by what they say; events name and type them."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.conversation.events import Event, EventType, events_of
from cairn.conversation.items import answered_ids, asked_ids, identity, message, role_of, text_of
from cairn.conversation.roles import as_stored
from cairn.conversation.turns import Completion
from cairn.ground.ids import TurnId, UserId, following_id, moment_of, time_ordered_id

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet=st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ({"content": "hello"}, "hello"),
        ({"content": [{"type": "input_text", "text": "a"}, {"type": "input_image"}, "b"]}, "a\nb"),
        ({"type": "function_call_output", "output": "42"}, "42"),
        ({"type": "function_call", "arguments": '{"q":1}'}, '{"q":1}'),
        ({"type": "reasoning", "summary": [{"type": "summary_text", "text": "so"}]}, ""),
        ({"role": "user", "content": [{"type": "input_file", "filename": "plan.pdf"}]}, "[file: plan.pdf]"),
        (
            {"role": "user", "content": [{"type": "input_image", "image_url": "https://h/beans.jpg?v=1"}]},
            "[image: beans.jpg]",
        ),
        ({"role": "user", "content": [{"type": "input_image", "image_url": "data:image/png;base64,aGk="}]}, ""),
        ({"role": "assistant", "content": [{"type": "refusal", "refusal": "I cannot."}]}, "I cannot."),
        ({"type": "custom_tool_call", "call_id": "c", "name": "run", "input": "ls"}, "ls"),
        ({"content": None, "output": 7}, ""),
        ({}, ""),
    ],
)
def test_the_text_of_an_item_is_what_was_said_in_it(item: dict[str, Any], text: str) -> None:
    assert text_of(item) == text


@pytest.mark.parametrize(
    ("item", "role"),
    [
        ({"role": "user"}, "user"),
        ({"type": "function_call_output"}, "tool"),
        ({"type": "computer_call"}, "assistant"),
        ({"type": "reasoning"}, "assistant"),
        ({"role": 3}, "assistant"),
    ],
)
def test_everything_is_from_somebody(item: dict[str, Any], role: str) -> None:
    assert role_of(item) == role


@pytest.mark.req("R051")
@pytest.mark.parametrize(
    "same",
    [
        {"role": "user", "content": "hi"},
        {"role": "user", "content": [{"type": "input_text", "text": "hi"}]},
        {"type": "message", "role": "user", "content": "hi", "id": "msg_1", "status": "completed"},
        {"content": "hi", "role": "user", "metadata": {"seen": True}},
    ],
)
def test_what_an_api_adds_on_the_way_makes_no_other_item(same: dict[str, Any]) -> None:
    assert identity(same) == identity(message("user", "hi"))


@pytest.mark.req("R051")
@pytest.mark.parametrize(
    "other",
    [
        {"role": "assistant", "content": "hi"},
        {"role": "user", "content": "hi "},
        {"role": "user", "content": [{"type": "input_text", "text": "hi"}, {"type": "input_image", "file_id": "f"}]},
        {"role": "user", "content": "hi", "name": "bob"},
        {"role": "user", "content": "hi", "metadata": {"item_id": "i1"}},
    ],
)
def test_another_word_role_part_or_name_makes_another_item(other: dict[str, Any]) -> None:
    assert identity(other) != identity(message("user", "hi"))


def test_an_item_id_cannot_imitate_the_hash_of_another_item() -> None:
    item = message("user", "hi")
    assert identity({"metadata": {"item_id": identity(item)}}) != identity(item)


@pytest.mark.slow
@given(st.dictionaries(st.text(max_size=8), json_values, max_size=6))
def test_any_object_has_a_text_a_role_and_a_stable_identity(item: dict[str, Any]) -> None:
    assert isinstance(text_of(item), str)
    assert role_of(item)
    for kind in ("x_call", "x_call_output"):
        odd = {**item, "type": kind, "call_id": 3}
        assert 3 not in asked_ids(odd) | answered_ids(odd)
    assert identity(item) == identity(dict(reversed(list(item.items()))))


@pytest.mark.req("R047")
def test_a_retry_gives_every_event_the_same_id() -> None:
    turn = Completion(turn_id=TurnId("t"), inputs=({"content": "a"}, {"content": "b"}), outputs=({"content": "c"},))
    ids = [event.id for event in events_of(turn, turn.inputs, NOW)]
    assert ids == ["t-in-0", "t-in-1", "t-out-0"]
    assert ids == [event.id for event in events_of(turn, turn.inputs, datetime.now(UTC))]


@pytest.mark.slow
@given(st.dictionaries(st.text(max_size=8), json_values, max_size=6), st.none() | st.just("ada"))
def test_an_event_survives_its_record(item: dict[str, Any], user: str | None) -> None:
    event = Event("t-in-0", NOW, EventType.INPUT_ITEM, TurnId("t"), UserId(user) if user else None, item)
    assert Event.from_record(event.to_record()) == replace(event, item=as_stored(item))
    assert event.to_record()["ts"].endswith("Z")


@given(st.integers(0, 10**17), st.binary(min_size=10, max_size=10))
def test_a_time_ordered_id_holds_its_moment_to_the_millisecond(microseconds: int, randomness: bytes) -> None:
    moment = datetime.fromtimestamp(0, UTC) + timedelta(microseconds=microseconds)
    held = moment_of(time_ordered_id(moment, randomness))
    assert held == moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def test_a_time_ordered_id_is_a_ulid_and_what_is_none_tells_no_moment() -> None:
    at = datetime(2016, 7, 30, 23, 54, 10, 259_000, UTC)

    assert time_ordered_id(at, bytes.fromhex("d6764c61efb99302bd5b")) == "01ARZ3NDEKTSV4RRFFQ69G5FAV"
    assert following_id("01ARZ3NDEKTSV4RRFFQ69G5FAZ") == "01ARZ3NDEKTSV4RRFFQ69G5FB0"
    for other in ("01ARZ3NDEk", "01ARZ3NDEU", "01ARZ3_DEK", "01ARZ3NDE٣", "+1ARZ3NDEK"):
        with pytest.raises(ValueError, match="invalid literal"):
            moment_of(other)
