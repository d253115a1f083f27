"""What is wrong is corrected, pinned and restored at every door, by whoever may: their own, in their own projects."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from cairn.access.api_keys import Grant, project_pattern
from cairn.services import Services
from cairn_tools.catalog import CATALOG
from support.access import EventOf, bearer, through
from support.bound import ACME, ALICE, BOB, TOOLS, House, turn

HERS = {"project": "garden", "user_id": "alice"}
ASKED = {"project": "garden", "session_id": "new", "user_id": "alice", "current_input": "Where do I live?"}
PUTTING_RIGHT = ("memory_correct", "memory_restore", "memory_pin")
Tell = Callable[[House, str, str, dict[str, Any]], Any]
ARGUMENTS: dict[str, dict[str, Any]] = {"memory_correct": {"content": "Bergen"}, "memory_restore": {}, "memory_pin": {}}


@pytest.fixture
def house(services: Services, event_of: EventOf) -> House:
    """Return a deployment in which Alice said where she lives."""
    house = House(services, event_of)
    assert house.ask(house.key(ALICE), "memory_after_turn", turn("t1", "I live in Oslo. I like figs."))["ok"]
    return house


def by_http(house: House, key: str, tool: str, arguments: dict[str, Any]) -> Any:
    return house.over_http(key, tool, arguments, {})


def by_route(house: House, key: str, tool: str, arguments: dict[str, Any]) -> Any:
    return house.over_route(key, tool, arguments, {})


def by_mcp(house: House, key: str, tool: str, arguments: dict[str, Any]) -> Any:
    return house.over_mcp(key, tool, arguments, {})


doors = pytest.mark.parametrize("tell", [by_http, by_route, by_mcp])


def facts(house: House) -> dict[str, Any]:
    known = house.ask(house.key(), "memory_list_known", HERS)
    return {fact["value"]: fact for fact in known["facts"]}


def told(house: House) -> tuple[list[str], str]:
    """Return what is recalled of where alice lives, and what a context says of it."""
    asked = {**HERS, "query": "Where do I live?", "type": "fact"}
    recalled = [each["content"] for each in house.ask(house.key(), "recall", asked)["memories"]]
    return recalled, json.dumps(house.ask(house.key(), "memory_before_turn", ASKED))


@doors
def test_a_fact_is_corrected_pinned_and_restored(tell: Tell, house: House) -> None:
    key, old = house.key(ALICE), facts(house)["Oslo"]["id"]
    recalled, context = told(house)
    assert (recalled, "I live in Oslo" in context) == (["home: Oslo"], True)

    corrected = tell(house, key, "memory_correct", {**HERS, "memory_id": old, "content": "Bergen"})

    new = facts(house)["Bergen"]
    assert corrected == {"memory_id": new["id"], "replaced": old, "message": "Corrected."}
    assert (new["quote"], new["turn_id"], new["pinned"]) == ("Bergen", "", False)
    recalled, context = told(house)
    assert (recalled, "Oslo" in context, "home: Bergen" in context) == (["home: Bergen"], False, True)

    pinned = tell(house, key, "memory_pin", {**HERS, "memory_id": new["id"], "pinned": True})
    assert pinned == {
        "memory_id": facts(house)["Bergen"]["id"],
        "replaced": new["id"],
        "pinned": True,
        "message": "Pinned.",
    }
    assert facts(house)["Bergen"]["pinned"]

    restored = tell(house, key, "memory_restore", {**HERS, "memory_id": old})
    again = facts(house)["Oslo"]
    assert restored == {
        "memory_id": again["id"],
        "restored": old,
        "ended": pinned["memory_id"],
        "was_believed": False,
        "message": "Restored.",
    }
    assert (again["pinned"], set(facts(house))) == (True, {"Oslo", "figs"})
    assert told(house)[0] == ["home: Oslo"]


@doors
def test_what_changes_nothing_says_so(tell: Tell, house: House) -> None:
    key, known = house.key(ALICE), facts(house)
    about = {**HERS, "memory_id": known["Oslo"]["id"]}

    corrected = tell(house, key, "memory_correct", {**about, "content": "Oslo"})
    restored = tell(house, key, "memory_restore", about)
    pinned = tell(house, key, "memory_pin", {**about, "pinned": False})

    assert (corrected["replaced"], "nothing was changed" in corrected["message"]) == (None, True)
    assert (restored["was_believed"], "nothing was changed" in restored["message"]) == (True, True)
    assert (pinned["replaced"], pinned["pinned"], "nothing was changed" in pinned["message"]) == (None, False, True)
    assert facts(house) == known


@doors
@pytest.mark.parametrize("content", ["", "  ", "x" * 513, "x" * 2001])
def test_what_holds_instead_is_refused_by_its_field_where_it_is_empty_or_too_long(
    content: str, tell: Tell, house: House
) -> None:
    known = facts(house)

    refused = tell(
        house, house.key(ALICE), "memory_correct", {**HERS, "memory_id": known["Oslo"]["id"], "content": content}
    )

    assert list(refused["error"]["details"]["fields"]) == ["content"]
    assert facts(house) == known


@pytest.mark.parametrize("body", ['{"content": "Bergen"}', "7", "null", "", '"Bergen'])
def test_a_body_that_is_no_json_string_is_refused(body: str, house: House, event_of: EventOf) -> None:
    tool, known = TOOLS["memory_correct"], facts(house)
    event = through(bearer(house.key(ALICE)), event_of("/", {}))
    route = {"method": "POST", "path": "/v1/known/{memory_id}/correct"}
    event |= {"rawQueryString": "project=garden&user=alice", "pathParameters": {"memory_id": known["Oslo"]["id"]}}
    event |= {"body": body, "rawPath": route["path"]}
    event["requestContext"] = {**event["requestContext"], "http": route}

    refused = json.loads(tool.handler(event, None)["body"])["error"]

    assert refused["code"] == "INVALID_ARGUMENT"
    assert facts(house) == known


@pytest.mark.parametrize("tool", PUTTING_RIGHT)
def test_nobody_else_puts_right_what_is_alice_s(tool: str, house: House) -> None:
    known = facts(house)
    arguments = {**HERS, **ARGUMENTS[tool], "memory_id": known["Oslo"]["id"]}
    reader = house.services.credentials.create(ACME, Grant(scopes=("read",))).text
    elsewhere = house.key(projects=(project_pattern("orchard"),))

    codes = [
        house.ask(key, tool, given)["error"]["code"]
        for key, given in (
            (house.key(BOB), arguments),
            (elsewhere, arguments),
            (reader, arguments),
            (house.key(BOB), {**arguments, "user_id": "bob"}),
            (house.key(), {**arguments, "memory_id": "u-" + "0" * 32}),
        )
    ]

    assert codes == [*["PERMISSION_DENIED"] * 3, "NOT_FOUND", "NOT_FOUND"]
    assert house.ask(house.key(), tool, {**arguments, "user_id": None})["error"]["code"] == "INVALID_ARGUMENT"
    assert facts(house) == known


def test_models_are_told_of_none_of_them_over_mcp(house: House) -> None:
    listed = {tool["name"] for tool in house.mcp(house.key(), "tools/list", {}, {})["tools"]}

    assert not listed & set(PUTTING_RIGHT)
    assert [tool.name for tool in CATALOG if tool.name in PUTTING_RIGHT] == list(PUTTING_RIGHT)


def test_a_rule_stands_by_its_type_and_another_memory_is_refused_with_what_to_do(house: House) -> None:
    key, kept = house.key(), dict[str, str]()
    for kind in ("agent_rule", "decision"):
        said = {**HERS, "content": f"This {kind} holds.", "type": kind}
        kept[kind] = house.ask(key, "remember", said)["memory_id"]

    stands = house.ask(key, "memory_pin", {**HERS, "memory_id": kept["agent_rule"]})
    refused = house.ask(key, "memory_pin", {**HERS, "memory_id": kept["decision"]})["error"]

    assert (stands["replaced"], "by its type" in stands["message"]) == (None, True)
    assert list(refused["details"]["fields"]) == ["memory_id"]
    assert "agent_rule" in refused["message"]
