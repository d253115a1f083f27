"""Completions over MCP: how names go on, how many there are, and only those that the caller may see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeAlias

import pytest

from cairn.services import Services
from cairn.tool.call import Call
from cairn_mcp import completions
from support.doubles import FakeClock
from support.mcp_library import Client, key_of, say

RECAP = {"type": "ref/prompt", "name": "recap"}
SESSION = {"type": "ref/resource", "uri": "cairn://sessions/{project}/{session_id}"}
FILE = {"type": "ref/resource", "uri": "cairn://files/{project}/{session_id}/{+path}"}
KNOWN = {"type": "ref/resource", "uri": "cairn://known/{project}"}
KNOWN_OF = {"type": "ref/resource", "uri": "cairn://known/{project}/{user}"}
GARDEN = {"arguments": {"project": "owner/garden"}}
EventOf: TypeAlias = Callable[..., dict[str, Any]]


@pytest.fixture
def client(event_of: EventOf, call: Call, clock: FakeClock) -> Client:
    for session, user, project in (
        ("monday", "ada", "owner/garden"),
        ("moonday", "bob", "owner/garden"),
        ("tuesday", "adam", "owner/garden"),
        ("may", "ada", "other"),
    ):
        clock.advance(minutes=1)
        say(call, session, "1", "Beans.", project=project, user_id=user)
    return Client(event_of)


def complete(client: Client, ref: object, argument: str, value: str = "", context: object = None) -> dict[str, Any]:
    named = {"ref": ref, "argument": {"name": argument, "value": value}}
    given = named if context is None else {**named, "context": context}
    return client.ask("completion/complete", **given)["result"]["completion"]


@pytest.mark.parametrize("modern", [False, True])
@pytest.mark.parametrize("ref", [RECAP, {"type": "ref/prompt", "name": "known"}, SESSION, FILE, KNOWN, KNOWN_OF])
def test_a_project_goes_on_as_those_in_which_something_is_kept(
    ref: dict[str, str], client: Client, *, modern: bool
) -> None:
    client = replace(client, modern=modern)
    assert complete(client, ref, "project") == {"values": ["other", "owner/garden"], "total": 2, "hasMore": False}
    assert complete(client, ref, "project", "ow")["values"] == ["owner/garden"]
    assert complete(client, ref, "project", "owner/garden")["values"] == ["owner/garden"]
    assert complete(client, ref, "project", "x") == {"values": [], "total": 0, "hasMore": False}


@pytest.mark.parametrize("ref", [RECAP, {"type": "ref/prompt", "name": "handover"}, SESSION, FILE])
def test_a_session_goes_on_as_those_of_the_project_the_newest_first(ref: dict[str, str], client: Client) -> None:
    assert complete(client, ref, "session_id", "", GARDEN)["values"] == ["tuesday", "moonday", "monday"]
    assert complete(client, ref, "session_id", "mo", GARDEN)["values"] == ["moonday", "monday"]
    assert complete(client, ref, "session_id", "mo") == {"values": [], "total": 0, "hasMore": False}


def test_the_project_that_the_client_names_need_not_be_in_the_context(client: Client) -> None:
    named = replace(client, headers={"x-cairn-project": "other"})
    assert complete(named, SESSION, "session_id")["values"] == ["may"]
    assert complete(named, SESSION, "session_id", "", GARDEN)["values"] == ["tuesday", "moonday", "monday"]


def test_a_user_goes_on_as_those_of_whom_something_is_kept_in_the_project(client: Client) -> None:
    assert complete(client, KNOWN_OF, "user", "ad", GARDEN)["values"] == ["ada", "adam"]
    known = {"type": "ref/prompt", "name": "known"}
    assert complete(client, known, "user", "b", GARDEN)["values"] == ["bob"]


def test_a_path_is_not_completed(client: Client) -> None:
    assert complete(client, FILE, "path", "ev", GARDEN)["values"] == []


def test_there_are_at_most_a_hundred_values_and_the_total_is_told(client: Client, call: Call) -> None:
    for number in range(105):
        say(call, f"s{number}", "1", "Beans.", project="other")

    found = complete(client, SESSION, "session_id", "s", {"arguments": {"project": "other"}})

    assert (len(found["values"]), found["total"], found["hasMore"]) == (100, 105, True)


def test_where_not_all_names_are_looked_through_no_total_is_told(
    client: Client, call: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completions, "_MOST_PAGES", 1)
    for number in range(105):
        say(call, f"s{number}", "1", "Beans.", project="other")

    found = complete(client, SESSION, "session_id", "s10", {"arguments": {"project": "other"}})

    assert found["hasMore"] is True
    assert "total" not in found


def test_only_names_of_what_the_caller_may_see_are_told(client: Client, event_of: EventOf, services: Services) -> None:
    ada = Client(event_of, key=key_of(services, "ada"))
    stranger = Client(event_of, tenant="evil")

    assert complete(ada, SESSION, "session_id", "", GARDEN)["values"] == ["monday"]
    assert complete(ada, KNOWN_OF, "user", "", GARDEN)["values"] == ["ada"]
    for argument in ("project", "session_id"):
        assert complete(stranger, SESSION, argument, "", GARDEN)["values"] == []
    assert complete(stranger, KNOWN_OF, "user", "", GARDEN)["values"] == []
    assert complete(client, KNOWN_OF, "user", "", GARDEN)["values"] == ["ada", "adam", "bob"]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"ref": 3, "argument": {"name": "project", "value": ""}},
        {"ref": {"type": "ref/tool", "name": "recall"}, "argument": {"name": "project", "value": ""}},
        {"ref": {"type": "ref/prompt"}, "argument": {"name": "project", "value": ""}},
        {"ref": {"type": "ref/prompt", "name": "no such"}, "argument": {"name": "project", "value": ""}},
        {"ref": {"type": "ref/resource", "uri": "cairn://no"}, "argument": {"name": "project", "value": ""}},
        {"ref": {"type": "ref/resource", "uri": "recap"}, "argument": {"name": "project", "value": ""}},
        {"ref": {"type": "ref/prompt", "name": SESSION["uri"]}, "argument": {"name": "project", "value": ""}},
        {"ref": RECAP, "argument": {"name": "user", "value": ""}},
        {"ref": RECAP, "argument": {"name": "project"}},
        {"ref": RECAP, "argument": {"name": "project", "value": 3}},
        {"ref": RECAP, "argument": {"name": "project", "value": ""}, "context": 3},
        {"ref": RECAP, "argument": {"name": "project", "value": ""}, "context": {"arguments": []}},
    ],
)
def test_what_nothing_can_go_on_from_is_an_invalid_parameter(params: dict[str, Any], client: Client) -> None:
    assert client.ask("completion/complete", **params)["error"]["code"] == -32602
