"""A memory action that there is not is an error result that names it, at every door; any other name stays unknown."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest

from cairn import wiring
from cairn.ground.errors import Disabled, NotFound
from cairn.services import Services
from cairn.tool.call import MEMORY_ACTIONS, Call, execute
from cairn_mcp import door
from cairn_mcp.profiles import AGENT
from cairn_tools.catalog import CATALOG
from cairn_tools.mcp_pipe import mcp_pipe
from support.services import changed

EventOf: TypeAlias = Callable[..., dict[str, Any]]
SESSION = {"project": "garden", "session_id": "monday"}


def send(event_of: EventOf, name: str, path: str = "/mcp") -> dict[str, Any]:
    params = {"name": name, "arguments": SESSION}
    event = event_of(path, {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    return json.loads(door.handler(event, None)["body"])


@pytest.mark.req("R240")
@pytest.mark.req("R241")
@pytest.mark.parametrize("path", ["/mcp", "/mcp/agent"])
def test_over_mcp_it_is_a_result_that_names_it(path: str, services: Services, event_of: EventOf) -> None:
    assert services

    result = send(event_of, "memory_reticulate", path)["result"]

    assert result["isError"] is True
    assert result["structuredContent"]["error"]["code"] == "NOT_FOUND"
    assert result["structuredContent"]["error"]["message"] == "Memory action 'memory_reticulate' not found"


@pytest.mark.req("R241")
def test_in_a_pipe_it_is_what_its_step_failed_by(services: Services, event_of: EventOf) -> None:
    assert services
    steps = {"steps": [{"id": "only", "tool": "memory_reticulate", "arguments": SESSION}]}

    failed = json.loads(mcp_pipe.handler(event_of("/", steps), None)["body"])["failed_step"]

    assert (failed["id"], failed["error"]["code"]) == ("only", "NOT_FOUND")
    assert failed["error"]["message"] == "Memory action 'memory_reticulate' not found"


@pytest.mark.req("R240")
@pytest.mark.req("R241")
@pytest.mark.parametrize("name", sorted(MEMORY_ACTIONS))
def test_an_action_that_is_switched_off_is_a_result_that_says_it_is_not_found(
    name: str, services: Services, event_of: EventOf
) -> None:
    wiring.provide(changed(services, settings=replace(services.settings, tool_switches={name: False})))

    error = send(event_of, name)["result"]["structuredContent"]["error"]

    assert (error["code"], error["message"]) == ("DISABLED", f"Memory action '{name}' not found, or it is switched off")


@pytest.mark.parametrize(
    "name", ["no_such_tool", "rememberer", "memory_", "memory_'; drop", "memory_x\n", "memory_" + "x" * 58, ""]
)
def test_no_other_name_is_an_action_s_or_comes_back(name: str, call: Call) -> None:
    with pytest.raises(Disabled) as refused:
        execute(CATALOG, name, SESSION, call)

    assert refused.value.message == "No such tool, or it is switched off"


def test_a_tool_of_another_profile_looks_like_no_tool_at_all(services: Services, event_of: EventOf) -> None:
    assert services
    for tool in CATALOG:
        if tool not in AGENT.tools(CATALOG):
            assert send(event_of, tool.name, "/mcp/agent") == send(event_of, "no_such_tool")


def test_an_unknown_action_is_reported_like_any_call(call: Call) -> None:
    with pytest.raises(NotFound, match="Memory action 'memory_reticulate' not found"):
        execute(CATALOG, "memory_reticulate", SESSION, call)
