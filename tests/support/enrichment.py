"""A tool that shows what it is told, a table that can be slow, and what is kept of calls."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from cairn.embedded.table import SqliteTable
from cairn.enrichment.executions import ExecutionScope
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError
from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.table import Put, Query
from cairn.tool.call import Call
from cairn.tool.tool import Tool
from cairn_tools.oc_diagnostic_pod_health import Diagnosis, PodHealth, oc_diagnostic_pod_health
from support.turns import cold

CANARY = "canary-4f6e1b"
PODS = oc_diagnostic_pod_health
NAMES = {"project": "garden", "session_id": "monday"}
GARDEN = ExecutionScope(Tenant("acme"), Project("garden"), SessionId("monday"))


class SlowTable:
    """A store in which what standard tools keep can hang, fail, or lose its acknowledgement."""

    def __init__(self, table: SqliteTable) -> None:
        self._table = table
        self.fault: Callable[[], None] | None = None
        self.loses_answers = False
        self.asked: list[str] = []

    def query(self, query: Query) -> Any:
        self._enter(query.pk)
        return self._table.query(query)

    def put(self, write: Put) -> None:
        pk = str(write.item["pk"])
        if not self.loses_answers:
            self._enter(pk)
        self._table.put(write)
        if self.loses_answers:
            self._enter(pk)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def _enter(self, pk: str) -> None:
        if "#x#" in pk:
            self.asked.append(pk)
            if self.fault is not None:
                self.fault()


class SpyTool:
    """The pod tool with an eye on what it is asked."""

    def __init__(self) -> None:
        self.requests: list[PodHealth] = []
        self.error: CairnError | None = None
        self.answer = Diagnosis(findings=[], summary=f"1 pod looked at: OOMKilled {CANARY}")
        self.tool: Tool = replace(PODS, run=self._run)

    def _run(self, request: PodHealth, _call: Call) -> Diagnosis:
        self.requests.append(request)
        if self.error is not None:
            raise self.error
        return self.answer

    @property
    def told(self) -> list[dict[str, Any] | None]:
        return [each.memory_context for each in self.requests]


def kept(adapters: Adapters, place: ExecutionScope = GARDEN) -> list[dict[str, Any]]:
    """Return what was kept of the tool's calls, opened, oldest first."""
    items = adapters.table.query(Query(place.partition(PODS.name), "r#", "r#~")).items
    return [cold(adapters).vault.unseal(place.tenant, item) for item in items]
