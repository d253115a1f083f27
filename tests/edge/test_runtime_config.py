"""GET /v1/runtime-config tells a front end which families of tools are on, to anyone and of nobody in particular."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from cairn import __version__, wiring
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.tool.tool import families
from cairn_health.door import handler
from cairn_tools.catalog import CATALOG
from support.services import changed

EVENT = {
    "version": "2.0",
    "rawPath": "/v1/runtime-config",
    "requestContext": {"http": {"method": "GET", "path": "/v1/runtime-config"}, "requestId": "request-1"},
}


@pytest.mark.req("R138")
@pytest.mark.parametrize("on", [True, False])
def test_it_says_of_each_family_whether_its_tools_can_be_called(services: Services, *, on: bool) -> None:
    wiring.provide(changed(services, settings=replace(services.settings, memory_enabled=on)))

    response = handler(EVENT, None)

    assert response["statusCode"] == 200
    body = json.loads(response["body"])
    assert (body["tools"]["memory"], body["version"]) == (on, __version__)
    assert set(body) == {"tools", "version"}
    assert set(body["tools"]) == {tool.family for tool in CATALOG}
    assert response["headers"]["cache-control"] == "max-age=60"


def test_it_asks_no_store(services: Services) -> None:
    broken: Any = None
    wiring.provide(changed(services, health=broken))

    assert handler(EVENT, None)["statusCode"] == 200


@pytest.mark.parametrize("switches", [{"acme": True}, {"acme": False}])
def test_no_tenant_s_own_switch_shows(services: Services, switches: Mapping[str, bool]) -> None:
    def answer(settings: Settings) -> str:
        wiring.provide(changed(services, settings=settings))
        return handler(EVENT, None)["body"]

    off = replace(services.settings, memory_enabled=False)

    assert answer(replace(off, memory_switches=switches)) == answer(off)


def test_a_family_is_on_while_any_of_its_tools_is() -> None:
    first, *others = [tool for tool in CATALOG if tool.family == "memory"]
    apart = (replace(first, family="other"), *others)

    def shown(*off: str) -> dict[str, bool]:
        return families(apart, Settings(memory_enabled=True, tool_switches=dict.fromkeys(off, False)))

    assert shown() == {"other": True, "memory": True}
    assert shown(first.name) == {"other": False, "memory": True}
    assert shown(others[0].name) == {"other": True, "memory": True}
    assert shown(*(tool.name for tool in others)) == {"other": True, "memory": False}
