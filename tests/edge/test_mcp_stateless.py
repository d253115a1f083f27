"""The protocol core: what a stateless request (2026-07-28) gets back, rule by rule."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn_mcp import stateless as modern
from cairn_mcp.jsonrpc import INVALID_PARAMS
from cairn_mcp.protocol import answer
from cairn_mcp.server import Reply, ToolCall
from support.mcp import JSON, SERVER, Tools, code, request, result, said

META: dict[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def post(body: object, headers: Mapping[str, str] | None = None) -> Reply:
    return answer(SERVER, "POST", JSON | dict(headers or {}), (), lambda: (body, Tools()))


def stateless(method: str, params: Mapping[str, Any] | None = None, **headers: str | None) -> Reply:
    """Send a stateless request as it should be, but for the headers named; None leaves one out."""
    body = request(method, {"_meta": META, **(params or {})})
    sent: dict[str, str | None] = {"mcp-protocol-version": "2026-07-28", "mcp-method": method}
    if "name" in body["params"]:
        sent["mcp-name"] = str(body["params"]["name"])
    sent |= {name.replace("_", "-"): value for name, value in headers.items()}
    return post(body, {name: value for name, value in sent.items() if value is not None})


def test_discovery_names_the_stateless_versions_and_how_to_use_the_server() -> None:
    reply = stateless("server/discover")
    assert reply.status == 200
    assert result(reply) == {
        "resultType": "complete",
        "supportedVersions": ["2026-07-28"],
        "capabilities": {"tools": {"listChanged": False}},
        "instructions": "Remember.",
        "ttlMs": 300_000,
        "cacheScope": "private",
        "_meta": {"io.modelcontextprotocol/serverInfo": SERVER.info},
    }


def test_a_stateless_list_may_be_kept_by_its_caller_alone() -> None:
    listed = result(stateless("tools/list"))
    assert (listed["resultType"], listed["cacheScope"]) == ("complete", "private")
    assert listed["ttlMs"] > 0


def test_a_stateless_call_is_answered_in_the_envelope() -> None:
    called = result(stateless("tools/call", {"name": "echo", "arguments": {"a": 1}}))
    assert called["structuredContent"] == {"a": 1}
    assert called["resultType"] == "complete"
    assert called["_meta"] == {"io.modelcontextprotocol/serverInfo": SERVER.info}


@pytest.mark.parametrize("params", [{"name": "nothing"}, {}, {"name": "echo", "arguments": []}])
def test_a_stateless_call_of_no_tool_is_an_error_of_the_protocol(params: dict[str, Any]) -> None:
    reply = stateless("tools/call", params)
    assert (reply.status, code(reply)) == (400, INVALID_PARAMS)


def test_a_stateless_list_has_one_page() -> None:
    assert code(stateless("tools/list", {"cursor": "x"})) == INVALID_PARAMS


@pytest.mark.parametrize("method", ["ping", "initialize", "logging/setLevel", "resources/list", "subscriptions/listen"])
def test_an_unknown_stateless_method_is_not_found(method: str) -> None:
    reply = stateless(method)
    assert (reply.status, code(reply)) == (404, -32601)


BAD_META: list[Any] = [
    None,
    3,
    {},
    {"io.modelcontextprotocol/protocolVersion": "2026-07-28"},
    {"io.modelcontextprotocol/clientCapabilities": {}},
    META | {"io.modelcontextprotocol/clientCapabilities": []},
]


@pytest.mark.parametrize("meta", BAD_META)
def test_a_stateless_request_must_say_its_version_and_capabilities(meta: object) -> None:
    reply = stateless("tools/list", {"_meta": meta})
    assert (reply.status, code(reply)) == (400, INVALID_PARAMS)


@pytest.mark.parametrize(
    "headers",
    [
        {"mcp_protocol_version": None},
        {"mcp_protocol_version": "2025-11-25"},
        {"mcp_protocol_version": "2026-07-28, 2026-07-28"},
        {"mcp_method": None},
        {"mcp_method": "Tools/Call"},
        {"mcp_method": "=?base64?dG9vbHMvY2FsbA==?="},
        {"mcp_name": None},
        {"mcp_name": "other"},
        {"mcp_name": "=?base64?!?="},
        {"mcp_name": "=?base64?//79?="},
    ],
)
def test_headers_must_mirror_the_body(headers: dict[str, str | None]) -> None:
    reply = stateless("tools/call", {"name": "echo"}, **headers)
    assert (reply.status, code(reply)) == (400, -32020)


def test_what_is_no_text_cannot_be_mirrored() -> None:
    assert code(stateless("tools/call", {"name": 3})) == -32020
    version = META | {"io.modelcontextprotocol/protocolVersion": 20260728}
    assert code(stateless("tools/list", {"_meta": version}, mcp_protocol_version="20260728")) == -32020


def test_space_around_a_header_is_no_part_of_it() -> None:
    assert stateless("tools/call", {"name": "echo"}, mcp_name=" echo\t", mcp_method="tools/call ").status == 200
    assert code(stateless("tools/call", {"name": "echo"}, mcp_name="=?base64?IGVjaG8=?=")) == -32020


@given(st.text(st.characters(codec="utf-8")))
def test_a_header_in_base64_is_read_as_what_it_wraps(name: str) -> None:
    wrapped = f"=?base64?{base64.b64encode(name.encode()).decode()}?="
    assert modern.decode_header(wrapped) == name


def test_a_tool_of_any_name_can_be_mirrored() -> None:
    wrapped = f"=?base64?{base64.b64encode('märchen'.encode()).decode()}?="
    assert stateless("tools/call", {"name": "märchen"}, mcp_name=wrapped).status == 200


@pytest.mark.parametrize("version", ["2027-01-01", "1999-01-01", "2025-11-25"])
def test_an_unsupported_version_is_told_the_supported_ones(version: str) -> None:
    meta = META | {"io.modelcontextprotocol/protocolVersion": version}
    reply = stateless("tools/list", {"_meta": meta}, mcp_protocol_version=version)
    assert (reply.status, code(reply)) == (400, -32022)
    assert said(reply)["error"]["data"] == {"supported": ["2026-07-28"], "requested": version}


def test_a_notification_of_an_unknown_version_is_told_so() -> None:
    reply = post({"jsonrpc": "2.0", "method": "notifications/x"}, {"mcp-protocol-version": "2027-01-01"})
    assert (reply.status, code(reply)) == (400, -32022)


def test_the_body_decides_the_era_where_the_header_is_lost() -> None:
    reply = post(request("tools/list", {"_meta": META}), {"mcp-method": "tools/list"})
    assert (reply.status, code(reply)) == (400, -32020)


def test_a_result_that_asks_for_more_input_passes_untouched() -> None:
    class Asks(Tools):
        def call(self, call: ToolCall) -> Mapping[str, Any]:
            return {"resultType": "input_required", "requestState": call.params["requestState"], "_meta": {"mine": 1}}

    body = request("tools/call", {"name": "ask", "requestState": "s", "_meta": META})
    headers = JSON | {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/call", "mcp-name": "ask"}
    asked = result(answer(SERVER, "POST", headers, (), lambda: (body, Asks())))
    assert (asked["resultType"], asked["requestState"], asked["_meta"]["mine"]) == ("input_required", "s", 1)
