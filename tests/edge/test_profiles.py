"""What tools/list shows: the profile of the path, what the credential may use, and how many tokens that costs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest

from cairn import wiring
from cairn.access import policies
from cairn.access.api_keys import Grant, project_pattern
from cairn.access.callers import Caller
from cairn.access.policy_store import StoredPolicy
from cairn.conversation.token_count import count
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Tenant, UserId
from cairn.services import Services
from cairn.tool.call import Call
from cairn.tool.tool import visible
from cairn_mcp import door
from cairn_mcp.profiles import AGENT
from cairn_tools.catalog import CATALOG
from support.access import bearer, through
from support.services import changed

EventOf: TypeAlias = Callable[..., dict[str, Any]]
OF_AGENTS = ["memory_before_turn", "memory_after_turn", "remember", "recall", "forget"]
SESSION = {"project": "garden", "session_id": "monday"}
MODERN = "2026-07-28"
_META = "io.modelcontextprotocol/"


@pytest.fixture
def send(event_of: EventOf, services: Services) -> Callable[..., dict[str, Any]]:
    """Return a function that posts a JSON-RPC request in either era and returns the gateway's response."""
    switches = {tool.name: True for tool in CATALOG}
    wiring.provide(changed(services, settings=replace(services.settings, tool_switches=switches)))

    def post(path: str, method: str, params: dict[str, Any] | None = None, *, modern: bool = False) -> dict[str, Any]:
        given, headers = dict(params or {}), dict[str, str]()
        if modern:
            given["_meta"] = {f"{_META}protocolVersion": MODERN, f"{_META}clientCapabilities": {}}
            headers = {"mcp-protocol-version": MODERN, "mcp-method": method}
            headers |= {"mcp-name": given["name"]} if "name" in given else {}
        event = event_of(path, {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}, headers=headers)
        return json.loads(door.handler(event, None)["body"])

    return post


def caller(*scopes: str, projects: tuple[str, ...] = ("*",), policy: str | None = None) -> Caller:
    patterns = tuple(project_pattern(each) for each in projects)
    return Caller(Tenant("acme"), frozenset(scopes), "request-1", patterns, policy)


def seen(services: Services, who: Caller) -> set[str]:
    return {tool.name for tool in visible(CATALOG, Call(who, services))}


@pytest.mark.parametrize(("path", "most"), [("/mcp", 4500), ("/mcp/agent", 1300), ("/mcp/hooks", 1000)])
def test_a_list_of_tools_costs_no_more_tokens_than_promised(path: str, most: int, send: Callable[..., Any]) -> None:
    assert most / 2 < tokens(send(path, "tools/list")["result"]["tools"]) <= most


@pytest.mark.req("R284")
@pytest.mark.parametrize(("path", "less"), [("/mcp", 1000), ("/mcp/agent", 80)])
def test_whoever_is_bound_to_a_project_and_a_user_is_sent_less(
    path: str, less: int, event_of: EventOf, send: Callable[..., Any], services: Services
) -> None:
    key = services.credentials.create(Tenant("acme"), Grant((project_pattern("garden"),), users=(UserId("ada"),))).text
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    answer = door.handler(through(bearer(key), event_of(path, body)), None)["body"]

    assert tokens(json.loads(answer)["result"]["tools"]) <= tokens(send(path, "tools/list")["result"]["tools"]) - less


def tokens(tools: object) -> int:
    return count(json.dumps(tools, ensure_ascii=False, separators=(",", ":")))


@pytest.mark.req("R003")
@pytest.mark.parametrize("path", ["/mcp", "/mcp/agent"])
def test_every_field_is_described_where_it_comes_first_and_again_only_in_other_words(
    path: str, send: Callable[..., Any]
) -> None:
    whole, told = {tool.name: tool.input_schema()["properties"] for tool in CATALOG}, set[tuple[str, str]]()
    for tool in send(path, "tools/list")["result"]["tools"]:
        for name, field in tool["inputSchema"]["properties"].items():
            said = (name, whole[tool["name"]][name]["description"])
            assert field.get("description") == (None if said in told else said[1]), (tool["name"], name)
            told.add(said)


@pytest.mark.req("R003")
@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/mcp", [tool.name for tool in CATALOG if not tool.for_people]),
        ("/mcp/agent", OF_AGENTS),
        ("/mcp/agent/", OF_AGENTS),
    ],
)
def test_a_path_lists_the_tools_of_its_profile_in_both_eras(
    path: str, names: list[str], *, modern: bool, send: Callable[..., Any]
) -> None:
    listed = send(path, "tools/list", modern=modern)["result"]["tools"]
    assert [tool["name"] for tool in listed] == names


@pytest.mark.parametrize("path", ["/mcp", "/mcp/agent"])
def test_either_path_speaks_the_same_protocol(path: str, send: Callable[..., Any]) -> None:
    initialized = send(path, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}})["result"]
    assert (initialized["protocolVersion"], initialized["serverInfo"]["name"]) == ("2025-06-18", "cairn")
    assert MODERN in send(path, "server/discover", modern=True)["result"]["supportedVersions"]
    assert send(path, "ping")["result"] == {}
    assert send(path, "no/such", modern=True)["error"]["code"] == -32601
    for modern in (False, True):
        call = {"name": "recall", "arguments": {**SESSION, "min_confidence": 0.1}}
        assert send(path, "tools/call", call, modern=modern)["result"]["structuredContent"]["count"] == 0


def test_outside_its_profile_a_tool_looks_like_one_that_never_was(send: Callable[..., Any]) -> None:
    call = {"name": "memory_run_maintenance", "arguments": SESSION}
    unknown = send("/mcp", "tools/call", {"name": "no_such_tool", "arguments": SESSION})
    assert send("/mcp/agent", "tools/call", call) == unknown
    assert send("/mcp", "tools/call", call)["result"]["isError"] is False


def test_every_tool_and_argument_of_the_agents_profile_is_one_of_the_catalogs() -> None:
    inputs = {tool.name: set(tool.input_schema()["properties"]) for tool in CATALOG}
    required = {tool.name: set(tool.input_schema()["required"]) for tool in CATALOG if tool.name in OF_AGENTS}
    assert AGENT.arguments is not None
    for name, shown in AGENT.arguments.items():
        assert required[name] <= set(shown) <= inputs[name]


def test_a_key_sees_only_tools_of_its_scopes(services: Services) -> None:
    reading, writing = (seen(services, caller(scope)) for scope in ("read", "write"))
    assert {"recall", "memory_before_turn", "mcp_pipe"} <= reading
    assert {"remember", "memory_after_turn", "mcp_pipe"} <= writing
    assert reading & writing == {"mcp_pipe"}
    assert seen(services, caller()) == set()


def test_a_key_for_some_projects_does_not_see_tools_that_reach_past_them(services: Services) -> None:
    whole, part = (seen(services, caller("read", "write", projects=(each,))) for each in ("*", "garden"))
    assert {"recall", "mcp_pipe", "estimate_storage_cost"} <= part
    assert {"getMemory", "query_cascade_memories", "oc_diagnostic_pod_health"} <= whole - part


def test_a_key_does_not_see_tools_that_its_policy_forbids(services: Services) -> None:
    reader = {"tool_permissions": {"getMemory": {"operations": ["read"]}}}
    text = json.dumps({"tool_permissions": {}, "policies": {"reader": reader}})
    held = changed(services, policies=policies.of_table(lambda: StoredPolicy(text, 1), services.adapters.clock))
    governed = {"listMemory", "getMemory", "putMemory", "deleteMemory", "getContext"}
    assert seen(held, caller("read", "write", policy="reader")) & governed == {"getMemory"}
    assert seen(held, caller("read", "write")) & governed == set()


def test_a_policy_that_cannot_be_read_hides_no_tool(services: Services) -> None:
    def fails() -> StoredPolicy:
        raise Unavailable("The store does not answer")

    held = changed(services, policies=policies.of_table(fails, services.adapters.clock))
    assert {"getMemory", "putMemory"} <= seen(held, caller("read", "write"))
