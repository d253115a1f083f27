"""Every tool of the catalog through every door: the same input gives the same answer, good or bad."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from cairn.edge.problems import HTTP_STATUS
from cairn.tool.tool import Tool
from cairn_mcp import door
from cairn_tools.catalog import CATALOG
from cairn_tools.memory_run_turn import memory_run_turn
from support.receipts import without_call
from support.tool import FOR_AGENTS, SESSION_TOOLS, check_example, http_status

EVENTS = Path(__file__).resolve().parents[2] / "events"
TURN_TOOLS = {"memory_before_turn": "current_input", "memory_after_turn": "input_items"}

Outcome = tuple[int, dict[str, Any]]
Door = Callable[[Tool, str], Outcome]


def http_v2(tool: Tool, body: str) -> Outcome:
    return _answered(tool.handler(_event("http", tool) | {"body": body}, None))


def http_v1(tool: Tool, body: str) -> Outcome:
    event = _event("http", tool)
    context = event["requestContext"]
    first_version = {
        "httpMethod": "POST",
        "path": event["rawPath"],
        "headers": {name.title(): value for name, value in event["headers"].items()},
        "requestContext": {"requestId": context["requestId"], "authorizer": context["authorizer"]["lambda"]},
        "body": body,
        "isBase64Encoded": False,
    }
    return _answered(tool.handler(first_version, None))


def http_base64(tool: Tool, body: str) -> Outcome:
    encoded = {"body": base64.b64encode(body.encode()).decode(), "isBase64Encoded": True}
    return _answered(tool.handler(_event("http", tool) | encoded, None))


def mcp(tool: Tool, body: str) -> Outcome:
    event = _event("mcp", tool)
    request = json.loads(event["body"])
    request["params"]["arguments"] = "the arguments"
    envelope = json.dumps(request).replace('"the arguments"', body)
    status, answer = _answered(door.handler(event | {"body": envelope}, None))
    if "result" not in answer:
        return status, answer["error"]["data"]
    result = answer["result"]
    if result["isError"]:
        return HTTP_STATUS[result["structuredContent"]["error"]["code"]], result["structuredContent"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return 200, result["structuredContent"]


DOORS = (http_v2, http_v1, http_base64, mcp)


def _event(kind: str, tool: Tool) -> dict[str, Any]:
    return json.loads((EVENTS / kind / f"{tool.name}.json").read_text(encoding="utf-8"))


def _answered(response: Mapping[str, Any]) -> Outcome:
    assert response["headers"]["content-type"] == "application/json"
    return response["statusCode"], json.loads(response["body"])


def each_tool(tools: Sequence[Tool] = FOR_AGENTS) -> list[Any]:
    return [pytest.param(tool, id=tool.name) for tool in tools]


def fits(schema: dict[str, Any], value: dict[str, Any]) -> bool:
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema).is_valid(value)  # pyright: ignore[reportUnknownMemberType] - half a stub


def deep(levels: int) -> str:
    return "[" * levels + "]" * levels


def text_item(content: object) -> dict[str, Any]:
    return {"type": "message", "role": "user", "content": content}


BAD_FIELDS: Mapping[str, tuple[str, Any]] = {
    "an empty session id": ("session_id", ""),
    "a blank session id": ("session_id", " \t"),
    "a session id that climbs": ("session_id", "../other"),
    "a session id of two dots": ("session_id", ".."),
    "a session id with a backslash": ("session_id", "a\\b"),
    "a session id with NUL": ("session_id", "a\x00b"),
    "a session id with a lone surrogate": ("session_id", "a\ud800"),
    "a session id of 129 characters": ("session_id", "a" * 129),
    "a number for a session id": ("session_id", 7),
    "a list for a session id": ("session_id", ["monday"]),
    "nothing for a session id": ("session_id", None),
    "an empty project": ("project", ""),
    "a project with a space": ("project", "a b"),
    "a project that climbs": ("project", ".."),
    "a boolean for a project": ("project", True),
    "a field that is none": ("tenant", "another"),
    "a field that is none, nested deeply": ("x", json.loads(deep(40))),
}
BAD_ITEMS: Mapping[str, tuple[str, Any]] = {
    "1,000 items": ("", [text_item("x")] * 1000),
    "a number for items": ("", 7),
    "a number for an item": ("[0]", [7]),
    "a text over the limit": ("[0].content", [text_item("x" * 200_001)]),
    "a text over the limit in bytes alone": ("[0].content", [text_item("ü" * 100_001)]),
    "a part over the limit": (
        "[1].content[1].text",
        [text_item("x"), text_item([{"text": ""}, {"text": "x" * 200_001}])],
    ),
    "an output over the limit": ("[0].output", [{"type": "function_call_output", "output": "x" * 200_001}]),
    "arguments over the limit": ("[0].arguments", [{"type": "function_call", "arguments": "x" * 200_001}]),
    "a number for content": ("[0].content", [text_item(7)]),
    "a number for a part": ("[0].content[0]", [text_item([7])]),
    "a number for a text": ("[0].content[0].text", [text_item([{"text": 7}])]),
    "a number for a role": ("[0].role", [{"role": 7}]),
    "a text with NUL": ("[0].content", [text_item("a\x00b")]),
    "a text with a lone surrogate": ("[0].content", [text_item("a\udc00b")]),
    "a name with a lone surrogate": ("[0].a?b", [{"a\ud800b": 1}]),
    "a number that is not finite": ("[0].x", [{"x": "1e999"}]),
}
BAD_BODIES: Mapping[str, tuple[str, str]] = {
    "truncated JSON": ('{"project": "garden", "session_id": "mon', "INVALID_ARGUMENT"),
    "no JSON": ("project=garden", "INVALID_ARGUMENT"),
    "NaN": ('{"max_input_tok": NaN}', "INVALID_ARGUMENT"),
    "a number of 5,000 digits": (f'{{"max_input_tok": {"1" * 5000}}}', "INVALID_ARGUMENT"),
    "Infinity": ('{"max_input_tok": -Infinity}', "INVALID_ARGUMENT"),
    "a name twice": ('{"project": "a", "project": "b"}', "INVALID_ARGUMENT"),
    "JSON nested 50,000 deep": (deep(50_000), "INVALID_ARGUMENT"),
    "JSON nested 100,000 deep": (deep(100_000), "PAYLOAD_TOO_LARGE"),
    "a body of 10 MB": ('{"project": "' + "x" * 10_000_000 + '"}', "PAYLOAD_TOO_LARGE"),
}


@pytest.mark.req("R006")
@pytest.mark.req("R016")
@pytest.mark.parametrize("tool", each_tool())
def test_every_door_gives_the_sample_the_same_answer(tool: Tool, fresh: Callable[[], object]) -> None:
    answers: list[Outcome] = []
    for door_of in DOORS:
        fresh()
        answers.append(door_of(tool, json.dumps(tool.example)))

    status, answer = answers[0]
    assert status == http_status(tool)
    # Steps of a pipe that run at once draw the ids of their calls in any order.
    assert without_call(answers) == [without_call(answers[0])] * len(DOORS)
    check_example(tool, answer)
    assert fits(tool.input_schema(), dict(tool.example))


@pytest.mark.parametrize("tool", each_tool())
def test_null_is_an_argument_left_out_in_every_field_of_every_tool(tool: Tool, fresh: Callable[[], object]) -> None:
    fields = tool.input_schema()["properties"]
    for name in fields.keys() - {"value"}:
        left_out = {field: value for field, value in tool.example.items() if field != name}
        for door_of in (http_v2, mcp):
            fresh()
            expected = door_of(tool, json.dumps(left_out))
            fresh()
            assert (name, door_of(tool, json.dumps({**left_out, name: None}))) == (name, expected)


def test_null_is_left_out_in_the_steps_of_a_pipe_and_a_value_where_any_json_is(fresh: Callable[[], object]) -> None:
    fresh()
    tools = {tool.name: tool for tool in FOR_AGENTS}
    place = {"namespace": "session.monday", "key": "plan"}
    recall = {"project": "garden", "session_id": "monday", "query": None, "cursor": "${first.cursor}"}
    steps = [
        {"id": "first", "tool": "recall", "arguments": {**recall, "cursor": None}},
        {"id": "again", "tool": "recall", "arguments": recall},
        {"id": "put", "tool": "putMemory", "arguments": {**place, "value": None, "ttl_seconds": None}},
        {"id": "got", "tool": "getMemory", "arguments": place},
    ]

    _, answer = mcp(tools["mcp_pipe"], json.dumps({"steps": steps}))
    assert "failed_step" not in answer or answer["failed_step"] is None
    results = {each["id"]: each["result"] for each in answer["results"]}
    assert without_call(results["first"]) == without_call(results["again"])
    assert results["got"]["value"] is None

    _, refused = mcp(tools["mcp_pipe"], json.dumps({"steps": [{**steps[0], "arguments": None}]}))
    assert refused["error"]["details"]["fields"] == {"steps[0].arguments": "is required"}


def test_every_door_carries_a_conversation_alike(fresh: Callable[[], Any]) -> None:
    before, after, maintain, look, *_ = SESSION_TOOLS
    session = {"project": "garden", "session_id": "tuesday"}
    say: dict[str, Any] = {"input_items": [text_item("My name is Zoë 李. I prefer tea.")], "output_items": []}
    script: list[tuple[Tool, dict[str, Any]]] = [
        (after, {**session, "turn_id": "1", **say}),
        (after, {**session, "turn_id": "1", **say}),
        (after, {**session, "turn_id": "1", **say, "output_items": [text_item("another payload")]}),
        (before, {**session, "current_input": "What do I drink, and what is my name?"}),
        (maintain, session),
        (memory_run_turn, {**session, "phase": "begin", "turn_id": "2", "current_input": "I live in Oslo."}),
        (look, session),
        (look, {**session, "session_id": "wednesday"}),
    ]
    told: list[list[dict[str, Any]]] = []
    for door_of in DOORS:
        fresh()
        told.append([door_of(tool, json.dumps(arguments))[1] for tool, arguments in script])

    assert told == [told[0]] * len(DOORS)
    assert [answer.get("replayed") for answer in told[0][:2]] == [False, True]
    assert told[0][2]["error"]["code"] == "CONFLICT"
    assert "Zoë 李" in json.dumps(told[0][3], ensure_ascii=False)


@pytest.mark.req("R019")
@pytest.mark.req("R102")
@pytest.mark.parametrize("case", BAD_FIELDS)
@pytest.mark.parametrize("tool", each_tool(SESSION_TOOLS))
def test_a_bad_field_is_named_by_every_door_and_nothing_is_stored(
    tool: Tool, case: str, fresh: Callable[[], Any]
) -> None:
    field, value = BAD_FIELDS[case]
    store = fresh()
    before = store.rows()

    answers = [door_of(tool, json.dumps({**tool.example, field: value})) for door_of in DOORS]

    status, answer = answers[0]
    assert status == 400
    assert answers == [answers[0]] * len(DOORS)
    assert answer["error"]["code"] == "INVALID_ARGUMENT"
    assert answer["error"]["retryable"] is False
    assert [name.partition("[")[0] for name in answer["error"]["details"]["fields"]] == [field]
    assert store.rows() == before
    assert http_v2(tool, json.dumps(tool.example))[0] == http_status(tool)


@pytest.mark.req("R097")
@pytest.mark.req("R098")
@pytest.mark.parametrize("case", BAD_ITEMS)
@pytest.mark.parametrize("tool", [pytest.param(t, id=t.name) for t in CATALOG if t.name in TURN_TOOLS])
def test_a_bad_item_is_named_by_every_door_and_nothing_is_stored(
    tool: Tool, case: str, fresh: Callable[[], Any]
) -> None:
    path, items = BAD_ITEMS[case]
    field = TURN_TOOLS[tool.name]
    body = json.dumps({**tool.example, field: items}).replace('"1e999"', "1e999")
    store = fresh()
    before = store.rows()

    answers = [door_of(tool, body) for door_of in DOORS]

    status, answer = answers[0]
    assert status == 400
    assert answers == [answers[0]] * len(DOORS)
    assert list(answer["error"]["details"]["fields"]) == [f"{field}{path}"]
    assert store.rows() == before
    assert http_v2(tool, json.dumps(tool.example))[0] == http_status(tool)


@pytest.mark.req("R096")
@pytest.mark.parametrize("case", BAD_BODIES)
@pytest.mark.parametrize("tool", each_tool())
def test_a_bad_body_is_refused_by_every_door_and_nothing_is_stored(
    tool: Tool, case: str, fresh: Callable[[], Any]
) -> None:
    body, code = BAD_BODIES[case]
    store = fresh()
    before = store.rows()

    answers = [door_of(tool, body) for door_of in DOORS]

    assert {status for status, _ in answers} == {413 if code == "PAYLOAD_TOO_LARGE" else 400}
    assert {answer["error"]["code"] for _, answer in answers} == {code}
    assert store.rows() == before
    assert http_v2(tool, json.dumps(tool.example))[0] == http_status(tool)


@pytest.mark.parametrize("field", ["project", "session_id"])
@pytest.mark.parametrize("tool", each_tool(SESSION_TOOLS))
@pytest.mark.req("R019")
def test_a_missing_name_is_refused(tool: Tool, field: str, fresh: Callable[[], Any]) -> None:
    fresh()
    arguments = {name: value for name, value in tool.example.items() if name != field}

    status, answer = http_v2(tool, json.dumps(arguments))

    assert status == 400
    assert answer["error"]["details"] == {"fields": {field: "is required"}}


@pytest.mark.parametrize("tool", each_tool(SESSION_TOOLS))
def test_every_wrong_field_is_named_at_once(tool: Tool, fresh: Callable[[], Any]) -> None:
    fresh()

    _, answer = http_v2(tool, json.dumps({**tool.example, "project": "a b", "session_id": "", "extra": 1}))

    assert set(answer["error"]["details"]["fields"]) == {"project", "session_id", "extra"}


@pytest.mark.parametrize("body", ["[]", "null", '"text"', "7"])
@pytest.mark.parametrize("tool", each_tool())
def test_a_body_that_is_no_object_is_refused(tool: Tool, body: str, fresh: Callable[[], Any]) -> None:
    fresh()

    for door_of in (http_v2, http_v1, http_base64):
        status, answer = door_of(tool, body)
        assert status == 400
        assert answer["error"]["details"] == {"fields": {"arguments": "must be a JSON object"}}


@pytest.mark.parametrize("extra", [{"body": "//", "isBase64Encoded": True}, {"body": "/w==", "isBase64Encoded": True}])
@pytest.mark.parametrize("tool", each_tool())
def test_bytes_that_are_no_text_are_refused(tool: Tool, extra: dict[str, Any], fresh: Callable[[], Any]) -> None:
    fresh()

    status, answer = _answered(tool.handler(_event("http", tool) | extra, None))

    assert status == 400
    assert set(answer["error"]["details"]["fields"]) == {"body"}
