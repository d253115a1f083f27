"""Names that a request gives in headers stand in for arguments that are left out, at every door alike."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from cairn.edge.callers import NAME_HEADERS
from cairn.edge.validation import Rules, validate
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, Tenant
from cairn.ground.settings import Limits
from cairn.log.layout import registry_pk
from cairn.services import Services
from cairn.tool.tool import Tool
from cairn_mcp import door
from cairn_tools.catalog import CATALOG
from support.tool import FOR_AGENTS
from support.turns import cold, partition

EventOf = Callable[..., dict[str, Any]]
AFTER = next(tool for tool in CATALOG if tool.name == "memory_after_turn")
NAMED = {"x-cairn-project": "garden", "x-cairn-session": "monday", "x-cairn-user": "ada"}
TURN: dict[str, Any] = {"turn_id": "turn-1", "input_items": [], "output_items": []}


def over_http(event_of: EventOf, arguments: object, headers: dict[str, str]) -> dict[str, Any]:
    return json.loads(AFTER.handler(event_of("/", arguments, headers=headers), None)["body"])


def over_mcp(event_of: EventOf, arguments: object, headers: dict[str, str]) -> dict[str, Any]:
    params = {"name": AFTER.name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    answered = json.loads(door.handler(event_of("/mcp", message, headers=headers), None)["body"])
    return answered["result"]["structuredContent"]


@pytest.mark.parametrize("door_of", [over_http, over_mcp])
def test_names_in_headers_stand_in_for_arguments_that_are_left_out(
    door_of: Callable[..., dict[str, Any]], event_of: EventOf, services: Services, adapters: Adapters
) -> None:
    del services

    assert door_of(event_of, TURN, NAMED)["ok"]

    assert stored_logs(adapters) == ["log#u:ada"]


@pytest.mark.parametrize("door_of", [over_http, over_mcp])
def test_an_argument_wins_over_a_header(
    door_of: Callable[..., dict[str, Any]], event_of: EventOf, services: Services, adapters: Adapters
) -> None:
    del services

    assert door_of(event_of, {**TURN, "user_id": "bob"}, NAMED)["ok"]

    assert stored_logs(adapters) == ["log#u:bob"]


@pytest.mark.req("R237")
@pytest.mark.parametrize("door_of", [over_http, over_mcp])
def test_without_a_session_from_either_the_call_is_an_error_that_says_so(
    door_of: Callable[..., dict[str, Any]], event_of: EventOf, services: Services
) -> None:
    del services

    refused = door_of(event_of, TURN, {"x-cairn-project": "garden", "x-cairn-session": "  "})

    assert refused["error"]["code"] == "INVALID_ARGUMENT"
    assert refused["error"]["details"]["fields"] == {"session_id": "is required"}


@pytest.mark.parametrize("door_of", [over_http, over_mcp])
def test_a_name_from_a_header_is_held_to_the_same_rules(
    door_of: Callable[..., dict[str, Any]], event_of: EventOf, services: Services
) -> None:
    del services

    refused = door_of(event_of, TURN, {**NAMED, "x-cairn-session": "a/b"})

    assert list(refused["error"]["details"]["fields"]) == ["session_id"]


@pytest.mark.parametrize("door_of", [over_http, over_mcp])
def test_a_header_opens_no_project_that_the_key_does_not(
    door_of: Callable[..., dict[str, Any]], event_of: EventOf, services: Services
) -> None:
    del services

    def elsewhere(*given: Any, **more: Any) -> dict[str, Any]:
        return event_of(*given, **more, projects="kitchen")

    assert door_of(elsewhere, TURN, NAMED)["error"]["code"] == "PERMISSION_DENIED"


@pytest.mark.parametrize("tool", [pytest.param(tool, id=tool.name) for tool in FOR_AGENTS])
def test_every_tool_takes_each_of_its_names_from_the_request(tool: Tool) -> None:
    fields = set(tool.input.model_fields) & set(NAME_HEADERS)
    arguments = {name: value for name, value in tool.example.items() if name not in fields}
    names = {"project": "garden", "session_id": "tuesday", "user_id": "bob"}

    request = validate(tool.input, arguments, Rules(Limits(), lenient=False, names=names))

    assert {name: getattr(request, name) for name in fields} == {name: names[name] for name in fields}


def test_a_tool_is_listed_without_asking_for_what_the_request_names(event_of: EventOf, services: Services) -> None:
    del services
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}

    def required(headers: dict[str, str]) -> list[str]:
        listed = json.loads(door.handler(event_of("/mcp", message, headers=headers), None)["body"])
        return listed["result"]["tools"][0]["inputSchema"]["required"]

    assert required({}) == ["project", "session_id", "current_input"]
    assert required({"x-cairn-session": "monday"}) == ["project", "current_input"]


def stored_logs(adapters: Adapters) -> list[str]:
    return [str(item["sk"]) for item in partition(cold(adapters), registry_pk(Tenant("acme"), Project("garden")))]
