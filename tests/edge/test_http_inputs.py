"""What the turn tools take: the forms of the current input, and where it stands in a conversation."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.conversation.items import message
from cairn.edge.fields import history
from cairn.ground.errors import InvalidArgument
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from support.receipts import without_call

TEXT = "What is my name?"
SESSION: dict[str, Any] = {"project": "garden", "session_id": "monday"}


def before(call: Call, **fields: Any) -> dict[str, Any]:
    return execute(CATALOG, "memory_before_turn", {**SESSION, **fields}, call)


def after(call: Call, turn_id: str, text: str) -> dict[str, Any]:
    items = {"input_items": [message("user", text)], "output_items": []}
    return execute(CATALOG, "memory_after_turn", {**SESSION, "turn_id": turn_id, **items}, call)


@pytest.mark.req("R018")
def test_before_turn_takes_every_field_of_the_contract(call: Call) -> None:
    answer = before(
        call,
        user_id="ada",
        turn_id="turn-1",
        current_input=[message("user", TEXT)],
        base_instructions="Be brief.",
        max_input_tok=4000,
        conversation_items=[message("user", "Hello"), message("user", TEXT)],
        current_input_start=1,
        current_input_count=1,
        recall_scope="user",
    )

    assert set(answer) == {
        *("input_items", "recall_fact_ids", "context_token_count", "recalled_by", "likelihood", "receipt")
    }
    assert answer["input_items"][-2:] == [message("user", "Hello"), message("user", TEXT)]


@pytest.mark.req("R258")
def test_a_text_under_either_name_is_one_user_item(call: Call) -> None:
    as_items = before(call, current_input=[message("user", TEXT)])

    assert as_items["input_items"][-1] == message("user", TEXT)
    for fields in ({"current_input": TEXT}, {"current_input_text": TEXT}, {"current_input": message("user", TEXT)}):
        assert without_call(before(call, **fields)) == without_call(as_items)


@pytest.mark.req("R258")
def test_an_object_without_a_role_is_the_user_s(call: Call) -> None:
    assert before(call, current_input={"content": TEXT})["input_items"][-1] == {"role": "user", "content": TEXT}


@pytest.mark.req("R019")
@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"current_input": None},
        {"current_input": ""},
        {"current_input": " \n"},
        {"current_input": []},
        {"current_input_text": ""},
        {"current_input_text": " "},
        {"current_input_text": None},
    ],
)
def test_a_missing_or_blank_current_input_is_refused(fields: dict[str, Any], call: Call) -> None:
    with pytest.raises(InvalidArgument) as raised:
        before(call, **fields)

    assert list(raised.value.details["fields"]) == ["current_input"]  # pyright: ignore[reportArgumentType] - a mapping
    assert raised.value.retryable is False


def test_both_names_at_once_are_refused(call: Call) -> None:
    with pytest.raises(InvalidArgument, match="current_input_text must not be given beside current_input"):
        before(call, current_input=TEXT, current_input_text=TEXT)


@pytest.mark.req("R019")
@pytest.mark.parametrize("turn_id", [None, "", " ", "a/b"])
def test_a_turn_to_store_needs_a_turn_id(turn_id: str | None, call: Call) -> None:
    with pytest.raises(InvalidArgument, match="turn_id"):
        execute(CATALOG, "memory_after_turn", {**CATALOG[1].example, "turn_id": turn_id}, call)


@pytest.mark.req("R257")
def test_the_latest_item_alone_and_the_whole_conversation_recall_the_same(call: Call) -> None:
    after(call, "turn-1", "My name is Ada. I prefer tea.")
    earlier = [message("user", "My name is Ada. I prefer tea."), message("assistant", "Noted.", "output_text")]
    current = [message("user", TEXT)]
    latest = before(call, current_input=current)

    whole = {"current_input": current, "conversation_items": [*earlier, *current]}
    for where in (
        {},
        {"current_input_start": 2, "current_input_count": 1},
        {"current_input_start": 2},
        {"current_input_count": 1},
    ):
        answer = before(call, **whole, **where)
        assert answer["recall_fact_ids"] == latest["recall_fact_ids"] != []
        assert answer["input_items"].count(current[0]) == 1
        assert answer["input_items"][-1] == current[0]


ITEMS = st.lists(st.sampled_from([message("user", text) for text in "abc"]), max_size=6)
PLACES = st.none() | st.integers(-10, 10)


@pytest.mark.req("R257")
@given(ITEMS, ITEMS.filter(bool), PLACES, PLACES)
def test_any_slice_is_clamped_to_the_conversation(
    items: list[Any], current: list[Any], start: int | None, count: int | None
) -> None:
    rest = history(items, current, start, count)

    removed = len(items) - len(rest)
    assert removed >= 0
    assert any(tuple(items[:at] + items[at + removed :]) == rest for at in range(len(items) + 1))


@pytest.mark.req("R257")
@given(ITEMS, ITEMS.filter(bool))
def test_the_current_input_at_the_end_of_a_conversation_is_found(earlier: list[Any], current: list[Any]) -> None:
    assert history([*earlier, *current], current, None, None) == tuple(earlier)
    assert history([*earlier, *current], current, len(earlier), None) == tuple(earlier)
    assert history([*earlier, *current], current, None, len(current)) == tuple(earlier)
    assert history(None, current, 3, 3) == ()


@pytest.mark.parametrize(
    ("start", "count", "left"), [(1, 1, "acd"), (-5, 2, "cd"), (2, 99, "ab"), (9, 1, "abcd"), (0, 0, "abcd")]
)
def test_a_slice_leaves_what_is_around_it(start: int, count: int, left: str) -> None:
    items = [{"text": text} for text in "abcd"]

    assert history(items, [{"text": "x"}], start, count) == tuple({"text": text} for text in left)


UNTOUCHED: list[dict[str, Any]] = [
    {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_image", "image_url": "https://h/x.png", "detail": "low"}],
    },
    {
        "type": "function_call",
        "call_id": "c",
        "name": "n",
        "arguments": "{}",
        "x-unknown": {"deep": [1, None, True]},
    },
    {"role": "user", "content": "plain", "metadata": {"item_id": "1"}},
    {"role": "user", "content": ["a", "b"]},
    {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "So."}], "encrypted_content": "x"},
]


@pytest.mark.parametrize("item", UNTOUCHED)
def test_an_item_comes_back_untouched(item: dict[str, Any], call: Call) -> None:
    assert before(call, current_input=[item])["input_items"][-1] == item


def test_a_listing_takes_only_sensible_bounds(call: Call) -> None:
    for bad in ({"depth": -1}, {"limit": 0}, {"limit": 1001}, {"limit": 1.5}, {"limit": "9"}, {"depth": True}):
        with pytest.raises(InvalidArgument, match=next(iter(bad))):
            execute(CATALOG, "memory_list_dir_with_abstract", {**SESSION, **bad}, call)


def test_times_are_rfc_3339_in_utc(call: Call) -> None:
    after(call, "turn-1", "My name is Ada.")

    listing = execute(CATALOG, "memory_list_dir_with_abstract", SESSION, call)

    assert listing["summaries"]
    for each in listing["summaries"]:
        assert each["updated_at"].endswith("Z")
