"""A key bound to one project and one user: its calls name neither, at every door, and can name no other."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from cairn.access.api_keys import Grant, project_pattern
from cairn.access.callers import Caller
from cairn.edge.callers import NAME_HEADERS
from cairn.ground.ids import Tenant, UserId
from cairn.services import Services
from cairn.tool.call import Call
from cairn_mcp import door
from cairn_mcp.profiles import AGENT
from cairn_mcp.toolbox import CatalogTools
from cairn_tools.catalog import CATALOG
from support.access import EventOf, bearer, through
from support.bound import ACME, TOOLS, House

pytestmark = pytest.mark.req("R284")

Ask = Callable[..., Any]
SESSION = {"session_id": "monday"}
TOLD = {**SESSION, "turn_id": "1", "input_items": "I live in Oslo.", "output_items": "Noted."}
NEXT = {**SESSION, "current_input": "Where do I live?"}
OTHERS = [("project", "orchard"), ("project", "garden/x"), ("project", "gar den"), ("user_id", "bob")]


@pytest.fixture
def house(services: Services, event_of: EventOf) -> House:
    return House(services, event_of)


def bound_key(house: House, project: str = "garden") -> str:
    return house.key(UserId("ada"), projects=(project_pattern(project),))


def over_agent(house: House, key: str, name: str, arguments: Mapping[str, Any], headers: Mapping[str, str]) -> Any:
    """Call at /mcp/agent."""
    params = {"name": name, "arguments": dict(arguments)}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    event = house.event_of("/mcp/agent", body, headers=headers)
    return json.loads(door.handler(through(bearer(key), event), None)["body"])["result"]["structuredContent"]


@pytest.fixture(params=["over_http", "over_mcp", "over_agent", "in_a_pipe"])
def ask(request: pytest.FixtureRequest, house: House) -> Ask:
    """Return a function that calls a tool at one of the doors, with names in headers."""
    way: str = request.param

    def asked(key: str, name: str, arguments: Mapping[str, Any], **named: str) -> Any:
        headers = {NAME_HEADERS[field]: value for field, value in named.items()}
        if way == "over_agent":
            return over_agent(house, key, name, arguments, headers)
        return getattr(house, way)(key, name, arguments, headers)

    return asked


def code(answer: Any) -> str | None:
    return answer.get("error", {}).get("code")


@pytest.mark.parametrize("project", ["garden", "owner/repo.name"])
def test_an_agent_that_names_no_project_and_no_user_is_served(project: str, house: House, ask: Ask) -> None:
    key = bound_key(house, project)

    assert ask(key, "memory_after_turn", TOLD)["facts_written"] == 1
    assert "Oslo" in json.dumps(ask(key, "memory_before_turn", NEXT)["input_items"])
    kept = ask(key, "remember", {**SESSION, "content": "Beans are sown in May.", "scope": "user"})
    assert "Beans are sown in May." in json.dumps(ask(key, "recall", {**SESSION, "query": "When are beans sown?"}))
    assert ask(key, "forget", {**SESSION, "memory_id": kept["memory_id"]})["forgotten"]
    place = {**SESSION, "project": project, "user_id": "ada", "query": "Where do I live?"}
    assert "home: Oslo" in json.dumps(ask(house.key(), "recall", place)), "it is kept under the names of the key"


@pytest.mark.parametrize(("field", "other"), OTHERS)
def test_what_is_bound_cannot_be_overridden(field: str, other: str, house: House, ask: Ask) -> None:
    key = bound_key(house)
    assert ask(key, "memory_after_turn", TOLD)["ok"]

    for name, given in (("memory_before_turn", NEXT), ("recall", {**SESSION, "query": "Oslo"})):
        in_argument, in_header = ask(key, name, {**given, field: other}), ask(key, name, given, **{field: other})
        wanted = {"INVALID_ARGUMENT", "PERMISSION_DENIED"} if " " in other else {"PERMISSION_DENIED"}
        assert {code(in_argument), code(in_header)} <= wanted
        assert "Oslo" not in json.dumps([in_argument, in_header])


def test_a_header_that_names_another_project_is_refused_beside_the_right_argument_and_without_any(
    house: House, ask: Ask
) -> None:
    key = bound_key(house)

    assert code(ask(key, "recall", {**SESSION, "project": "garden"}, project="orchard")) == "PERMISSION_DENIED"
    assert "error" not in ask(key, "recall", {**SESSION, "project": "garden"}, project="garden")


def test_a_tool_that_takes_no_project_is_not_called_in_another_s_name(house: House) -> None:
    key, cost = bound_key(house), TOOLS["estimate_storage_cost"].example

    assert house.denied(key, "estimate_storage_cost", cost, project="orchard")
    assert "error" not in house.ask(key, "estimate_storage_cost", cost, project="garden")
    assert "error" not in house.ask(house.key(), "estimate_storage_cost", cost, project="orchard")


def test_the_lean_profile_lists_neither_of_a_bound_key_and_both_of_any_other(house: House) -> None:
    def listed(key: str) -> dict[str, dict[str, Any]]:
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        event = through(bearer(key), house.event_of("/mcp/agent", body))
        tools = json.loads(door.handler(event, None)["body"])["result"]["tools"]
        return {tool["name"]: tool["inputSchema"] for tool in tools}

    bound, free = listed(bound_key(house)), listed(house.key())
    assert set(bound) == set(free) == set(AGENT.arguments or ())
    for name, schema in bound.items():
        hidden = {"project", "user_id"}
        assert set(schema["properties"]) == set(free[name]["properties"]) - hidden
        assert set(schema["required"]) == set(free[name]["required"]) - hidden
        assert hidden <= set(free[name]["properties"])
        assert "project" in free[name]["required"]


def test_a_key_of_several_projects_says_of_which_a_call_is(house: House, ask: Ask) -> None:
    key = house.services.credentials.create(ACME, Grant((project_pattern("a/b"), project_pattern("c")))).text

    refused = ask(key, "memory_after_turn", TOLD)
    assert code(refused) == "INVALID_ARGUMENT"
    assert ask(key, "memory_after_turn", {**TOLD, "project": "a/b"})["ok"]
    assert ask(key, "memory_after_turn", TOLD, project="c")["replayed"] is False
    assert code(ask(key, "memory_after_turn", TOLD, project="a")) == "PERMISSION_DENIED"


@pytest.mark.req("R237")
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, ("project as an argument", "X-Cairn-Project", "a key that is bound", "session as", "X-Cairn-Session")),
        (SESSION, ("project as an argument", "X-Cairn-Project", "a key that is bound")),
        ({"project": "garden"}, ("session as an argument", "X-Cairn-Session", "no other has")),
    ],
)
def test_who_leaves_a_name_out_is_told_where_to_put_it(
    given: dict[str, str], said: tuple[str, ...], house: House, ask: Ask
) -> None:
    refused = ask(house.key(), "memory_before_turn", {**given, "current_input": "Hi"})["error"]

    assert all(part in refused["message"] for part in said), refused["message"]
    assert ("X-Cairn-Session" in refused["message"]) == ("session_id" not in given)
    assert ("X-Cairn-Project" in refused["message"]) == ("project" not in given)
    missing = {"project", "session_id"} - given.keys()
    assert refused["details"]["fields"] == dict.fromkeys(missing, "is required")


def test_a_key_of_several_users_is_told_how_to_name_one(house: House, ask: Ask) -> None:
    both = house.key(UserId("ada"), UserId("bob"), projects=(project_pattern("garden"),))

    assert "X-Cairn-User" in ask(both, "memory_after_turn", TOLD)["error"]["message"]


def test_names_that_a_process_is_started_with_are_those_of_calls_that_name_none(services: Services) -> None:
    whoever = Caller(Tenant("local"), frozenset({"read", "write"}), "stdio", (project_pattern("*"),))
    call = Call(whoever, services, names={"project": "default", "user_id": "ada"})

    TOOLS["memory_after_turn"].execute(TOLD, call)
    assert "Oslo" in json.dumps(TOOLS["memory_before_turn"].execute(NEXT, call)["input_items"])
    elsewhere = TOOLS["memory_before_turn"].execute({**NEXT, "project": "a/b", "user_id": "bob"}, call)
    assert "Oslo" not in json.dumps(elsewhere["input_items"])
    required = {tool["name"]: tool["inputSchema"]["required"] for tool in CatalogTools(CATALOG, call, AGENT).listing()}
    assert required["memory_before_turn"] == ["session_id", "current_input"]
