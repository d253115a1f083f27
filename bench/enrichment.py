"""What enrichment costs a standard tool's call: off and on, with a store that answers, is slow, hangs or fails.

The hook is all that stands around the tool's own work: the look-up before it and the record after it. A whole call has
validation, rates and the audit record around that. The tool does nothing here, so that its time is nothing. Round trips
and bytes do not depend on the machine; milliseconds do.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import quantiles
from threading import Event
from typing import Any

from pydantic import BaseModel

from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.embedded.blobs import DirectoryBlobs
from cairn.embedded.keyring import LocalKeyRing
from cairn.embedded.queue import InProcessJobs
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.ports import Table as Items
from cairn.ground.session import Session
from cairn.ground.settings import EnrichmentSettings, RateSettings
from cairn.process.system import SystemClock, SystemEntropy, in_turn
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.tool.call import Call
from cairn.tool.enrichment import AutoMemorySystem, enriched
from cairn.tool.tool import Tool
from cairn.turns.after_turn import commit
from cairn_tools.oc_diagnostic_pod_health import EXAMPLE, Diagnosis, PodHealth, oc_diagnostic_pod_health
from metering import Meter, MeteredTable
from over_adapters import services_over
from report import Table, options, publish

TENANT, PROJECT, SESSION_ID = Tenant("bench"), Project("bench"), SessionId("monday")
EARLIER = 64
CALLS, FEW = 1000, 20
SLOW_SECONDS, SLOWER_SECONDS = 0.05, 0.3
ANSWER = Diagnosis(findings=[], summary="1 pod looked at: OOMKilled")
NO_RATES = RateSettings(tenant_per_second=0, tool_per_second=0, namespace_per_second=0)
OFF, ON = EnrichmentSettings(), EnrichmentSettings(enabled=True)
COLUMNS = ("p50 ms", "p95 ms", "longest ms", "bytes told", "answers changed")


@dataclass(frozen=True, slots=True)
class Scene:
    """A setting of the flag and what the store does at each call."""

    title: str
    calls: int
    settings: EnrichmentSettings
    store: Callable[[], None] = field(default=lambda: None)


class Beset:
    """A table at each of whose calls something happens first."""

    def __init__(self, table: Items, before: Callable[[], None]) -> None:
        """Stand in front of this table."""
        self._table = table
        self._before = before

    def __getattr__(self, name: str) -> Any:
        """Return the table's method with the other thing before it."""
        call = getattr(self._table, name)

        def beset(*given: Any) -> Any:
            self._before()
            return call(*given)

        return beset


class IdleTool:
    """The pod tool without its work; keeps how much it was told, and whether it was given anything else than sent."""

    def __init__(self) -> None:
        """Start with nothing told."""
        self.told: list[int] = []
        self.tool: Tool = replace(oc_diagnostic_pod_health, run=self.run)

    def run(self, request: BaseModel, _call: Call | None = None) -> Diagnosis:
        """Answer, and note what was told."""
        given = request.model_dump(mode="json", by_alias=True, exclude_none=True)
        context = given.pop("memoryContext", None)
        self.told.append(len(json.dumps(context, ensure_ascii=False).encode()) if context else 0)
        return ANSWER if given == EXAMPLE else Diagnosis(findings=[], summary="not what was sent")


def main() -> None:
    """Print both tables."""
    given = options(__doc__).parse_args()
    ended = Event()
    with tempfile.TemporaryDirectory() as directory:
        table = SqliteTable(Path(directory) / "table.sqlite3")
        adapters = _adapters(table, Path(directory))
        _talk(services_over(adapters, _settings(OFF)))
        try:
            hooks = [_hook(scene, adapters) for scene in _scenes(ended)]
            calls = _calls(adapters)
        finally:
            ended.set()
            table.close()
    note = f"At most {ON.timeout_ms} ms are allowed, and {ON.summary_bytes:,} bytes; a slow store waits at every call."
    hook = Table("The hook", ("flag and store", "calls", "round trips", *COLUMNS), hooks, note)
    whole = Table("The whole call, the flag off and on by turns", ("flag", "calls", *COLUMNS), calls)
    publish("enrichment", [hook, whole], given)


def _scenes(ended: Event) -> Sequence[Scene]:
    def fails() -> None:
        raise Unavailable("no answer")

    def hangs() -> None:
        ended.wait()

    heard = replace(ON, mode="conversation")
    return (
        Scene("off", CALLS, OFF),
        Scene("on, another tool is named", CALLS, replace(ON, tools=("another",))),
        Scene(f"on, {EARLIER} earlier calls", CALLS, ON),
        Scene("on, the conversation is asked", CALLS, heard),
        Scene(f"on, each answer takes {SLOW_SECONDS * 1000:.0f} ms", FEW, ON, lambda: time.sleep(SLOW_SECONDS)),
        Scene(f"on, each answer takes {SLOWER_SECONDS * 1000:.0f} ms", FEW, ON, lambda: time.sleep(SLOWER_SECONDS)),
        Scene("on, the store hangs", FEW, ON, hangs),
        Scene("on, the store fails", CALLS, ON, fails),
    )


def _hook(scene: Scene, adapters: Adapters) -> list[Any]:
    """Return the row of a scene, after calls that a store without faults has kept."""
    meter, idle = Meter(), IdleTool()
    beset: Any = Beset(MeteredTable(adapters.table, meter), scene.store)
    well = AutoMemorySystem(services_over(adapters, _settings(scene.settings)), TENANT, PROJECT)
    for _ in range(EARLIER):
        _call_hook(well, IdleTool())
    memory = AutoMemorySystem(services_over(replace(adapters, table=beset), _settings(scene.settings)), TENANT, PROJECT)
    _call_hook(memory, idle)
    meter.rounds = 0
    answered = _call_hook(memory, idle)
    rounds = meter.rounds
    timed = [_timed(lambda: _call_hook(memory, idle)) for _ in range(scene.calls)]
    answers = [answered, *(answer for _, answer in timed)]
    return [scene.title, scene.calls, rounds, *_figures([ms for ms, _ in timed], idle.told, answers)]


def _calls(adapters: Adapters) -> list[list[Any]]:
    """Return the rows of whole calls, taken by turns so that what else the machine does falls on both."""
    caller = Caller(TENANT, frozenset({"read", "write"}), "bench", (ALL_PROJECTS,))
    names = {"project": PROJECT, "session_id": SESSION_ID}
    sides = {
        flag: (Call(caller, services_over(adapters, _settings(settings)), names=names), IdleTool())
        for flag, settings in (("off", OFF), ("on", ON))
    }
    taken: dict[str, list[tuple[float, Any]]] = {flag: [] for flag in sides}
    for _ in range(CALLS):
        for flag, (call, idle) in sides.items():
            taken[flag].append(_timed(lambda idle=idle, call=call: idle.tool.execute(EXAMPLE, call)))
    return [
        [flag, CALLS, *_figures([ms for ms, _ in taken[flag]], idle.told, [answer for _, answer in taken[flag]])]
        for flag, (_, idle) in sides.items()
    ]


def _call_hook(memory: AutoMemorySystem, idle: IdleTool) -> dict[str, Any]:
    request = PodHealth.model_validate(EXAMPLE)
    return enriched(memory, idle.tool.name, SESSION_ID, request, idle.run).model_dump(mode="json")


def _timed(call: Callable[[], dict[str, Any]]) -> tuple[float, dict[str, Any]]:
    started = time.perf_counter()
    answer = call()
    return (time.perf_counter() - started) * 1000, answer


def _figures(taken: Sequence[float], told: Sequence[int], answers: Sequence[dict[str, Any]]) -> list[Any]:
    """Return the figures of COLUMNS; an answer is changed unless it is byte for byte what the tool gave."""
    twentieths = quantiles(taken, n=20)
    expected = json.dumps(ANSWER.model_dump(mode="json"))
    changed = sum(json.dumps(answer) != expected for answer in answers)
    return [*(round(each, 3) for each in (twentieths[9], twentieths[18], max(taken))), max(told), changed]


def _talk(services: Services) -> None:
    """Say something about pods in the session, for the conversation to be asked about."""
    said, answered = message("user", "The shop's pods are in CrashLoopBackOff."), message("assistant", "Noted.")
    turn = Completion(turn_id=TurnId("turn-1"), inputs=(said,), outputs=(answered,))
    commit(services, Session(TENANT, PROJECT, SESSION_ID), turn)


def _settings(enrichment: EnrichmentSettings) -> Settings:
    return Settings(memory_enabled=True, enrichment=enrichment, rate_limits=NO_RATES)


def _adapters(table: SqliteTable, directory: Path) -> Adapters:
    blobs, keys = DirectoryBlobs(directory / "blobs"), LocalKeyRing(bytes(range(32)))
    jobs = InProcessJobs(lambda _: None)
    return Adapters(table, blobs, keys, SystemClock(), SystemEntropy(), in_turn, jobs)


if __name__ == "__main__":
    main()
