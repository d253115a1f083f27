"""Every framework's messages are stored with the right role and found; what cannot be read is refused by its place."""

from __future__ import annotations

import json
from itertools import chain, zip_longest
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator

from cairn.conversation.items import role_of, text_of
from cairn.edge.items import ITEM_SCHEMA
from cairn.edge.schema import listed
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, SessionId
from cairn.ground.session import Session
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from support.context import block_of
from support.vendors import frameworks

SESSION: dict[str, Any] = {"project": "garden", "session_id": "monday"}
SAID, NAMED, ANSWER = "My name is Ada. Which of these are ripe?", "[image: beans.jpg]", "Pick row two, Ada."
WITHOUT_SYSTEM = {"anthropic", "strands", "gemini", "gemini-camel", "adk", "autogen", "a2a", "a2a-earlier"}
WITHOUT_TOOLS = {"a2a", "a2a-earlier"}
every_framework = pytest.mark.parametrize("name", sorted(frameworks()))


def run(call: Call, tool: str, **arguments: object) -> dict[str, Any]:
    return execute(CATALOG, tool, {**SESSION, **arguments}, call)


def stored(call: Call) -> list[Any]:
    session = Session(call.caller.tenant, Project("garden"), SessionId("monday"))
    return [event.item for _, events in call.services.sessions.history(session) for event in events]


def split(name: str) -> tuple[list[Any], list[Any]]:
    """Return a framework's messages as input and output of a turn."""
    messages = frameworks()[name]
    last = next(at for at, each in enumerate(messages) if SAID in json.dumps(each))
    return messages[: last + 1], messages[last + 1 :]


@pytest.mark.req("R288")
@every_framework
def test_a_turn_in_a_framework_s_messages_is_stored_as_what_was_said(name: str, call: Call) -> None:
    inputs, outputs = split(name)
    answer = run(call, "memory_after_turn", turn_id="t1", input_items=inputs, output_items=outputs)
    said, *rest = [each for each in stored(call) if each.get("type") != "reasoning"]

    assert answer.get("instructions_left_out", 0) == (0 if name in WITHOUT_SYSTEM else 1)
    assert (said["role"], text_of(said).split("\n")) == ("user", [SAID, NAMED])
    assert [(role_of(each), text_of(each)) for each in rest if not each.get("call_id")] == [("assistant", ANSWER)]
    if name not in WITHOUT_TOOLS:
        asked, result = rest[:2]
        assert (asked["type"], asked["call_id"], asked["name"]) == ("function_call", "call_1", "ripeness")
        assert json.loads(asked["arguments"]) == {"row": 2}
        assert (result["type"], result["call_id"]) == ("function_call_output", "call_1")
        assert text_of(result) == "Row two is ripe."


@pytest.mark.req("R288")
@every_framework
def test_what_a_framework_s_messages_say_is_found_and_what_a_model_thought_is_not(name: str, call: Call) -> None:
    inputs, outputs = split(name)
    run(call, "memory_after_turn", turn_id="t1", user_id="ada", input_items=inputs, output_items=outputs)
    asked = {"user_id": "ada", "recall_scope": "user", "session_id": "tuesday"}
    prepared = run(call, "memory_before_turn", current_input="Which row? Was there a picture of beans?", **asked)
    block = json.dumps(prepared["input_items"])

    for words in (SAID, "beans.jpg", ANSWER):
        assert words in block
    known = run(call, "memory_before_turn", current_input="What is my name?", **asked)
    assert known["recall_fact_ids"], "the user's name is a fact of the user's own words"
    assert [fact["value"] for fact in block_of(known["input_items"])["facts"]] == ["Ada"]
    assert "The user shows beans." not in block
    assert "You are a gardener." not in block


@every_framework
def test_every_framework_s_messages_are_of_the_schema(name: str) -> None:
    for schema in (ITEM_SCHEMA, listed(ITEM_SCHEMA)):
        validator = Draft202012Validator(schema)
        assert all(validator.is_valid(each) for each in frameworks()[name])  # pyright: ignore[reportUnknownMemberType] - half a stub


@pytest.mark.req("R288")
def test_messages_of_many_frameworks_stand_in_one_list(call: Call) -> None:
    every = [*frameworks().values()]
    mixed = [each for each in chain.from_iterable(zip_longest(*every)) if each is not None]
    run(call, "memory_after_turn", turn_id="t1", input_items=["Hello.", *mixed], output_items="Well.")

    said = [text_of(each) for each in stored(call) if role_of(each) == "user"]
    assert sum(SAID in each for each in said) == len(every)
    assert {role_of(each) for each in stored(call)} == {"user", "assistant", "tool"}


@every_framework
def test_a_conversation_counts_as_it_was_sent(name: str, call: Call) -> None:
    """The place of the current input is told in the caller's messages, of which one may become several items."""
    inputs, outputs = split(name)
    where = {"current_input_start": len(inputs), "current_input_count": len(outputs)}
    prepared = run(
        call,
        "memory_before_turn",
        current_input="And row three?",
        conversation_items=[*inputs, *outputs, "And row three?"],
        current_input_start=len(inputs) + len(outputs),
        current_input_count=1,
    )["input_items"]
    assert [text_of(each) for each in prepared].count("And row three?") == 1
    left = run(call, "memory_before_turn", current_input="?", conversation_items=[*inputs, *outputs], **where)
    assert ANSWER not in json.dumps(left)


UNREADABLE: list[tuple[dict[str, Any], str, str]] = [
    ({"role": "user", "parts": [{"text": "Hi"}, {"hologram": 1}]}, ".parts[1]", "Gemini part"),
    ({"role": "pirate", "parts": [{"text": "Hi"}]}, ".role", "user, model or function"),
    ({"role": "user", "parts": "Hi"}, ".parts", "a list of parts"),
    ({"author": "ada", "content": {"parts": [{}]}}, ".content.parts[0]", "Gemini part"),
    ({"role": "user", "parts": [{"type": "hologram"}]}, ".parts[0]", "UIMessage"),
    ({"role": "pirate", "parts": [{"type": "text", "text": "Hi"}]}, ".role", "user, assistant or system"),
    ({"role": "agent", "parts": [{"kind": "hologram"}]}, ".parts[0]", "A2A"),
    ({"role": "ROLE_UNSPECIFIED", "parts": [{"text": "Hi"}]}, ".role", "ROLE_USER"),
    ({"role": "user", "content": [{"text": "Hi"}, {"hologram": {}}]}, ".content[1]", "Converse block"),
    ({"role": "user", "content": [{"text": 7}]}, ".content[0].text", "string"),
    ({"role": "assistant", "content": [{"type": "tool_use", "id": "c"}]}, ".content[0].name", "required"),
    ({"role": "user", "content": [{"type": "hologram", "url": "https://h/x"}]}, ".content[0]", "text, image, file"),
    ({"role": "user", "content": [{"type": "image"}]}, ".content[0]", "address"),
    ({"kind": "request", "parts": [{"part_kind": "hologram"}]}, ".parts[0]", "pydantic-ai"),
    ({"role": "user", "blocks": [{"block_type": "hologram"}]}, ".blocks[0]", "llama-index"),
    ({"type": "remove", "content": ""}, ".type", "can be read"),
    ({"type": "chat", "role": "pirate", "content": "Hi"}, ".role", "human, ai"),
    ({"type": "TextMessage", "source": "user", "content": [7]}, ".content[0]", "object"),
    ({"type": "hologram", "words": "Hi"}, ".type", "role and content, parts or blocks"),
    ({"role": "user", "words": "Hi"}, ".content", "role and content, parts or blocks"),
    ({"words": "Hi"}, ".role", "role and content, parts or blocks"),
]


@pytest.mark.req("R288")
@pytest.mark.parametrize(("item", "where", "expected"), UNREADABLE)
def test_what_cannot_be_read_is_refused_by_its_place_and_told_the_shape(
    item: dict[str, Any], where: str, expected: str, call: Call
) -> None:
    with pytest.raises(InvalidArgument) as raised:
        run(call, "memory_after_turn", turn_id="t1", input_items=["Hello", item], output_items=[])
    [(place, problem)] = cast("dict[str, str]", raised.value.details["fields"]).items()
    assert place == f"input_items[1]{where}"
    assert expected in problem
    assert stored(call) == []


@pytest.mark.parametrize(
    "item",
    [
        {"role": "user", "parts": [{"text": "x" * 200_001}]},
        {"role": "user", "content": [{"toolResult": {"toolUseId": "c", "content": [{"text": "x" * 200_001}]}}]},
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "x" * 200_001}]},
    ],
)
def test_a_text_is_held_to_its_limit_in_every_shape(item: dict[str, Any], call: Call) -> None:
    with pytest.raises(InvalidArgument, match="must be at most 200000 bytes of text"):
        run(call, "memory_after_turn", turn_id="t1", input_items=[item], output_items=[])


def test_calls_without_ids_are_tied_to_their_results_by_name_and_order(call: Call) -> None:
    asked = [{"functionCall": {"name": "look", "args": {"row": row}}} for row in (1, 2)]
    found = [{"functionResponse": {"name": "look", "response": {"output": text}}} for text in ("beans", "peas")]
    outputs = [{"role": "model", "parts": asked}, {"role": "user", "parts": found}]
    run(call, "memory_after_turn", turn_id="t1", input_items="What grows?", output_items=outputs)

    one, other, beans, peas = stored(call)[1:]
    assert one["call_id"] != other["call_id"]
    assert [(each["call_id"], each["output"]) for each in (beans, peas)] == [
        (one["call_id"], "beans"),
        (other["call_id"], "peas"),
    ]


NAMED_FILES: list[tuple[dict[str, Any], str]] = [
    (
        {"type": "input_file", "filename": "plan.pdf", "file_data": "data:application/pdf;base64,aGk="},
        "[file: plan.pdf]",
    ),
    ({"type": "image_url", "image_url": {"url": "https://h/a/beans.jpg?v=2"}}, "[image: beans.jpg]"),
    ({"type": "image", "source": {"type": "url", "url": "https://h/beans.jpg"}, "caption": "Ripe"}, "[image: Ripe]"),
    ({"document": {"format": "pdf", "name": "plan", "source": {"bytes": "aGk="}}}, "[file: plan]"),
    (
        {"type": "document", "title": "Plan", "source": {"type": "text", "media_type": "text/plain", "data": "Dig."}},
        "Dig.",
    ),
    ({"type": "file", "mediaType": "audio/mpeg", "filename": "birds.mp3", "url": "https://h/1"}, "[audio: birds.mp3]"),
]


@pytest.mark.req("R288")
@pytest.mark.parametrize(("part", "words"), NAMED_FILES)
def test_a_part_that_is_no_text_is_found_by_its_caption_or_name(part: dict[str, Any], words: str, call: Call) -> None:
    item = {"role": "user", "content": [part]}
    run(call, "memory_after_turn", turn_id="t1", input_items=[item], output_items=[])
    [kept] = stored(call)
    assert words in text_of(kept)
