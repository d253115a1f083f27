"""The pod tool, spied upon, in a process whose calls are told of earlier ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from cairn import wiring
from cairn.access.callers import Caller
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.settings import EnrichmentSettings
from cairn.services import Services
from cairn.tool.call import Call, execute
from cairn_mcp import door
from cairn_tools.oc_diagnostic_pod_health import EXAMPLE
from support.enrichment import NAMES, PODS, SlowTable, SpyTool
from support.services import services_over


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> SpyTool:
    """The pod tool of the catalog, spied upon, at every door."""
    spy = SpyTool()
    catalog = tuple(spy.tool if tool.name == PODS.name else tool for tool in door.CATALOG)
    monkeypatch.setattr(door, "CATALOG", catalog)
    monkeypatch.setattr("cairn_tools.catalog.CATALOG", catalog)
    return spy


@pytest.fixture
def table(adapters: Adapters) -> SlowTable:
    assert isinstance(adapters.table, SqliteTable)
    return SlowTable(adapters.table)


@pytest.fixture
def enrich(services: Services, adapters: Adapters, table: SlowTable) -> Callable[..., Services]:
    """Return a function that switches enrichment on, with these knobs, for this process.

    What a call may wait is the most there is, so that a busy machine does not decide what a tool is told.
    """

    def switch(*, enabled: bool = True, timeout_ms: int = 5000, **knobs: Any) -> Services:
        enrichment = EnrichmentSettings(enabled=enabled, timeout_ms=timeout_ms, **knobs)
        settings = replace(services.settings, enrichment=enrichment)
        slow: Any = table
        built = services_over(replace(adapters, table=slow), settings, sandbox=services.sandbox)
        wiring.provide(built)
        return built

    return switch


@pytest.fixture
def ask(spy: SpyTool, caller: Caller) -> Callable[..., dict[str, Any]]:
    """Return a function that calls the spied tool in a session."""

    def call(arguments: dict[str, Any] = EXAMPLE, names: dict[str, str] = NAMES) -> dict[str, Any]:
        return execute([spy.tool], PODS.name, arguments, Call(caller, wiring.services(), names=names))

    return call
