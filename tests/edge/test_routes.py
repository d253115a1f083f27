"""Tools with a route answer there as at their own: path and query in the place of a body, under the same checks."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from cairn.access.api_keys import Grant, project_pattern
from cairn.services import Services
from cairn.tool.tool import Tool
from support.access import EventOf, bearer, through
from support.bound import ACME, ALICE, BOB, CANARY, DIARY, TOOLS, House, turn
from support.routes import ROUTED, address, routed

pytestmark = pytest.mark.req("R295")
READING = [pytest.param(tool, id=tool.name) for tool in ROUTED if tool.read_only]
NAMES = {**DIARY, "user_id": "alice"}


@pytest.fixture
def house(services: Services, event_of: EventOf) -> House:
    return House(services, event_of)


def about_alice(tool: Tool) -> dict[str, Any]:
    """Return a tool's arguments by which it tells all that it can of alice's diary."""
    takes = tool.input_schema()["properties"]
    return {name: value for name, value in NAMES.items() if name in takes}


def answer(house: House, key: str, tool: str, arguments: Mapping[str, Any], **headers: str) -> Any:
    return house.over_route(key, tool, arguments, headers)


@pytest.mark.parametrize("tool", READING)
def test_a_route_answers_as_its_tool_does(tool: Tool, house: House) -> None:
    house.fill()
    for key in (house.key(), house.key(ALICE), house.key(BOB), house.key(projects=(project_pattern("orchard"),))):
        arguments = about_alice(tool)
        assert house.over_route(key, tool.name, arguments, {}) == house.over_http(key, tool.name, arguments, {})


@pytest.mark.parametrize("tool", READING)
def test_a_route_tells_bob_nothing_of_alice(tool: Tool, house: House) -> None:
    house.fill()
    bob, before = house.key(BOB), house.alices()
    attempts: list[tuple[dict[str, Any], dict[str, str]]] = [
        (about_alice(tool), {}),
        ({name: value for name, value in about_alice(tool).items() if name != "user_id"}, {}),
        ({}, {"x-cairn-user": "alice", "x-cairn-project": "garden", "x-cairn-session": "diary"}),
    ]
    for arguments, headers in attempts:
        in_path = {"session_id": "diary"} if tool.route and tool.route.parameters else {}
        told = json.dumps(house.over_route(bob, tool.name, {**arguments, **in_path}, headers))
        assert CANARY not in told
        assert "alice" not in told
        assert "diary" not in told.replace("/diary/", "")
    assert house.alices() == before


@pytest.mark.parametrize("tool", [pytest.param(tool, id=tool.name) for tool in ROUTED])
def test_a_key_to_other_projects_gets_nothing_at_a_route(tool: Tool, house: House) -> None:
    house.fill()
    elsewhere, before = house.key(projects=(project_pattern("orchard"),)), house.alices()

    told = house.over_route(elsewhere, tool.name, {**tool.example, **about_alice(tool)}, {})

    if "project" in tool.input_schema()["properties"]:
        assert told["error"]["code"] == "PERMISSION_DENIED"
    if tool.name == "memory_list_projects":
        assert told["projects"] == []
    assert house.alices() == before


def test_bob_cannot_take_back_what_alice_said(house: House) -> None:
    house.fill()
    arguments = {**DIARY, "turn_id": "t1"}
    before = house.alices()

    assert answer(house, house.key(BOB), "memory_take_back_turn", arguments)["error"]["code"] == "PERMISSION_DENIED"
    assert house.alices() == before
    assert answer(house, house.key(ALICE), "memory_take_back_turn", arguments)["items_removed"] == 2


def test_a_key_that_may_only_read_takes_nothing_back(house: House) -> None:
    house.fill()
    reader = house.services.credentials.create(ACME, Grant(scopes=("read",))).text

    refused = answer(house, reader, "memory_take_back_turn", {**DIARY, "turn_id": "t1"})

    assert refused["error"]["code"] == "PERMISSION_DENIED"


def test_what_is_taken_back_is_on_record_with_its_turn(house: House) -> None:
    house.fill()
    answer(house, house.key(ALICE), "memory_take_back_turn", {**DIARY, "turn_id": "t1"})

    now = house.services.adapters.clock.now()
    records = list(house.services.audit.records(ACME, now.replace(hour=0), now.replace(hour=23), 100))

    record = next(each for each in records if each.tool == "memory_take_back_turn")
    assert (record.subject.session_id, record.subject.turn_id, record.outcome) == ("diary", "t1", "admitted")


def test_names_come_from_headers_and_from_the_key_too(house: House) -> None:
    house.fill()
    bound = house.key(ALICE, projects=(project_pattern("garden"),))

    listed = answer(house, bound, "memory_list_sessions", {})["sessions"]

    assert [each["session_id"] for each in listed] == ["diary"]
    assert answer(house, house.key(), "memory_list_sessions", {}, **{"x-cairn-project": "garden"})["sessions"] == listed


def test_projects_and_users_are_those_of_the_key(house: House) -> None:
    house.fill()
    assert house.ask(house.key(), "memory_after_turn", turn("t1", "Hello.", project="orchard", user_id="bob"))["ok"]
    garden, everything = house.key(projects=(project_pattern("garden"),)), house.key()

    assert answer(house, everything, "memory_list_projects", {})["projects"] == ["garden", "orchard"]
    assert answer(house, garden, "memory_list_projects", {})["projects"] == ["garden"]
    assert answer(house, house.key(BOB), "memory_list_projects", {})["projects"] == ["orchard"]
    users = answer(house, everything, "memory_list_users", {"project": "garden"})["users"]
    assert [each["user_id"] for each in users] == ["alice"]
    assert answer(house, house.key(BOB), "memory_list_users", {"project": "garden"})["users"] == []


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("project=garden&limit=many", "limit"),
        ("project=garden&limit=0", "limit"),
        ("project=garden&project=orchard", "project"),
        ("project=garden&user=ada&user_id=ada", "user_id"),
        ("project=garden&colour=red", "colour"),
        ("project=garden&cursor=nonsense", "cursor"),
        ("project=%FF", "query"),
        ("&".join(f"a{number}=1" for number in range(33)), "query"),
        ("", "project"),
    ],
)
def test_a_query_that_is_wrong_names_its_parameter(query: str, field: str, house: House, event_of: EventOf) -> None:
    tool = TOOLS["memory_list_sessions"]
    event = routed(tool, {}, through(bearer(house.key()), event_of("/", {}))) | {"rawQueryString": query}

    refused = json.loads(tool.handler(event, None)["body"])["error"]

    assert (refused["code"], list(refused["details"]["fields"])) == ("INVALID_ARGUMENT", [field])


def test_a_gateway_of_payload_one_is_understood_too(house: House) -> None:
    house.fill()
    tool = TOOLS["memory_list_items"]
    context = {"authorizer": {"tenant": "acme", "scopes": "read", "projects": "*"}, "requestId": "request-1"}
    event = {
        "httpMethod": "GET",
        "path": "/v1/sessions/diary/items",
        "pathParameters": {"session_id": "diary"},
        "multiValueQueryStringParameters": {"project": ["garden"], "limit": ["1"]},
        "requestContext": context,
        "body": None,
    }

    items = json.loads(tool.handler(event, None)["body"])["items"]

    assert [each["item"]["role"] for each in items] == ["user", "assistant"]


def test_addresses_of_tests_are_those_that_people_write() -> None:
    given = {"project": "owner/repo", "session_id": "tue sday%", "order": "newest", "limit": 3}
    assert address(TOOLS["memory_list_items"], given) == (
        "/v1/sessions/tue%20sday%25/items?project=owner%2Frepo&order=newest&limit=3"
    )
