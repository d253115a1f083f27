"""A caller bound to a user neither reads nor writes as another: every tool, by its schema, at every door."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from cairn.access.api_keys import project_pattern
from cairn.archive.archive import Archive
from cairn.branches.fields import BranchInput
from cairn.ground.ids import UserId
from cairn.keyvalue.fields import NamespaceInput
from cairn.services import Services
from cairn.tool.tool import Tool
from support.access import EventOf
from support.bound import ACME, ALICE, BOB, CANARY, COMMIT, DIARY, QUESTION, TOOLS, House, attacks, turn
from support.tool import FOR_AGENTS

pytestmark = pytest.mark.req("R285")

CALLED = [pytest.param(tool, id=tool.name) for tool in FOR_AGENTS if tool.runs is None]
NAMING = [
    pytest.param(tool, id=tool.name)
    for tool in FOR_AGENTS
    if not tool.for_people and {"project", "user_id"} & tool.input_schema()["properties"].keys()
]

FOR_PROGRAMS = "min_trust"
"""What no model is shown, whoever's key it has."""


@pytest.fixture
def house(services: Services, event_of: EventOf) -> House:
    return House(services, event_of)


@pytest.mark.parametrize("way", ["over_http", "over_mcp", "in_a_pipe"])
@pytest.mark.parametrize("tool", CALLED)
def test_no_tool_shows_or_changes_what_is_another_user_s(tool: Tool, way: str, house: House) -> None:
    house.fill()
    bob, before = house.key(BOB), house.alices()
    for attack in attacks(tool, house.given):
        answer = getattr(house, way)(bob, tool.name, attack.arguments, attack.headers)
        about = f"{attack}: {answer}"
        assert CANARY not in json.dumps(answer), about
        if attack.is_named:
            assert answer["error"]["code"] == "PERMISSION_DENIED", about
        assert house.alices() == before, about


@pytest.mark.parametrize("tool", CALLED)
def test_the_same_attempts_show_alice_what_is_hers(tool: Tool, house: House) -> None:
    """Otherwise the attempts above would prove nothing; a namespace and a branch hold what is everyone's."""
    house.fill()
    alice, is_everyones = house.key(ALICE), issubclass(tool.input, (NamespaceInput, BranchInput))
    for attack in attacks(tool, house.given):
        answer = house.over_http(alice, tool.name, attack.arguments, attack.headers)
        is_denied = answer.get("error", {}).get("code") == "PERMISSION_DENIED"
        assert is_denied == (attack.is_wide or is_everyones), attack


def test_alice_finds_her_own_again(house: House) -> None:
    house.fill()
    alice, place = house.key(ALICE), {**DIARY, "session_id": "diary"}

    assert CANARY in json.dumps(house.ask(alice, "memory_before_turn", {**place, "current_input": QUESTION}))
    assert CANARY in json.dumps(house.ask(alice, "recall", {**place, "query": QUESTION}))
    assert len(house.ask(alice, "query_cascade_memories", {})["memories"]) == 1
    read = house.ask(alice, "retrieve_session_from_cascade", {"pointer": house.given["pointer"]})
    assert CANARY in json.dumps(read)
    assert house.ask(alice, "getContext", place)["session_id"] == "diary"


def test_a_back_end_s_key_speaks_for_everyone_as_before(house: House) -> None:
    house.fill()
    back_end = house.key()

    assert CANARY in json.dumps(
        house.ask(back_end, "memory_before_turn", {**DIARY, "user_id": "bob", "current_input": QUESTION})
    )
    assert house.ask(back_end, "memory_after_turn", turn("t9", user_id="bob"))["ok"]
    assert len(house.ask(back_end, "query_cascade_memories", {})["memories"]) == 1
    assert "user_id" in listed(house, back_end, "recall")["properties"]


def listed(house: House, key: str, name: str) -> dict[str, dict[str, object]]:
    tools = house.mcp(key, "tools/list", {}, {})["tools"]
    return next(tool["inputSchema"] for tool in tools if tool["name"] == name)


@pytest.mark.req("R284")
@pytest.mark.parametrize("tool", NAMING)
def test_what_is_bound_is_neither_required_nor_listed(tool: Tool, house: House) -> None:
    takes = tool.input_schema()
    shown = listed(house, house.key(BOB, projects=(project_pattern("garden"),)), tool.name)

    assert set(shown["properties"]) == takes["properties"].keys() - {"project", "user_id", FOR_PROGRAMS}
    assert set(shown["required"]) == set(takes.get("required", ())) - {"project", "user_id"}


@pytest.mark.req("R284")
def test_what_is_bound_need_not_be_said_and_may_be_said_alike(house: House) -> None:
    bob = house.key(BOB, projects=(project_pattern("garden"),))
    bare = {name: value for name, value in turn("t1", "I grow beans.").items() if name != "project"}

    assert house.ask(bob, "memory_after_turn", bare)["ok"]
    assert house.ask(bob, "memory_after_turn", {**bare, "project": "garden", "user_id": "bob"})["replayed"]
    assert house.ask(bob, "memory_after_turn", bare, user_id="bob", project="garden")["replayed"]
    found = house.ask(bob, "recall", {"session_id": "diary", "query": "beans"})
    assert "I grow beans." in json.dumps(found)
    assert house.denied(bob, "recall", {"session_id": "diary", "query": "beans"}, project="orchard")
    assert house.denied(bob, "recall", {"session_id": "diary", "project": "orchard", "query": "beans"})
    assert house.denied(bob, "recall", {"session_id": "diary", "query": "beans", "user_id": "bob"}, user_id="alice")


@pytest.mark.req("R284")
def test_a_key_of_several_users_says_for_which_it_speaks(house: House) -> None:
    both = house.key(ALICE, BOB)
    shown = listed(house, both, "memory_after_turn")

    assert "user_id" in shown["properties"]
    assert "user_id" in shown["required"]
    refused = house.ask(both, "memory_after_turn", turn("t1"))["error"]
    assert (refused["code"], list(refused["details"]["fields"])) == ("INVALID_ARGUMENT", ["user_id"])
    assert house.ask(both, "memory_after_turn", turn("t1", user_id="alice"))["ok"]
    assert house.ask(both, "memory_after_turn", turn("t2"), user_id="bob")["ok"]
    assert house.denied(both, "memory_after_turn", turn("t3", user_id="carl"))
    assert house.denied(house.key(BOB), "memory_after_turn", turn("t4"))


def test_another_s_turn_id_cannot_be_burnt(house: House) -> None:
    alice, bob = house.key(ALICE), house.key(BOB)
    assert house.ask(alice, "memory_after_turn", turn("t1"))["ok"]

    assert house.denied(bob, "memory_after_turn", turn("t2", "Burnt."))

    assert house.ask(alice, "memory_after_turn", turn("t2", "The real one."))["replayed"] is False


@pytest.mark.parametrize("first", ["memory_after_turn", "remember", "memory_run_turn", "memory_run_maintenance"])
def test_whoever_writes_first_has_the_session(first: str, house: House) -> None:
    alice, bob = house.key(ALICE), house.key(BOB)
    given = {**TOOLS[first].example, **DIARY, "user_id": "alice"}
    begun = {name: value for name, value in given.items() if name in TOOLS[first].input_schema()["properties"]}

    assert "error" not in house.ask(alice, first, begun)

    assert house.denied(bob, "memory_before_turn", {**DIARY, "current_input": "Hello?"})
    assert house.denied(bob, "memory_after_turn", turn("t5"))
    assert house.ask(alice, "memory_after_turn", turn("t5"))["ok"]


def test_reading_makes_no_session_one_s_own(house: House) -> None:
    assert "error" not in house.ask(house.key(BOB), "memory_before_turn", {**DIARY, "current_input": "Hello?"})

    assert house.ask(house.key(ALICE), "memory_after_turn", turn("t1"))["ok"]


@pytest.mark.parametrize("tool", ["memory_correct", "memory_restore", "memory_pin"])
def test_what_is_changed_in_no_session_makes_the_one_that_a_header_names_nobody_s_own(tool: str, house: House) -> None:
    given = {**TOOLS[tool].example, "project": "garden", "user_id": "bob"}
    assert house.ask(house.key(BOB), tool, given, session_id="diary")["error"]["code"] == "NOT_FOUND"

    assert house.ask(house.key(ALICE), "memory_after_turn", turn("t1"))["ok"]


def test_a_session_that_a_back_end_began_for_a_user_is_that_user_s(house: House) -> None:
    assert house.ask(house.key(), "memory_after_turn", turn("t1", user_id="alice"))["ok"]

    assert house.denied(house.key(BOB), "recall", {**DIARY, "query": QUESTION})
    assert house.ask(house.key(ALICE), "recall", {**DIARY, "query": QUESTION})["count"] > 0


def test_a_session_begun_without_a_user_stays_the_project_s(house: House) -> None:
    assert house.ask(house.key(), "memory_after_turn", turn("t1"))["ok"]

    assert house.ask(house.key(BOB), "memory_after_turn", turn("t2", "I am bob."))["ok"]
    assert CANARY in json.dumps(house.ask(house.key(ALICE), "recall", {**DIARY, "query": QUESTION}))


def test_a_user_s_name_may_hold_anything_an_id_may(house: House) -> None:
    odd = UserId('Ada "L", ü 名 #~')
    key = house.key(odd)

    assert house.ask(key, "memory_after_turn", turn("t1"))["ok"]
    assert house.ask(key, "recall", {**DIARY, "query": QUESTION, "user_id": odd})["count"] > 0
    assert house.denied(key, "recall", {**DIARY, "query": QUESTION, "user_id": "Ada"})
    assert house.denied(house.key(ALICE), "recall", {**DIARY, "query": QUESTION})


def test_a_key_s_binding_outlives_its_rotation(house: House, services: Services) -> None:
    house.fill()
    old = house.key(BOB)
    new = services.credentials.rotate(old.split("_")[1], timedelta(hours=1)).text

    assert house.denied(new, "recall", {**DIARY, "query": QUESTION})


def test_the_audit_log_names_the_user_who_spoke(house: House, services: Services) -> None:
    alice, bob, both = house.key(ALICE), house.key(BOB), house.key(ALICE, BOB)
    house.ask(alice, "memory_after_turn", turn("t1"))
    house.ask(bob, "memory_after_turn", turn("t2", user_id="alice"))
    house.ask(both, "recall", {**DIARY, "query": "x", "user_id": "bob"})
    house.ask(house.key(), "recall", {**DIARY, "query": "x", "user_id": "carl"})
    house.ask(alice, "listMemory", {"namespace": "public.notes"})
    house.ask(bob, "recall", {"nonsense": 1})

    now = services.adapters.clock.now()
    records = services.audit.records(ACME, now - timedelta(days=1), now + timedelta(days=1), 100)
    told = {(each.tool, each.subject.user_id, each.outcome) for each in records}
    assert told == {
        ("memory_after_turn", "alice", "admitted"),
        ("memory_after_turn", "bob", "PERMISSION_DENIED"),
        ("recall", "bob", "admitted"),
        ("recall", "carl", "admitted"),
        ("listMemory", "alice", "admitted"),
        ("recall", "bob", "INVALID_ARGUMENT"),
    }


def test_a_project_that_shares_its_sessions_has_everyone_in_them_but_nobody_as_another(
    house: House, tuned: Callable[..., Services]
) -> None:
    house.services = tuned(shared_projects=("garden.*", "garden"))
    house.fill()
    bob = house.key(BOB)

    seen = house.ask(bob, "memory_before_turn", {**DIARY, "current_input": QUESTION})
    assert CANARY in json.dumps(seen)
    elsewhere = {"project": "garden", "session_id": "bobs", "current_input": QUESTION, "recall_scope": "project"}
    assert CANARY in json.dumps(house.ask(bob, "memory_before_turn", elsewhere))
    assert house.ask(bob, "memory_after_turn", turn("t7", "I am bob."))["ok"]
    assert house.denied(bob, "memory_after_turn", turn("t8", user_id="alice"))
    token = {**COMMIT, "operation_token": house.given["operation_token"]}
    assert house.denied(bob, "memory_run_turn", token)
    assert house.ask(house.key(ALICE), "memory_run_turn", token)["ok"]
    other = {**DIARY, "project": "orchard"}
    assert house.ask(house.key(ALICE), "memory_after_turn", {**turn("t1"), **other})["ok"]
    assert house.denied(bob, "memory_before_turn", {**other, "current_input": QUESTION})


def test_where_everything_said_is_recalled_all_sessions_are_shared(house: House, tuned: Callable[..., Any]) -> None:
    house.services = tuned(recall_scope="project")
    house.fill()

    place = {"project": "garden", "session_id": "bobs", "query": QUESTION}
    assert CANARY in json.dumps(house.ask(house.key(BOB), "recall", place))


def test_key_value_memory_opens_to_bound_callers_by_their_policy(house: House) -> None:
    bob = house.key(BOB)

    assert house.ask(bob, "listMemory", {"namespace": "public.notes"})["keys"] == []
    for name in ("listMemory", "getMemory", "putMemory", "deleteMemory"):
        assert house.denied(bob, name, {**TOOLS[name].example, "namespace": "agent.shared"})


def test_two_users_who_archive_the_same_have_a_pointer_each(house: House) -> None:
    house.fill()
    deposit = {"session_id": "diary", "session": {"timestamp": "2026-03-01T12:00:00Z", "summary": "Same."}}
    keys = house.key(ALICE), house.key(BOB)
    pointers = [house.ask(key, "store_session_to_cascade", deposit)["pointer"] for key in keys]

    assert pointers[0] != pointers[1]
    for key, own, other in ((keys[0], *pointers), (keys[1], *reversed(pointers))):
        assert "session_data" in house.ask(key, "retrieve_session_from_cascade", {"pointer": own})
        assert house.ask(key, "retrieve_session_from_cascade", {"pointer": other})["error"]["code"] == "NOT_FOUND"


def test_what_is_denied_or_cannot_look_whose_a_session_is_is_not_among_the_session_s_calls(house: House) -> None:
    house.fill()
    alice, bob = house.key(ALICE), house.key(BOB)
    before = house.ask(alice, "getContext", {**DIARY, "include_history": True})["tool_history"]
    reached = ("query_cascade_memories", "memory_list_users", "estimate_storage_cost", "mcp_pipe")
    for name in ("recall", "listMemory", *reached):
        given = {**TOOLS[name].example, **({"session_id": "diary"} if name == "recall" else {})}
        assert house.denied(bob, name, given, project="garden", session_id="diary") is (name not in reached)
    elsewhere, several = house.key(BOB, projects=(project_pattern("orchard"),)), house.key(BOB, UserId("carl"))
    read = {**DIARY, "path": "/memories/notes.md"}
    assert house.denied(elsewhere, "memory_read_file", read)
    assert house.ask(several, "memory_read_file", read)["error"]["code"] == "INVALID_ARGUMENT"

    house.services.adapters.clock.sleep(31)
    after = house.ask(alice, "getContext", {**DIARY, "include_history": True})["tool_history"]

    assert [each["tool_name"] for each in after[len(before) :]] == ["getContext"]


def test_where_settings_are_lenient_what_is_bound_goes_before_the_default(
    house: House, tuned: Callable[..., Services]
) -> None:
    house.services = tuned(lenient=True)
    bob = house.key(BOB, projects=(project_pattern("garden"),))
    words = {name: value for name, value in turn("t1").items() if name not in DIARY}

    assert house.ask(bob, "memory_after_turn", words)["ok"]
    assert CANARY in json.dumps(house.ask(bob, "recall", {"query": QUESTION}))
    place = {"project": "garden", "session_id": "default", "query": QUESTION}
    assert CANARY in json.dumps(house.ask(house.key(), "recall", place))


def test_what_was_archived_for_a_user_is_deleted_with_them(house: House) -> None:
    house.fill()
    bob = house.key(BOB)
    deposit = {"session_id": "other", "session": {"timestamp": "2026-03-01T12:00:00Z", "summary": "Bob's."}}
    pointer = house.ask(bob, "store_session_to_cascade", deposit)["pointer"]

    Archive(house.services).delete_user(ACME, ALICE)

    assert house.ask(house.key(ALICE), "query_cascade_memories", {})["memories"] == []
    assert "session_data" in house.ask(bob, "retrieve_session_from_cascade", {"pointer": pointer})


@pytest.mark.req("R284")
def test_what_a_bound_caller_archives_is_in_its_project_s_name_without_saying_so(house: House) -> None:
    deposit = {"session_id": "s", "session": {"timestamp": "2026-03-01T12:00:00Z", "summary": "Dug the pond."}}
    garden = (project_pattern("garden"),)

    assert house.ask(house.key(BOB, projects=garden), "store_session_to_cascade", deposit)["indexed"]
    assert house.denied(house.key(projects=garden), "store_session_to_cascade", deposit)
