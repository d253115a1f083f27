"""The door of hooks: an agent's event at its own path, an answer in its own form, and nothing that stops its prompt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest

from cairn.access.api_keys import project_pattern
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Project, SessionId
from cairn.ground.session import Session
from cairn.services import Services
from cairn_mcp import door
from cairn_tools import memory_hook as at_hooks
from support.access import EventOf, bearer, through
from support.bound import ACME, ALICE, BOB, House
from support.hooks import SESSION, answered, compacted, prompted, started

PNPM = "We use pnpm in this project, never npm."
PROJECT = {"x-cairn-project": "acme/widget"}


@pytest.fixture
def house(services: Services, event_of: EventOf) -> House:
    return House(services, event_of)


def post(
    house: House, key: str, event: Mapping[str, Any], agent: str = "claude-code", headers: Mapping[str, str] = PROJECT
) -> dict[str, Any]:
    """Return the gateway's response to an agent's event."""
    asked = {**house.event_of(f"/v1/hooks/{agent}", dict(event), headers=headers), "pathParameters": {"agent": agent}}
    return at_hooks.handler(through(bearer(key), asked), None)


def told(house: House, key: str, event: Mapping[str, Any], agent: str = "claude-code") -> Any:
    answer = post(house, key, event, agent)
    assert answer["statusCode"] == 200
    return json.loads(answer["body"])


def turns(house: House, project: str = "acme/widget") -> int:
    return len(list(house.services.sessions.history(Session(ACME, Project(project), SessionId(SESSION)))))


@pytest.mark.req("R311")
def test_an_agent_posts_its_events_as_they_are_and_is_answered_in_its_own_form(house: House) -> None:
    key = house.key(ALICE)
    assert 'project "acme/widget"' in told(house, key, started())["hookSpecificOutput"]["additionalContext"]
    assert [told(house, key, each) for each in (prompted("1", PNPM), answered("1", "Noted."))] == [{}] * 2

    answer = told(house, key, prompted("2", "Which package manager does this project use?", "another"))

    assert set(answer) == {"hookSpecificOutput"}
    assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}
    assert "pnpm" in answer["hookSpecificOutput"]["additionalContext"]
    assert turns(house) == 1


def test_one_agent_is_told_what_another_was(house: House) -> None:
    key = house.key(ALICE)
    for each in (prompted("1", PNPM), answered("1", "Noted.")):
        told(house, key, each, "codex")
    asked = {"hook_event_name": "BeforeAgent", "session_id": "g", "timestamp": "2026-11-26T12:05:59.618Z"}

    answer = told(house, key, {**asked, "prompt": "Which package manager does this project use?"}, "gemini")

    assert "pnpm" in answer["hookSpecificOutput"]["additionalContext"]


@pytest.mark.parametrize(
    "event", [{}, {"hook_event_name": "Stop"}, {**started(), "session_id": "no/session"}], ids=["empty", "no", "odd"]
)
def test_what_is_no_event_of_the_agent_changes_nothing_in_it_and_says_so_in_a_header(
    house: House, event: dict[str, Any]
) -> None:
    answer = post(house, house.key(ALICE), event)

    assert (answer["statusCode"], answer["body"]) == (200, "{}")
    assert answer["headers"][at_hooks.REFUSAL] == "400"


def test_a_store_that_is_away_changes_nothing_in_the_agent(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> object:
        raise Unavailable("The store is away")

    key = house.key(ALICE)
    with monkeypatch.context() as patched:
        patched.setattr(house.services.adapters.table, "put", fail)
        answer = post(house, key, prompted("1", PNPM))

    assert (answer["statusCode"], answer["body"]) == (200, "{}")
    assert answer["headers"][at_hooks.REFUSAL] == "503"


def test_whoever_may_not_call_is_told_so_since_nobody_would_see_it_otherwise(house: House) -> None:
    elsewhere = house.key(ALICE, projects=(project_pattern("orchard"),))

    assert post(house, elsewhere, prompted("1", PNPM))["statusCode"] == 403
    assert post(house, "cairn_nobody", prompted("1", PNPM))["statusCode"] == 401


def test_a_key_bound_to_a_project_brings_every_folder_into_it(house: House) -> None:
    key = house.key(ALICE, projects=(project_pattern("acme/shared"),))
    for each in (prompted("1", PNPM), answered("1", "Noted.")):
        assert post(house, key, each, headers={})["statusCode"] == 200

    assert turns(house, "acme/shared") == 1


def test_another_users_session_is_neither_told_nor_written(house: House) -> None:
    alice, bob = house.key(ALICE), house.key(BOB)
    for each in (prompted("1", PNPM), answered("1", "Noted.")):
        told(house, alice, each)

    assert post(house, bob, prompted("2", "Which package manager does this project use?"))["statusCode"] == 403
    assert told(house, bob, prompted("2", "Which package manager does this project use?", "bobs")) == {}
    assert turns(house) == 1


def test_over_mcp_the_same_tool_answers_with_that_object_alone(house: House) -> None:
    key = house.key(ALICE)
    for each in (prompted("1", PNPM), answered("1", "Noted.")):
        told(house, key, each)
    arguments = {"agent": "claude-code", "event": prompted("2", "Which package manager do we use?", "another")}

    answer = at_path(house, key, "/mcp/hooks", "tools/call", {"name": "memory_hook", "arguments": arguments})

    (content,) = answer["content"]
    assert set(json.loads(content["text"])) == {"hookSpecificOutput"}
    assert answer["isError"] is False


def test_the_path_of_hooks_lists_what_is_left_for_a_model_and_says_so(house: House) -> None:
    key = house.key(ALICE)

    listed = at_path(house, key, "/mcp/hooks", "tools/list", {})["tools"]
    begun = at_path(house, key, "/mcp/hooks", "initialize", {"protocolVersion": "2025-06-18"})

    assert sorted(tool["name"] for tool in listed) == ["forget", "memory_hook", "recall", "remember"]
    assert "do not call memory_hook" in begun["instructions"]
    assert "memory_before_turn" not in begun["instructions"]
    assert "memory_hook" not in {tool["name"] for tool in at_path(house, key, "/mcp", "tools/list", {})["tools"]}


def test_an_event_is_on_record_without_what_it_says(house: House, log: Any) -> None:
    told(house, house.key(ALICE), compacted("The heron lives in the shed."))

    assert "memory_hook" in log.getvalue()
    assert "heron" not in log.getvalue()


def at_path(house: House, key: str, path: str, method: str, params: Mapping[str, Any]) -> Any:
    body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
    event = house.event_of(path, body, headers=PROJECT)
    return json.loads(door.handler(through(bearer(key), event), None)["body"])["result"]
