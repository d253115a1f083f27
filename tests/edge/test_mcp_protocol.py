"""The protocol core: what HTTP requests and the handshake eras get back, rule by rule."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn_mcp import handshake as legacy
from cairn_mcp.jsonrpc import INVALID_PARAMS
from cairn_mcp.protocol import answer
from cairn_mcp.server import Reply
from support.mcp import JSON, SERVER, Tools, code, request, result, said

NOBODY: dict[str, Any] = {"name": "", "version": ""}


def post(body: object, headers: Mapping[str, str] | None = None, method: str = "POST") -> Reply:
    return answer(SERVER, method, JSON | dict(headers or {}), ("https://app.example",), lambda: (body, Tools()))


@pytest.mark.req("R255")
@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD"])
def test_only_post_is_served(method: str) -> None:
    reply = post(None, method=method)
    assert (reply.status, reply.headers, reply.body) == (405, {"allow": "POST"}, None)


@pytest.mark.parametrize(
    "origin", ["https://evil.example", "null", "http://localhost.evil.example", "http://127.0.0.1:x"]
)
def test_a_web_page_of_a_stranger_is_refused(origin: str) -> None:
    reply = post(request("ping"), {"origin": origin})
    assert reply.status == 403


@pytest.mark.parametrize(
    "origin", ["https://app.example", "http://localhost:6274", "http://127.0.0.1", "http://[::1]:80"]
)
def test_an_allowed_web_page_and_this_machines_own_are_served(origin: str) -> None:
    assert post(request("ping"), {"origin": origin}).status == 200


@pytest.mark.parametrize("kind", ["", "text/plain", "application/jsonp", "application/x-www-form-urlencoded"])
def test_a_body_must_be_declared_as_json(kind: str) -> None:
    assert post(request("ping"), {"content-type": kind}).status == 415


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "Application/JSON"])
def test_a_content_type_may_have_parameters_and_any_case(kind: str) -> None:
    assert post(request("ping"), {"content-type": kind}).status == 200


@pytest.mark.parametrize(
    "body",
    [
        None,
        3,
        "ping",
        {},
        {"method": "ping", "id": 7},
        {"jsonrpc": "1.0", "id": 7, "method": "ping"},
        {"jsonrpc": "2.0", "id": 7},
        {"jsonrpc": "2.0", "id": 7, "method": 3},
        {"jsonrpc": "2.0", "id": 7, "result": {}},
        request("ping", id=None),
        request("ping", id=True),
        request("ping", id=1.5),
        request("ping", id=[]),
        request("ping", id="\ud800"),
        {"jsonrpc": "2.0", "id": 7, "method": "ping", "params": []},
    ],
)
def test_what_is_no_message_is_an_invalid_request(body: object) -> None:
    reply = post(body)
    assert (reply.status, code(reply)) == (400, -32600)


@given(st.one_of(st.none(), st.booleans(), st.floats(), st.lists(st.integers()), st.dictionaries(st.text(), st.none())))
def test_no_error_ever_has_an_id_that_mcp_does_not_allow(identifier: object) -> None:
    reply = post(request("ping", id=identifier))
    assert "id" not in said(reply)


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(st.characters(codec="utf-8")))
FIELDS = st.sampled_from(["jsonrpc", "id", "method", "params", "name", "arguments", "_meta", "protocolVersion", "x"])
VALUES = st.one_of(SCALARS, st.sampled_from(["2.0", "tools/call", "tools/list", "initialize", "echo", "2026-07-28"]))
BODIES = st.recursive(VALUES, lambda part: st.lists(part, max_size=4) | st.dictionaries(FIELDS, part), max_leaves=12)
VERSION = st.sampled_from([None, "2025-03-26", "2025-11-25", "2026-07-28", "x"])


@given(BODIES, VERSION)
def test_whatever_json_comes_it_is_answered_or_accepted(body: object, version: str | None) -> None:
    reply = post(body, {} if version is None else {"mcp-protocol-version": version})
    assert reply.status in {200, 202, 400, 404}
    assert (reply.body is None) == (reply.status == 202)


def test_an_error_to_a_request_with_an_id_carries_it() -> None:
    reply = post({"jsonrpc": "2.0", "id": "seven", "method": 3})
    assert said(reply)["id"] == "seven"


@pytest.mark.req("R255")
@pytest.mark.parametrize(
    "headers", [{}, {"mcp-protocol-version": "2025-06-18"}, {"mcp-protocol-version": "2026-07-28"}]
)
def test_a_notification_is_accepted_with_an_empty_answer(headers: dict[str, str]) -> None:
    reply = post({"jsonrpc": "2.0", "method": "notifications/initialized"}, headers)
    assert (reply.status, reply.body, reply.headers) == (202, None, {})


@pytest.mark.req("R255")
@pytest.mark.parametrize("version", legacy.VERSIONS)
def test_a_handshake_gets_the_version_it_asks_for(version: str) -> None:
    reply = post(request("initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": NOBODY}))
    assert reply.status == 200
    assert result(reply) == {
        "protocolVersion": version,
        "capabilities": {"tools": {"listChanged": False}},
        "serverInfo": {"name": "memory", "title": "Memory", "version": "1.2.3"},
        "instructions": "Remember.",
    }
    assert "mcp-session-id" not in reply.headers


@pytest.mark.parametrize("version", ["2026-07-28", "2027-01-01", "1999-01-01", ""])
def test_a_handshake_for_any_other_version_gets_the_newest_that_has_handshakes(version: str) -> None:
    assert result(post(request("initialize", {"protocolVersion": version})))["protocolVersion"] == "2025-11-25"


def test_a_handshake_without_a_version_is_refused() -> None:
    reply = post(request("initialize"))
    assert (reply.status, code(reply)) == (200, INVALID_PARAMS)


@pytest.mark.req("R255")
def test_a_session_id_of_the_client_is_ignored() -> None:
    assert result(post(request("ping"), {"mcp-session-id": "unknown"})) == {}


@pytest.mark.req("R255")
@pytest.mark.parametrize("version", [None, *legacy.VERSIONS])
def test_tools_are_listed_and_called_without_a_handshake(version: str | None) -> None:
    headers = {} if version is None else {"mcp-protocol-version": version}
    assert [tool["name"] for tool in result(post(request("tools/list"), headers))["tools"]] == ["echo", "märchen"]
    called = result(post(request("tools/call", {"name": "echo", "arguments": {"a": 1}}), headers))
    assert called == {"content": [], "structuredContent": {"a": 1}, "isError": False}


@pytest.mark.parametrize("method", ["server/discover", "resources/list", "tools/delete", "", "initialize "])
def test_an_unknown_method_of_the_handshake_eras_is_an_error_under_http_200(method: str) -> None:
    reply = post(request(method))
    assert (reply.status, code(reply)) == (200, -32601)


BAD_CALLS: list[dict[str, Any]] = [
    {"name": "nothing"},
    {"name": 3},
    {"arguments": {}},
    {"name": "echo", "arguments": []},
    {"name": "echo", "arguments": "{}"},
]


@pytest.mark.parametrize("params", BAD_CALLS)
def test_a_call_of_no_tool_is_an_error_of_the_protocol(params: dict[str, Any]) -> None:
    reply = post(request("tools/call", params))
    assert (reply.status, code(reply)) == (200, INVALID_PARAMS)


def test_no_cursor_was_ever_given_out() -> None:
    assert code(post(request("tools/list", {"cursor": "x"}))) == INVALID_PARAMS


@pytest.mark.parametrize("headers", [{}, {"mcp-protocol-version": "2025-03-26"}])
def test_a_batch_is_answered_in_order_where_its_revision_has_batches(headers: dict[str, str]) -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    reply = post([request("ping", id=1), note, 3, request("nothing", id=2), request("initialize", id=3)], headers)
    assert reply.status == 200
    assert said(reply)[0] == {"jsonrpc": "2.0", "id": 1, "result": {}}
    errors: list[dict[str, Any]] = said(reply)[1:]
    assert [(each.get("id"), each["error"]["code"]) for each in errors] == [(None, -32600), (2, -32601), (3, -32600)]


def test_a_batch_of_notifications_is_accepted() -> None:
    assert post([{"jsonrpc": "2.0", "method": "notifications/initialized"}]) == Reply(202)


@pytest.mark.parametrize("size", [0, legacy.MAX_BATCH + 1])
def test_an_empty_batch_and_an_endless_one_are_refused(size: int) -> None:
    reply = post([request("ping")] * size)
    assert (reply.status, code(reply)) == (400, -32600)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-06-18", "2025-11-25", "2026-07-28"])
def test_other_revisions_have_no_batches(version: str) -> None:
    reply = post([request("ping")], {"mcp-protocol-version": version})
    assert (reply.status, code(reply)) == (400, -32600)
