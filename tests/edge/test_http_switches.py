"""Which tools there are: the settings' switches, and the lenient mode."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn import wiring
from cairn.ground.errors import Disabled, NotFound
from cairn.ground.ids import Tenant
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.tool.call import Call, execute
from cairn.tool.tool import Tool, visible
from cairn_tools.catalog import CATALOG
from support.services import changed
from support.tool import FOR_AGENTS, outcome

BEFORE, AFTER = CATALOG[0], CATALOG[1]
STANDARD = tuple(tool for tool in CATALOG if tool.family == "standard")
ACME = Tenant("acme")


def switch(call: Call, **changes: Any) -> Call:
    services = changed(call.services, settings=replace(call.services.settings, **changes))
    wiring.provide(services)
    return replace(call, services=services)


def runs(tool: Tool, call: Call) -> bool:
    """Tell whether the tool's example gets the answer that an empty store gives."""
    try:
        execute(CATALOG, tool.name, dict(tool.example), call)
    except NotFound as error:
        return error.code == outcome(tool)
    return True


@pytest.mark.req("R002")
def test_with_memory_off_none_of_its_tools_is_listed_and_none_runs(
    call: Call, event_of: Callable[..., dict[str, Any]]
) -> None:
    off = switch(call, memory_enabled=False)

    assert visible(FOR_AGENTS, off) == STANDARD
    for tool in (each for each in FOR_AGENTS if each not in STANDARD):
        with pytest.raises(Disabled):
            execute(CATALOG, tool.name, dict(tool.example), off)
        response = tool.handler(event_of("/", tool.example), None)
        assert response["statusCode"] == 404
        assert json.loads(response["body"])["error"]["code"] == "DISABLED"


@pytest.mark.req("R001")
@pytest.mark.req("R003")
def test_with_memory_on_every_tool_is_listed_in_the_catalog_s_order_and_runs(call: Call) -> None:
    assert visible(FOR_AGENTS, call) == FOR_AGENTS
    for tool in FOR_AGENTS:
        assert runs(tool, call)


@pytest.mark.req("R004")
@pytest.mark.parametrize("tool", FOR_AGENTS, ids=lambda tool: tool.name)
def test_a_tool_that_is_off_leaves_the_others_on(tool: Tool, call: Call) -> None:
    without = switch(call, tool_switches={**call.services.settings.tool_switches, tool.name: False})
    others = tuple(other for other in FOR_AGENTS if other is not tool)

    assert visible(FOR_AGENTS, without) == others
    with pytest.raises(Disabled):
        execute(CATALOG, tool.name, dict(tool.example), without)
    for other in others:
        assert runs(other, without)


def test_a_tool_that_does_not_exist_looks_like_one_that_is_off(call: Call) -> None:
    off = switch(call, memory_enabled=False)

    with pytest.raises(Disabled) as unknown:
        execute(CATALOG, "no_such_tool", {}, off)
    with pytest.raises(Disabled) as switched_off:
        execute(CATALOG, BEFORE.name, {}, off)

    assert unknown.value.message == switched_off.value.message


@pytest.mark.req("R019")
@pytest.mark.parametrize("missing", [{}, {"project": ""}, {"project": None, "session_id": " "}])
def test_a_lenient_deployment_fills_in_names_that_are_missing(
    missing: dict[str, Any], tuned: Callable[..., Services], call: Call
) -> None:
    lenient = replace(call, services=tuned(lenient=True))
    rest = {name: value for name, value in AFTER.example.items() if name not in {"project", "session_id"}}

    assert execute(CATALOG, AFTER.name, {**rest, **missing}, lenient)["replayed"] is False

    named = {**rest, "project": "default", "session_id": "default"}
    assert execute(CATALOG, AFTER.name, named, lenient)["replayed"] is True


def test_a_limit_of_the_settings_is_the_limit_of_the_door(call: Call) -> None:
    settings = Settings(memory_enabled=True)
    small = switch(call, limits=replace(settings.limits, list_items=1, text_bytes=8))

    for items, field in (
        ([{"content": "a"}] * 2, "input_items"),
        ([{"content": "123456789"}], "input_items[0].content"),
    ):
        with pytest.raises(Exception, match="must") as raised:
            execute(CATALOG, AFTER.name, {**AFTER.example, "input_items": items, "output_items": []}, small)
        assert list(getattr(raised.value, "details")["fields"]) == [field]  # noqa: B009 - raised as CairnError
