"""What a user said or had kept in one session is known in the next, with defaults alone, at every door."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeAlias

import pytest

from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.session import Session
from cairn.services import Services
from cairn_mcp import door
from cairn_tools.catalog import CATALOG

Ask: TypeAlias = Callable[..., dict[str, Any]]
_TOOLS = {tool.name: tool for tool in CATALOG}
_SHED = "Where is the shed, and where do beans go?"


@pytest.fixture(params=["http", "mcp", "agent"])
def ask(request: pytest.FixtureRequest, event_of: Callable[..., dict[str, Any]], services: Services) -> Ask:
    """Return a function that calls a tool by name through a door, in project garden unless told."""
    del services

    def by_http(name: str, headers: dict[str, str] | None = None, **arguments: Any) -> dict[str, Any]:
        event = event_of(f"/v1/tools/{name}", {"project": "garden", **arguments}, headers=headers or {})
        return json.loads(_TOOLS[name].handler(event, None)["body"])

    def by_mcp(name: str, headers: dict[str, str] | None = None, **arguments: Any) -> dict[str, Any]:
        params = {"name": name, "arguments": {"project": "garden", **arguments}}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        path = "/mcp/agent" if request.param == "agent" else "/mcp"
        event = event_of(path, body, headers=headers or {})
        return json.loads(door.handler(event, None)["body"])["result"]["structuredContent"]

    return by_http if request.param == "http" else by_mcp


def say(ask: Ask, text: str, session_id: str = "monday", user_id: str | None = "ada", **more: Any) -> dict[str, Any]:
    named = {"session_id": session_id, **({"user_id": user_id} if user_id else {}), **more}
    items = [{"role": "user", "content": text}]
    return ask("memory_after_turn", turn_id=str(abs(hash(text))), input_items=items, output_items=[], **named)


def told(ask: Ask, **arguments: Any) -> str:
    """Return all that a context and a recall say."""
    context = ask("memory_before_turn", current_input=_SHED, **{"session_id": "tuesday", **arguments})
    found = ask("recall", query=_SHED, **arguments)
    return json.dumps([context["input_items"][:-1], found["memories"]])


@pytest.mark.req("R286")
@pytest.mark.parametrize("names", ["arguments", "headers"])
def test_a_new_session_knows_what_its_user_said_and_had_kept_in_another(ask: Ask, names: str) -> None:
    say(ask, "The shed is behind the barn.")
    ask("remember", content="Beans go north.", session_id="monday", user_id="ada")

    given = {"user_id": "ada"} if names == "arguments" else {"headers": {"x-cairn-user": "ada"}}
    text = told(ask, **given)

    assert text.count("behind the barn") == 2
    assert text.count("Beans go north.") == 2
    bob = told(ask, user_id="bob")
    assert "behind the barn" not in bob
    assert "Beans go north." not in bob
    alone = told(ask, session_id="tuesday")
    assert "behind the barn" not in alone
    assert "Beans go north." not in alone


@pytest.mark.req("R286")
def test_a_session_s_own_scope_stays_one_argument_away(ask: Ask) -> None:
    say(ask, "The shed is behind the barn. I live in Oslo.")
    ask("remember", content="Beans go north.", session_id="monday", user_id="ada", scope="session")

    text = told(ask, user_id="ada", session_id="tuesday", recall_scope="session")

    assert not [word for word in ("behind the barn", "Oslo", "Beans go north.") if word in text]
    monday = told(ask, user_id="ada", session_id="monday", recall_scope="session")
    assert "Beans go north." in monday
    shared = told(ask, user_id="bob", recall_scope="project")
    assert "behind the barn" in shared


@pytest.mark.req("R286")
def test_remember_recall_and_forget_for_a_user_need_no_session(ask: Ask) -> None:
    kept = ask("remember", content="Beans go north.", user_id="ada")
    found = ask("recall", user_id="ada")["memories"]
    assert [each["id"] for each in found] == [kept["memory_id"]]
    assert ask("forget", memory_id=kept["memory_id"], user_id="ada")["forgotten"]
    assert ask("recall", user_id="ada")["memories"] == []


@pytest.mark.req("R286")
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("recall", {}),
        ("recall", {"user_id": "ada", "recall_scope": "session"}),
        ("remember", {"content": "x"}),
        ("remember", {"content": "x", "user_id": "ada", "scope": "session"}),
        ("remember", {"content": "x", "scope": "project"}),
        ("forget", {"memory_id": "s-" + "0" * 32, "user_id": "ada"}),
        ("memory_before_turn", {"current_input": "x", "user_id": "ada"}),
    ],
)
def test_where_a_session_is_needed_the_error_names_it(ask: Ask, tool: str, arguments: dict[str, Any]) -> None:
    error = ask(tool, **arguments)["error"]

    assert error["code"] == "INVALID_ARGUMENT"
    assert list(error["details"]["fields"]) == ["session_id"]


@pytest.mark.req("R287")
def test_an_agent_in_another_project_knows_who_it_talks_with_and_nothing_of_the_project(ask: Ask) -> None:
    say(ask, "My name is Ada and I live in Oslo. I prefer short answers. For this repo I prefer tabs.")
    ask("remember", content="Always answer in German.", type="agent_rule", scope="user_everywhere", user_id="ada")
    ask("remember", content="Beans go north.", user_id="ada")

    found = ask("recall", project="shop", user_id="ada")["memories"]

    assert {each["content"] for each in found} == {
        *("name: Ada", "home: Oslo", "preference: short answers", "Always answer in German.")
    }
    say(ask, "I moved to Bergen.", project="shop", session_id="friday")
    home = ask("recall", user_id="ada", query="Where do I live?", type="fact")["memories"]
    assert [each["content"] for each in home if each["content"].startswith("home")] == ["home: Bergen"]
    assert ask("recall", project="shop", user_id="bob")["memories"] == []


@pytest.mark.req("R243")
def test_the_lean_profile_shows_how_far_a_recall_looks(event_of: Callable[..., Any], services: Services) -> None:
    del services
    body: dict[str, Any] = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    tools = json.loads(door.handler(event_of("/mcp/agent", body), None)["body"])["result"]["tools"]
    shown = {tool["name"]: tool["inputSchema"] for tool in tools}

    for name in ("memory_before_turn", "recall"):
        assert shown[name]["properties"]["recall_scope"]["enum"] == ["session", "user", "project"]
    assert shown["remember"]["properties"]["scope"]["enum"] == ["session", "user", "project", "user_everywhere"]
    assert "session_id" not in shown["recall"]["required"]


@pytest.mark.req("R285")
def test_the_record_of_a_call_without_a_session_names_its_project_and_user(ask: Ask, services: Services) -> None:
    ask("remember", content="Beans go north.", user_id="ada")
    ask("recall", session_id="monday", user_id="ada")

    now = services.adapters.clock.now()
    records = services.audit.records(Tenant("acme"), now - timedelta(hours=1), now + timedelta(hours=1))
    subjects = {
        record.tool: (record.subject.project, record.subject.session_id, record.subject.user_id) for record in records
    }
    assert subjects == {"remember": ("garden", None, "ada"), "recall": ("garden", "monday", "ada")}
    calls = services.session_calls.of(Session(Tenant("acme"), Project("garden"), SessionId("monday")))
    assert [call.tool for call in calls.calls] == ["recall"]
