"""The Lambda of POST /mcp: gateway events in and out, the catalog, the caller, and what goes wrong."""

from __future__ import annotations

import base64
import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, cast

import pytest
from jsonschema import Draft202012Validator

import cairn
from cairn import wiring
from cairn.ground.errors import SettingsError
from cairn.services import Services
from cairn_mcp import door
from cairn_tools.catalog import CATALOG
from support.routes import LISTED
from support.services import changed
from support.tool import FOR_AGENTS, check_example, outcome

EventOf = Callable[..., dict[str, Any]]
TURN: dict[str, Any] = {
    "project": "garden",
    "session_id": "monday",
    "turn_id": "1",
    "input_items": [],
    "output_items": [],
}


@pytest.fixture
def send(event_of: EventOf, services: Services) -> Callable[..., dict[str, Any]]:
    """Return a function that posts a JSON-RPC request to the door and returns the gateway's response, body parsed."""
    del services

    def post(method: str, params: object = None, **more: Any) -> dict[str, Any]:
        body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        return answered(event_of("/mcp", body, **more))

    return post


def answered(event: dict[str, Any]) -> dict[str, Any]:
    response = door.handler(event, None)
    return response | {"body": json.loads(response["body"]) if response["body"] else None}


def called(send: Callable[..., dict[str, Any]], name: str, arguments: object, **more: Any) -> dict[str, Any]:
    return send("tools/call", {"name": name, "arguments": arguments}, **more)["body"]["result"]


def schemas(schema: Any) -> Iterator[dict[str, Any]]:
    """Yield every schema inside a schema."""
    if isinstance(schema, dict):
        yield cast("dict[str, Any]", schema)
        schema = list(cast("dict[str, Any]", schema).values())
    if isinstance(schema, list):
        for part in cast("list[Any]", schema):
            yield from schemas(part)


@pytest.mark.req("R003")
def test_the_enabled_tools_are_listed_in_the_catalogs_order_with_schemas_and_hints(
    send: Callable[..., dict[str, Any]],
) -> None:
    listed = send("tools/list")["body"]["result"]["tools"]
    assert [tool["name"] for tool in listed] == [tool.name for tool in LISTED]
    for tool, declared in zip(listed, LISTED, strict=True):
        assert tool["description"] == declared.summary
        hints = {"readOnlyHint": False, "destructiveHint": True, "idempotentHint": False} | tool["annotations"]
        told = (hints["readOnlyHint"], hints["openWorldHint"])
        assert told == (declared.read_only, False)
        if not declared.read_only:
            assert (hints["destructiveHint"], hints["idempotentHint"]) == (declared.destructive, declared.idempotent)
        schema = tool["inputSchema"]
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"
        assert all("items" in part for part in schemas(schema) if part.get("type") == "array")
    assert send("tools/list")["body"]["result"]["tools"] == listed


@pytest.mark.req("R002")
def test_without_the_switch_no_tool_of_memory_is_listed_and_none_can_be_called(
    send: Callable[..., dict[str, Any]], services: Services
) -> None:
    wiring.provide(changed(services, settings=replace(services.settings, memory_enabled=False)))
    listed = {tool["name"] for tool in send("tools/list")["body"]["result"]["tools"]}
    assert listed == {tool.name for tool in FOR_AGENTS if tool.family != "memory"}
    refused = send("tools/call", {"name": CATALOG[0].name, "arguments": {}})
    assert refused["body"]["error"]["code"] == -32602


@pytest.mark.req("R004")
def test_a_tool_that_is_switched_off_looks_like_one_that_never_was(
    send: Callable[..., dict[str, Any]], services: Services
) -> None:
    off, *others = [tool.name for tool in LISTED]
    switches = {**services.settings.tool_switches, off: False}
    wiring.provide(changed(services, settings=replace(services.settings, tool_switches=switches)))
    assert [tool["name"] for tool in send("tools/list")["body"]["result"]["tools"]] == others
    unknown = send("tools/call", {"name": "no_such_tool", "arguments": {}})
    assert send("tools/call", {"name": off, "arguments": {}}) == unknown
    session = {"project": "garden", "session_id": "monday"}
    assert called(send, "memory_run_maintenance", session)["isError"] is False


@pytest.mark.req("R005")
@pytest.mark.parametrize("tool", [tool for tool in FOR_AGENTS if outcome(tool) == "OK"], ids=lambda tool: tool.name)
def test_a_result_is_structured_as_declared_and_the_same_as_text(
    tool: Any, send: Callable[..., dict[str, Any]]
) -> None:
    result = called(send, tool.name, tool.example)
    check_example(tool, result["structuredContent"])
    assert result["isError"] is False
    assert [(part["type"], json.loads(part["text"])) for part in result["content"]] == [
        ("text", result["structuredContent"])
    ]


@pytest.mark.parametrize("tool", FOR_AGENTS, ids=lambda tool: tool.name)
def test_a_bad_argument_is_a_result_that_names_the_field(tool: Any, send: Callable[..., dict[str, Any]]) -> None:
    result = called(send, tool.name, tool.example | {"session_id": "../monday"})
    assert result["isError"] is True
    assert "session_id" in result["content"][0]["text"]
    assert result["structuredContent"]["type"] == "error"
    assert result["structuredContent"]["error"]["code"] == "INVALID_ARGUMENT"


def test_a_key_that_may_only_read_is_told_so(event_of: EventOf, services: Services) -> None:
    del services
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "memory_after_turn"}}
    event = event_of("/mcp", body)
    event["requestContext"]["authorizer"]["lambda"]["scopes"] = "read"
    result = answered(event)["body"]["result"]
    assert result["structuredContent"]["error"]["code"] == "PERMISSION_DENIED"


@pytest.mark.req("R007")
@pytest.mark.parametrize("authorizer", [None, {}, {"lambda": {}}, {"lambda": {"tenant": "acme"}}, {"tenant": "acme"}])
@pytest.mark.parametrize("method", ["initialize", "tools/list", "tools/call"])
def test_past_the_authorizer_nothing_is_answered(
    method: str, authorizer: Any, event_of: EventOf, services: Services, caplog: pytest.LogCaptureFixture
) -> None:
    del services
    caplog.set_level(logging.INFO, logger="cairn")
    event = event_of("/mcp", {"jsonrpc": "2.0", "id": 1, "method": method, "params": {}})
    event["headers"]["authorization"] = "Bearer key"
    event["requestContext"]["authorizer"] = authorizer
    refused = answered(event)
    problem: dict[str, Any] = {
        "code": "PERMISSION_DENIED",
        "message": "missing authorization",
        "details": {},
        "retryable": False,
    }
    assert [vars(line)["call"].status for line in caplog.records] == ["PERMISSION_DENIED"]
    assert refused["statusCode"] == 403
    assert refused["body"] == {
        "jsonrpc": "2.0",
        "error": {"code": -32600, "message": "missing authorization", "data": {"type": "error", "error": problem}},
    }


@pytest.mark.req("R008")
def test_what_a_client_says_of_itself_does_not_matter(send: Callable[..., dict[str, Any]]) -> None:
    arguments = TURN | {"input_items": [{"role": "user", "content": "My name is Ada."}]}
    called(send, "memory_after_turn", arguments, tenant="acme")
    spoof = {"x-tenant": "acme", "authorization": "Bearer acme"}
    path = {"project": "garden", "session_id": "monday", "current_input": "hello"}
    meta = {"_meta": {"tenant": "acme"}, "clientInfo": {"name": "acme", "version": "1"}}
    params = {"name": "memory_before_turn", "arguments": path, **meta}
    other = send("tools/call", params, tenant="other", headers=spoof)["body"]["result"]
    own = send("tools/call", params, tenant="acme")["body"]["result"]
    assert (other["isError"], own["isError"]) == (False, False)
    assert "Ada" not in json.dumps(other)
    assert "Ada" in json.dumps(own)


@pytest.mark.req("R255")
def test_a_handshake_tells_the_version_and_how_to_remember(send: Callable[..., dict[str, Any]]) -> None:
    result = send("initialize", {"protocolVersion": "2025-11-25"})["body"]["result"]
    assert result["serverInfo"] == {"name": "cairn", "title": "Cairn memory", "version": cairn.__version__}
    for tool in ("memory_before_turn", "memory_after_turn"):
        assert tool in result["instructions"]


@pytest.mark.req("R255")
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_only_post_is_served(method: str, event_of: EventOf, services: Services) -> None:
    del services
    event = event_of("/mcp", "")
    event["requestContext"]["http"]["method"] = method
    refused = answered(event)
    assert (refused["statusCode"], refused["headers"], refused["body"]) == (405, {"allow": "POST"}, None)


def test_a_notification_gets_an_empty_answer(event_of: EventOf, services: Services) -> None:
    del services
    response = door.handler(event_of("/mcp", {"jsonrpc": "2.0", "method": "notifications/initialized"}), None)
    assert (response["statusCode"], response["body"]) == (202, "")
    assert "content-type" not in response["headers"]


def test_only_allowed_origins_are_served(send: Callable[..., dict[str, Any]], services: Services) -> None:
    origin = {"origin": "https://app.example"}
    assert send("ping", headers=origin)["statusCode"] == 403
    wiring.provide(changed(services, settings=replace(services.settings, allowed_origins=("https://app.example",))))
    assert send("ping", headers=origin)["statusCode"] == 200


def test_an_event_of_payload_1_and_a_base64_body_are_read(event_of: EventOf, services: Services) -> None:
    del services
    event = event_of("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"})
    expected = answered(event)
    encoded = base64.b64encode(event["body"].encode()).decode()
    assert answered(event | {"body": encoded, "isBase64Encoded": True}) == expected
    first = {
        "httpMethod": "POST",
        "path": "/mcp",
        "headers": {"Content-Type": "application/json"},
        "requestContext": {"requestId": "1", "authorizer": {"tenant": "acme", "scopes": "read", "projects": "*"}},
        "body": event["body"],
    }
    assert answered(first) == expected


BAD_BODIES = {
    "truncated": ('{"jsonrpc": "2.0", "id": 1, "meth', 400, -32700),
    "empty": ("", 400, -32700),
    "nested deeply": ("[" * 50_000 + "]" * 50_000, 400, -32700),
    "10 MB": ('"' + "x" * 10_000_000 + '"', 413, -32600),
    "NaN": ('{"jsonrpc": "2.0", "id": NaN, "method": "ping"}', 400, -32700),
    "a name twice": ('{"jsonrpc": "2.0", "id": 1, "id": 2, "method": "ping"}', 400, -32700),
    "an id with a lone surrogate": ('{"jsonrpc": "2.0", "id": "\\ud800", "method": "ping"}', 400, -32600),
    "a method with NUL": ('{"jsonrpc": "2.0", "id": 1, "method": "ping\\u0000"}', 200, -32601),
    "a method with a lone surrogate": ('{"jsonrpc": "2.0", "id": 1, "method": "\\udfff"}', 200, -32601),
    "a tool with a lone surrogate": (
        '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "\\udfff"}}',
        200,
        -32602,
    ),
}


@pytest.mark.parametrize("case", BAD_BODIES)
def test_a_bad_body_gets_a_clear_error_and_the_door_stays_alive(
    case: str, event_of: EventOf, send: Callable[..., dict[str, Any]]
) -> None:
    body, status, code = BAD_BODIES[case]
    refused = answered(event_of("/mcp", body))
    assert (refused["statusCode"], refused["body"]["error"]["code"]) == (status, code)
    json.dumps(refused, ensure_ascii=False).encode()
    assert send("ping")["body"]["result"] == {}


@pytest.mark.parametrize("event", [{}, {"requestContext": None}, {"body": 3, "httpMethod": "POST", "path": "/mcp"}])
def test_what_is_no_gateway_event_is_refused(event: dict[str, Any]) -> None:
    refused = answered(event)
    assert refused["statusCode"] == 400
    assert refused["body"]["error"]["data"]["error"]["code"] == "INVALID_ARGUMENT"


def test_a_failure_inside_a_tool_is_a_result_without_its_content(
    send: Callable[..., dict[str, Any]], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken:
        def list(self, *_: object) -> None:
            raise LookupError("secret content")

    broken: Any = Broken()
    monkeypatch.setattr(Services, "directories", broken)
    with caplog.at_level(logging.INFO, logger="cairn"):
        result = called(send, "memory_list_dir_with_abstract", {"project": "garden", "session_id": "monday"})
    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == "INTERNAL_ERROR"
    assert "secret content" not in json.dumps(result)
    (line,) = [record for record in caplog.records if record.message == "call"]
    assert vars(line)["call"].failure == "LookupError"


def test_a_failure_outside_any_tool_is_an_internal_error(event_of: EventOf, monkeypatch: pytest.MonkeyPatch) -> None:
    def services() -> Services:
        raise SettingsError("a key of the settings")

    monkeypatch.setattr(wiring, "services", services)
    failed = answered(event_of("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}))
    assert (failed["statusCode"], failed["body"]["error"]["code"]) == (500, -32603)
    assert "a key of the settings" not in json.dumps(failed)
