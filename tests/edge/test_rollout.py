"""The roll-out: it ships switched off, tenants are cut over one by one and back, one default turns it on for all."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from cairn import wiring
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Tenant
from cairn.ground.settings import MemorySettings
from cairn.settings.options import ENABLED, OPTIONS
from cairn.settings.settings import Settings, load
from cairn_mcp.door import handler as mcp_door
from support.receipts import without_call
from support.routes import LISTED
from support.services import services_over
from support.tool import FOR_AGENTS

ON = {"tools": {"memory": {"enabled": True}}}
OFF = {"tools": {"memory": {"enabled": False}}}
SESSION = {"project": "garden", "session_id": "monday", "user_id": "ada"}
MEMORY = tuple(tool for tool in FOR_AGENTS if tool.family == "memory" and tool.on_by_default)
NAMES = [tool.name for tool in MEMORY]
SHOWN = [tool.name for tool in MEMORY if tool in LISTED]

Ask = Callable[..., dict[str, Any]]


def settings_of(deployment: Mapping[str, Any], **tenants: Mapping[str, Any]) -> Settings:
    return load({"settings": {"mcp": {**deployment, "tenants": tenants}}}, {})


@pytest.fixture
def deploy(adapters: Adapters) -> Callable[[Settings], None]:
    """Return a function that installs services with these settings over the same store, as a deployment does."""

    def deployed(settings: Settings) -> None:
        wiring.provide(services_over(adapters, settings))

    return deployed


@pytest.fixture
def listed(event_of: Callable[..., dict[str, Any]]) -> Callable[[str], list[str]]:
    """Return a function that gives the names of the memory tools that MCP lists for a tenant."""

    def ask(tenant: str) -> list[str]:
        response = mcp_door(event_of("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, tenant=tenant), None)
        names = [tool["name"] for tool in json.loads(response["body"])["result"]["tools"]]
        return [name for name in names if name in NAMES]

    return ask


@pytest.fixture
def ask(event_of: Callable[..., dict[str, Any]]) -> Ask:
    """Return a function that calls a tool over HTTP for a tenant."""

    def post(tool: str, tenant: str = "acme", **arguments: Any) -> dict[str, Any]:
        event = event_of(f"/v1/tools/{tool}", {**SESSION, **arguments}, tenant=tenant)
        (declared,) = [each for each in MEMORY if each.name == tool]
        return json.loads(declared.handler(event, None)["body"])

    return post


def said(number: int, text: str) -> dict[str, Any]:
    answer = [{"role": "assistant", "content": "Noted."}]
    return {"turn_id": f"turn-{number}", "input_items": [{"role": "user", "content": text}], "output_items": answer}


@pytest.mark.req("R129")
@pytest.mark.parametrize("document", [None, {}, {"settings": {"mcp": {"memory": {"search_limit": 3}}}}])
def test_without_the_flag_no_memory_tool_is_listed_and_none_runs(
    document: Mapping[str, Any] | None,
    deploy: Callable[[Settings], None],
    listed: Callable[[str], list[str]],
    ask: Ask,
) -> None:
    deploy(load(document, {}))

    assert listed("acme") == []
    assert ask("memory_before_turn", current_input="Hello")["error"]["code"] == "DISABLED"


@pytest.mark.req("R131")
@pytest.mark.parametrize(
    ("deployment", "own", "acme_has_it", "globex_has_it"),
    [(OFF, ON, True, False), ({}, ON, True, False), (ON, OFF, False, True), (ON, ON, True, True), (ON, {}, True, True)],
)
def test_a_tenant_is_cut_over_alone_and_sees_exactly_its_tools(  # noqa: PLR0913 - one row of a table
    deployment: Mapping[str, Any],
    own: Mapping[str, Any],
    deploy: Callable[[Settings], None],
    listed: Callable[[str], list[str]],
    ask: Ask,
    *,
    acme_has_it: bool,
    globex_has_it: bool,
) -> None:
    deploy(settings_of(deployment, acme=own))

    for tenant, has_it in (("acme", acme_has_it), ("globex", globex_has_it)):
        assert listed(tenant) == (SHOWN if has_it else [])
        answer = ask("memory_before_turn", tenant, current_input="Hello")
        assert ("input_items" in answer) is has_it
        assert (answer.get("error", {}).get("code") == "DISABLED") is not has_it


@pytest.mark.req("R131")
def test_rolling_a_tenant_back_and_forth_loses_nothing_and_changes_nothing_meanwhile(
    deploy: Callable[[Settings], None], adapters: Adapters, store: Any, ask: Ask
) -> None:
    assert adapters
    on, off = settings_of({}, acme=ON), settings_of({}, acme=OFF)
    deploy(on)
    for number, text in enumerate(("My name is Ada Lovelace.", "I prefer raised beds.")):
        assert ask("memory_after_turn", **said(number, text))["ok"] is True
    before, held = ask("memory_before_turn", current_input="Who am I?"), store.contents()

    deploy(off)
    for tool in MEMORY:
        assert ask(tool.name, **dict(tool.example))["error"]["code"] == "DISABLED"
    assert store.contents() == held

    deploy(on)
    assert without_call(ask("memory_before_turn", current_input="Who am I?")) == without_call(before)
    assert "Ada Lovelace" in json.dumps(before)
    assert ask("memory_after_turn", **said(0, "My name is Ada Lovelace."))["replayed"] is True


def test_a_tenant_that_is_cut_over_keeps_the_deployments_knobs_and_its_own() -> None:
    own = {"tools": {"memory": {"enabled": True, "search_limit": 9}}}

    settings = settings_of({"memory": {"recall_facts_limit": 3}}, acme=own)

    assert settings.memory_for(Tenant("acme")) == MemorySettings(search_limit=9, recall_facts_limit=3)
    assert not settings.memory_enabled_for(Tenant("globex"))


@pytest.mark.req("R132")
def test_the_option_s_default_alone_turns_memory_on_for_every_tenant_that_does_not_say_otherwise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    options: Any = OPTIONS
    monkeypatch.setitem(options, ENABLED, replace(OPTIONS[ENABLED], default=True))

    settings = settings_of({}, acme=OFF)

    assert all(tool.enabled(settings, Tenant("globex")) for tool in MEMORY)
    assert not any(tool.enabled(settings, Tenant("acme")) for tool in MEMORY)
    off = load(None, {"CAIRN_MEMORY_ENABLED": "false"})
    assert not any(tool.enabled(off, Tenant("globex")) for tool in MEMORY)
