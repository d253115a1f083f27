"""The shape of items: what the schema says of them the tools keep to, and text stands for them everywhere."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from cairn.conversation.items import message
from cairn.edge.items import ITEM_SCHEMA
from cairn.edge.schema import listed
from cairn.edge.validation import Rules, validate
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, SessionId
from cairn.ground.session import Session
from cairn.ground.settings import Limits
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from cairn_tools.memory_after_turn import AfterTurn
from support.tool import outcome

TOOLS = {tool.name: tool for tool in CATALOG}
SESSION: dict[str, Any] = {"project": "garden", "session_id": "monday"}
LISTS = [
    ("memory_after_turn", "input_items", "user"),
    ("memory_after_turn", "output_items", "assistant"),
    ("memory_after_turn", "conversation_items", "user"),
    ("memory_before_turn", "current_input", "user"),
    ("memory_before_turn", "conversation_items", "user"),
    ("memory_run_turn", "current_input", "user"),
]
RULES = Rules(Limits(), lenient=False)


def ask(call: Call, tool: str, field: str, items: object) -> dict[str, Any]:
    needed: dict[str, dict[str, Any]] = {
        "memory_after_turn": {"turn_id": "t1", "input_items": [], "output_items": []},
        "memory_before_turn": {"current_input": "Hi"},
        "memory_run_turn": {"phase": "begin", "current_input": "Hi"},
    }
    return execute(CATALOG, tool, {**SESSION, **needed[tool], field: items}, call)


def named(error: InvalidArgument) -> dict[str, str]:
    return dict(cast("dict[str, str]", error.details["fields"]))


@pytest.mark.req("R288")
@pytest.mark.parametrize(
    ("item", "where", "problem"),
    [
        ({}, ".role", "is required, or a type"),
        ({"text": "Hi"}, ".role", "is required, or a type"),
        ({"role": "human", "content": "Hi"}, ".role", "must be user, assistant or tool"),
        ({"role": "System", "content": "Hi"}, ".role", "must be user, assistant or tool"),
        ({"role": "", "content": "Hi"}, ".role", "must be user, assistant or tool"),
        ({"role": ["user"], "content": "Hi"}, ".role", "must be user, assistant or tool"),
        ({"type": "message", "content": "Hi"}, ".role", "is required, or a type"),
        ({"type": "function_call", "role": "root"}, ".role", "must be user, assistant or tool"),
        ({"role": "user"}, ".content", "is required"),
        ({"role": "assistant", "content": None}, ".content", "is required"),
        ({"role": "user", "content": {"text": "Hi"}}, ".content", "must be text or a list of content parts"),
        ({"type": "", "role": "user", "content": "Hi"}, ".type", "must be a string"),
        ({"type": 7}, ".type", "must be a string"),
        ({"type": "function_call", "name": "f", "arguments": "{}"}, ".call_id", "is required"),
        ({"type": "function_call", "call_id": "c", "arguments": "{}"}, ".name", "is required"),
        ({"type": "function_call", "call_id": "c", "name": "f", "arguments": {}}, ".arguments", "must be a string"),
        ({"type": "function_call_output", "output": "42"}, ".call_id", "is required"),
        ({"type": "function_call_output", "call_id": "c"}, ".output", "must be text or a list of content parts"),
        (" ", "", "must not be blank"),
        (7, "", None),
    ],
)
def test_what_no_model_would_take_is_refused_by_its_place(item: object, where: str, problem: str | None) -> None:
    arguments = {**SESSION, "turn_id": "t", "output_items": [], "input_items": [message("user", "Hello"), item]}
    with pytest.raises(InvalidArgument) as raised:
        validate(AfterTurn, arguments, RULES)
    [(name, said)] = named(raised.value).items()
    assert name == f"input_items[1]{where}"
    assert problem is None or said.startswith(problem)


@pytest.mark.parametrize(("tool", "field"), [each[:2] for each in LISTS])
def test_every_list_of_items_is_held_to_their_shape(tool: str, field: str, call: Call) -> None:
    human = {"role": "human", "content": "Hi"}
    malformed: list[Any] = [[{}], {}, [{"text": "Hi"}], [human], human]
    for items in malformed:
        with pytest.raises(InvalidArgument) as raised:
            ask(call, tool, field, items)
        assert list(named(raised.value)) == [f"{field}[0].role"]


TAKEN: list[dict[str, Any]] = [
    {"role": "user", "content": "Hi"},
    {"type": None, "role": "user", "content": "Hi", "name": None},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Hi"}]},
    {"role": "tool", "content": "42"},
    {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c", "output": [{"type": "input_text", "text": "42"}]},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
    {"type": "web_search_call", "id": "ws_1", "status": "completed"},
    {"type": "mcp_call", "id": "mcp_1", "x": {"deep": [1, None]}},
]


@pytest.mark.parametrize("item", TAKEN)
def test_what_a_model_takes_is_stored_as_it_was_sent(item: Any, call: Call) -> None:
    turn = {**SESSION, "turn_id": "t", "input_items": "Hello", "output_items": [item]}
    assert execute(CATALOG, "memory_after_turn", turn, call)["events_written"] == 2
    session = Session(call.caller.tenant, Project("garden"), SessionId("monday"))
    [(_, [_, event])] = call.services.sessions.history(session)
    assert event.item == {name: value for name, value in item.items() if (name, value) != ("type", None)}


@pytest.mark.req("R258")
@pytest.mark.parametrize(("tool", "field", "role"), LISTS)
def test_text_stands_for_items_wherever_they_are_taken(tool: str, field: str, role: str, call: Call) -> None:
    said = message(role, "My name is Ada.", "output_text" if role == "assistant" else "input_text")
    forms = ["My name is Ada.", ["My name is Ada."], said, [said]]
    if tool == "memory_after_turn":
        given = [{**SESSION, "turn_id": "t", "input_items": [], "output_items": [], field: form} for form in forms]
        taken = [getattr(validate(AfterTurn, each, RULES), field) for each in given]
        assert taken == [[said]] * len(forms)
    else:
        answers = [ask(call, tool, field, form)["input_items"] for form in forms]
        assert answers == [answers[0]] * len(forms)
        assert said in answers[0]


def test_a_turn_is_stored_of_two_plain_texts_and_replayed_as_a_conversation(call: Call) -> None:
    turn = {**SESSION, "turn_id": "t1", "input_items": "My name is Ada.", "output_items": "Hello Ada."}
    assert execute(CATALOG, "memory_after_turn", turn, call)["facts_written"] == 1

    items = ask(call, "memory_before_turn", "current_input", "Who am I?")["input_items"]
    assert [each["role"] for each in items[-3:]] == ["user", "assistant", "user"]
    assert items[-2] == {"type": "message", "role": "assistant", "content": "Hello Ada."}


def test_no_text_is_no_item_where_a_turn_is_stored(call: Call) -> None:
    turn = {**SESSION, "turn_id": "t1", "input_items": "My name is Ada.", "output_items": ""}
    assert execute(CATALOG, "memory_after_turn", turn, call)["events_written"] == 1


texts = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=8)
contents = texts | st.lists(texts | st.fixed_dictionaries({"type": texts, "text": texts}), max_size=3)
roles = st.sampled_from(["user", "assistant", "tool", "system", "developer"])
others = {"x": st.none() | st.integers() | texts, "status": texts}
messages = st.fixed_dictionaries({"role": roles, "content": contents}, optional={"type": st.just("message"), **others})
kinds = st.sampled_from(["reasoning", "web_search_call", "shell_call_output", "mcp_list_tools", "of_later_call"])
typed = st.fixed_dictionaries({"type": kinds}, optional={"role": roles, "content": contents, **others})
good: st.SearchStrategy[dict[str, Any]] = cast("Any", messages | typed)
none_of_a_content: Any = st.integers() | st.booleans() | st.just(cast("dict[str, Any]", {}))
bad: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.tuples(good, texts.filter(lambda role: role not in {"user", "assistant", "tool", "system", "developer"})).map(
        lambda each: {**each[0], "role": each[1]}
    ),
    st.tuples(good, none_of_a_content).map(lambda each: {**each[0], "content": each[1]}),
    st.tuples(good, st.integers() | st.lists(texts)).map(lambda each: {**each[0], "type": each[1]}),
    st.fixed_dictionaries({"role": roles}, optional=others).filter(lambda item: item["role"] != "assistant"),
    st.fixed_dictionaries({"type": texts.filter(lambda kind: not kind.endswith("_call"))}, optional=others),
)


def is_taken(item: object) -> bool:
    try:
        validate(AfterTurn, {**SESSION, "turn_id": "t", "input_items": [item], "output_items": []}, RULES)
    except InvalidArgument as error:
        return not all(name.startswith("input_items[0]") for name in named(error))
    return True


@pytest.mark.parametrize("schema", [ITEM_SCHEMA, listed(ITEM_SCHEMA)], ids=["whole", "listed"])
@given(item=good)
def test_each_item_of_the_schema_is_taken(schema: dict[str, Any], item: dict[str, Any]) -> None:
    assert Draft202012Validator(schema).is_valid(item)  # pyright: ignore[reportUnknownMemberType] - half a stub
    assert is_taken(item)


@given(bad)
def test_no_item_of_a_wrong_shape_is_taken(item: Any) -> None:
    assert not is_taken(item)


@given(st.fixed_dictionaries({}, optional=others))
def test_no_item_that_the_schema_does_not_allow_is_taken(item: Any) -> None:
    assert not Draft202012Validator(ITEM_SCHEMA).is_valid(item)  # pyright: ignore[reportUnknownMemberType] - as above
    assert not is_taken(item)


def parts(schema: Any, where: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each schema of a value within a schema, and its place."""
    for name, part in schema.get("properties", {}).items():
        yield f"{where}.{name}", part
        yield from parts(part, f"{where}.{name}")
    for index, part in enumerate(schema.get("anyOf", ())):
        yield from parts(part, f"{where}|{index}")
    if "items" in schema:
        yield from parts(schema["items"], f"{where}[]")


@pytest.mark.req("R003")
@pytest.mark.parametrize("tool", CATALOG, ids=lambda tool: tool.name)
@pytest.mark.parametrize("shown", [False, True])
def test_every_field_says_its_type_as_every_client_reads_it(tool: Any, *, shown: bool) -> None:
    """Clients refuse a field without a type, and others one whose type is a list: each is one name, or a choice."""
    schema = listed(tool.input_schema()) if shown else tool.input_schema()
    for where, part in parts(schema, tool.name):
        choices = [part] if "type" in part else part.get("anyOf", [])
        assert choices, where
        assert all(isinstance(choice["type"], str) for choice in choices), where
        assert all("items" in choice for choice in choices if choice["type"] == "array"), where


def test_a_turn_cannot_be_prepared_of_nothing_and_the_schema_says_so(call: Call) -> None:
    assert "current_input" in TOOLS["memory_before_turn"].input_schema()["required"]
    with pytest.raises(InvalidArgument, match="current_input is required"):
        execute(CATALOG, "memory_before_turn", {**SESSION, "conversation_items": [message("user", "Hi")]}, call)


@pytest.mark.parametrize("value", [{"a": 1}, [1, [None]], "text", 7, 1.5, True, None])
def test_any_json_is_stored_and_is_of_the_values_schema(value: Any, call: Call) -> None:
    put = TOOLS["putMemory"]
    validator = Draft202012Validator(put.input_schema())
    arguments: dict[str, Any] = {"namespace": "session.monday", "key": "plan", "value": value}
    assert validator.is_valid(arguments)  # pyright: ignore[reportUnknownMemberType] - half a stub
    assert execute(CATALOG, "putMemory", arguments, call)["success"]
    got = execute(CATALOG, "getMemory", {"namespace": "session.monday", "key": "plan"}, call)
    assert json.dumps(got["value"]) == json.dumps(value)


def test_every_example_is_of_its_schema_and_of_what_is_listed() -> None:
    for tool in CATALOG:
        assert outcome(tool)
        for schema in (tool.input_schema(), listed(tool.input_schema())):
            Draft202012Validator(schema).validate(dict(tool.example))  # pyright: ignore[reportUnknownMemberType] - as above
