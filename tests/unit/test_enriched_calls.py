"""Standard tools that are told of earlier calls: through every door, in bounded time, and never a word of content."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any, TypeAlias

import pytest

from builders import FakeClock, cold
from cairn.domain import codec
from cairn.domain.callers import Caller
from cairn.domain.enrichment import ContextSummary
from cairn.domain.errors import CairnError, NotFound, Unavailable
from cairn.domain.ids import Project, SessionId, Tenant, TurnId
from cairn.domain.items import message
from cairn.domain.settings import EnrichmentSettings
from cairn.domain.table import Put, Query
from cairn.domain.turns import Completion, Session
from cairn.edge import enrichment
from cairn.edge.dispatch import execute
from cairn.edge.enrichment import AutoMemorySystem
from cairn.edge.tool import Call, Tool
from cairn.embedded.table import SqliteTable
from cairn.runtime import wiring
from cairn.runtime.metrics import samples
from cairn.runtime.telemetry import CallRecord, recorded
from cairn.runtime.wiring import Services
from cairn.service.executions import Place
from cairn.service.world import World
from cairn_mcp import door
from cairn_tools.mcp_pipe import mcp_pipe
from cairn_tools.oc_diagnostic_pod_health import EXAMPLE, Diagnosis, PodHealth, oc_diagnostic_pod_health

EventOf: TypeAlias = Callable[..., dict[str, Any]]
CANARY = "canary-4f6e1b"
PODS = oc_diagnostic_pod_health
NAMES = {"project": "garden", "session_id": "monday"}
GARDEN = Place(Tenant("acme"), Project("garden"), SessionId("monday"))
CRASHED: dict[str, Any] = {**EXAMPLE, "pods": {"kind": "PodList", "items": [], "note": "CrashLoopBackOff"}}


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


@pytest.fixture
def spy(monkeypatch: pytest.MonkeyPatch) -> SpyTool:
    """The pod tool of the catalog, spied upon, at every door."""
    spy = SpyTool()
    catalog = tuple(spy.tool if tool.name == PODS.name else tool for tool in door.CATALOG)
    monkeypatch.setattr(door, "CATALOG", catalog)
    monkeypatch.setattr("cairn_tools.catalog.CATALOG", catalog)
    return spy


@pytest.fixture
def table(world: World) -> SlowTable:
    assert isinstance(world.table, SqliteTable)
    return SlowTable(world.table)


@pytest.fixture
def enrich(services: Services, world: World, table: SlowTable) -> Callable[..., Services]:
    """Return a function that switches enrichment on, with these knobs, for this process."""

    def switch(*, enabled: bool = True, **knobs: Any) -> Services:
        settings = replace(services.settings, enrichment=EnrichmentSettings(enabled=enabled, **knobs))
        slow: Any = table
        built = replace(wiring.build(settings, replace(world, table=slow)), sandbox=services.sandbox)
        wiring.provide(built)
        return built

    return switch


@pytest.fixture
def ask(spy: SpyTool, caller: Caller) -> Callable[..., dict[str, Any]]:
    """Return a function that calls the spied tool in a session."""

    def call(arguments: dict[str, Any] = EXAMPLE, names: dict[str, str] = NAMES) -> dict[str, Any]:
        return execute([spy.tool], PODS.name, arguments, Call(caller, wiring.services(), names=names))

    return call


def over_http(event_of: EventOf, spy: SpyTool) -> None:
    headers = {"x-cairn-project": "garden", "x-cairn-session": "monday"}
    assert spy.tool.handler(event_of("/", EXAMPLE, headers=headers), None)["statusCode"] == 200


def over_mcp(event_of: EventOf, _spy: SpyTool) -> None:
    params = {"name": PODS.name, "arguments": EXAMPLE}
    headers = {"x-cairn-project": "garden", "x-cairn-session": "monday"}
    event = event_of("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}, headers=headers)
    assert json.loads(door.handler(event, None)["body"])["result"]["isError"] is False


def in_a_pipe(event_of: EventOf, _spy: SpyTool) -> None:
    steps = {"steps": [{"id": "pods", "tool": PODS.name, "arguments": EXAMPLE}]}
    headers = {"x-cairn-project": "garden", "x-cairn-session": "monday"}
    assert mcp_pipe.handler(event_of("/", steps, headers=headers), None)["statusCode"] == 200


def kept(world: World, place: Place = GARDEN) -> list[dict[str, Any]]:
    """Return what was kept of the tool's calls, opened, oldest first."""
    items = world.table.query(Query(place.partition(PODS.name), "r#", "r#~")).items
    return [cold(world).vault.unseal(place.tenant, item) for item in items]


def say(services: Services, text: str, session_id: str = "monday") -> None:
    turn = Completion(
        turn_id=TurnId("turn-1"),
        user_id=None,
        inputs=(message("user", text),),
        outputs=(message("assistant", "Noted."),),
    )
    services.turns.after(Session(Tenant("acme"), Project("garden"), SessionId(session_id)), turn)


@pytest.mark.req("R210")
def test_off_a_tool_gets_what_was_sent_answers_the_same_and_the_store_hears_nothing(
    spy: SpyTool,
    enrich: Callable[..., Services],
    ask: Callable[..., Any],
    table: SlowTable,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    enrich(enabled=False)
    monkeypatch.setattr(enrichment, "enriched", None)  # calling it would fail
    off = ask(EXAMPLE)
    monkeypatch.undo()
    enrich()
    on = ask(EXAMPLE)
    assert codec.canonical(off) == codec.canonical(on)
    assert spy.requests[0].model_dump(by_alias=True, exclude_none=True) == EXAMPLE
    assert len(table.asked) == 2  # the look-up and the record of the call with it on


@pytest.mark.req("R282")
def test_off_it_costs_less_than_a_millisecond(services: Services) -> None:
    memory = AutoMemorySystem(services, Tenant("acme"))
    started = time.perf_counter()
    for _ in range(200):
        memory.look_up(PODS.name, EXAMPLE, "monday")
        memory.record(PODS.name, EXAMPLE, "monday")
    assert (time.perf_counter() - started) / 200 < 0.001


@pytest.mark.req("R216")
@pytest.mark.req("R221")
@pytest.mark.req("R231")
@pytest.mark.parametrize("through", [over_http, over_mcp, in_a_pipe])
def test_through_every_door_a_call_is_told_of_the_one_before(
    through: Callable[..., None], event_of: EventOf, spy: SpyTool, enrich: Callable[..., Services]
) -> None:
    enrich()
    for _ in range(2):
        through(event_of, spy)
    first, second = spy.told
    assert first is None
    assert second is not None
    (item,) = second["items"]
    assert {"tool:oc_diagnostic_pod_health", "namespace:shop", "error:memory"} <= set(item["tags"])
    assert second["summary"] == item["snippet"]
    assert item["snippet"].endswith("ended well; signs: eviction, memory")


@pytest.mark.req("R213")
@pytest.mark.req("R221")
def test_a_call_is_told_at_most_three_things_in_fifteen_hundred_bytes(
    spy: SpyTool, enrich: Callable[..., Services], ask: Callable[..., Any]
) -> None:
    enrich()
    for _ in range(6):
        ask(CRASHED)
    context = spy.told[-1]
    assert context is not None
    assert len(context["items"]) == 3
    assert len(json.dumps(context, ensure_ascii=False).encode()) <= 1500


@pytest.mark.req("R211")
def test_a_tool_that_is_not_on_the_list_is_not_told_but_its_calls_are_kept(
    spy: SpyTool, enrich: Callable[..., Services], ask: Callable[..., Any], world: World
) -> None:
    enrich(tools=("another_tool",))
    for _ in range(2):
        ask()
    assert spy.told == [None, None]
    assert [each["tags"][-3] for each in kept(world)] == ["mem_ctx:not_used"] * 2


@pytest.mark.req("R223")
def test_a_call_s_own_memory_context_goes_first(
    spy: SpyTool, enrich: Callable[..., Services], ask: Callable[..., Any]
) -> None:
    enrich()
    ask()
    own: dict[str, Any] = {"summary": "mine", "items": []}
    ask({**EXAMPLE, "memoryContext": own})
    assert spy.told[-1] == own


@pytest.mark.req("R220")
@pytest.mark.parametrize(
    ("mode", "earlier_call", "source"),
    [
        ("hybrid", True, "tool_exec"),
        ("hybrid", False, "conversation"),
        ("tool", False, None),
        ("conversation", True, "conversation"),
    ],
)
def test_the_session_s_conversation_is_asked_second_or_alone_as_the_mode_says(
    mode: Any, *, earlier_call: bool, source: str | None, enrich: Callable[..., Services], ask: Callable[..., Any]
) -> None:
    services = enrich(mode=mode)
    say(services, f"The shop pods crash: CrashLoopBackOff, {CANARY}")
    if earlier_call:
        ask()
    memory = AutoMemorySystem(services, Tenant("acme"), Project("garden"))
    found = memory.retrieve_relevant_context(PODS.name, {"namespace": "shop"}, "monday")
    assert {each.source for each in found} == ({source} if source else set())
    assert CANARY not in str(found)


@pytest.mark.req("R220")
def test_no_other_session_s_conversation_is_asked(enrich: Callable[..., Services]) -> None:
    services = enrich()
    say(services, "The shop pods crash: CrashLoopBackOff", session_id="tuesday")
    memory = AutoMemorySystem(services, Tenant("acme"), Project("garden"))
    assert memory.look_up(PODS.name, {"namespace": "shop"}, "monday").outcome == "success"
    for session_id, number in (("monday", 0), (None, 0), ("tuesday", 1)):
        assert len(memory.retrieve_relevant_context(PODS.name, {"namespace": "shop"}, session_id)) == number


@pytest.mark.parametrize("place", [("globex", "garden"), ("acme", "attic"), ("acme", None)])
def test_no_other_tenant_s_or_project_s_calls_are_told(
    place: tuple[str, str | None], enrich: Callable[..., Services], ask: Callable[..., Any]
) -> None:
    services = enrich()
    ask()
    tenant, project = place
    memory = AutoMemorySystem(services, Tenant(tenant), Project(project) if project else None)
    assert memory.retrieve_relevant_context(PODS.name, EXAMPLE, "monday") == ()


@pytest.mark.req("R226")
def test_no_word_of_earlier_calls_results_errors_or_talk_is_told(
    spy: SpyTool, enrich: Callable[..., Services], ask: Callable[..., Any]
) -> None:
    services = enrich()
    say(services, f"{CANARY} CrashLoopBackOff")
    ask({"namespace": CANARY, "pod": CANARY, "pods": {CANARY: [CANARY], "note": f"OOMKilled {CANARY}"}})
    spy.error = NotFound(f"There is no {CANARY}: FailedMount")
    with pytest.raises(NotFound):
        ask(EXAMPLE)
    spy.error = None
    ask({"namespace": "shop", "pod": "web-1"})
    assert spy.told[-1] is not None
    assert len(spy.told[-1]["items"]) == 2
    assert CANARY not in str(spy.told[-1])


@pytest.mark.req("R224")
@pytest.mark.req("R214")
def test_a_store_that_hangs_delays_a_call_by_no_more_than_the_limit(
    spy: SpyTool, enrich: Callable[..., Services], ask: Callable[..., Any], table: SlowTable
) -> None:
    enrich(timeout_ms=100)
    ask()
    release = Event()

    def hang() -> None:
        release.wait(20)

    table.fault = hang
    started = time.monotonic()
    with recorded("request-1") as record:
        ask()
    took = time.monotonic() - started
    release.set()
    assert 0.095 <= took < 5
    assert spy.told[-1] is None
    assert record.enrichment == "timeout"


@pytest.mark.req("R224")
def test_look_up_and_record_wait_for_less_than_the_limit_together(
    enrich: Callable[..., Services], ask: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []
    ticks = count(step=0.3)

    def waiting(seconds: float, call: Callable[[], Any]) -> Any:
        waited.append(seconds)
        return call()

    enrich()
    monkeypatch.setattr(enrichment, "within", waiting)
    monkeypatch.setattr(enrichment, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    ask()
    assert waited == [pytest.approx(0.38), pytest.approx(0.08)]


@pytest.mark.req("R224")
@pytest.mark.req("R228")
@pytest.mark.parametrize("fault", [Unavailable("no answer"), RuntimeError("broken"), KeyError("x")])
@pytest.mark.parametrize("loses_answers", [False, True])
def test_a_store_that_fails_fails_no_call(  # noqa: PLR0913 - the fixtures of a call
    fault: Exception,
    *,
    loses_answers: bool,
    spy: SpyTool,
    enrich: Callable[..., Services],
    ask: Callable[..., Any],
    table: SlowTable,
) -> None:
    def fail() -> None:
        raise fault

    enrich()
    expected = ask()
    table.fault, table.loses_answers = fail, loses_answers
    assert ask() == expected
    assert spy.told[-1] is None


@pytest.mark.req("R227")
@pytest.mark.req("R283")
def test_after_a_call_its_record_says_how_it_ended_and_what_it_was_told(
    spy: SpyTool, enrich: Callable[..., Services], ask: Callable[..., Any], world: World, clock: FakeClock
) -> None:
    enrich()
    ask({**EXAMPLE, "pods": {"token": CANARY, "items": ["x" * 500]}})
    clock.advance(seconds=1)
    spy.error = NotFound(f"No such pod {'y' * 500}")
    with pytest.raises(NotFound):
        ask()
    first, second = kept(world)
    assert {"mem_ctx:not_used", "mem_ctx:count:0"} < set(first["tags"])
    assert {"mem_ctx:used", "mem_ctx:count:1"} < set(second["tags"])
    assert any(tag.startswith("mem_ctx:latency:") for tag in second["tags"])
    assert CANARY not in first["args"]
    assert "x" * 129 not in first["args"]
    assert (first["failed"], first["error"], second["failed"], second["result"]) == (False, None, True, None)
    assert "OOMKilled" in first["result"]
    assert second["error"].startswith("NOT_FOUND: No such pod")
    assert len(second["error"]) <= 240


def test_what_is_kept_is_sealed_and_ends(
    enrich: Callable[..., Services], ask: Callable[..., Any], world: World, clock: FakeClock
) -> None:
    services = enrich(retention_days=2)
    ask()
    (item,) = world.table.query(Query(GARDEN.partition(PODS.name), "r#", "r#~")).items
    assert set(item) == {"pk", "sk", "expires_at", "kid", "data"}
    memory = AutoMemorySystem(services, Tenant("acme"), Project("garden"))
    for hours, number in ((47, 1), (2, 0)):
        clock.advance(hours=hours)
        assert len(memory.retrieve_relevant_context(PODS.name, EXAMPLE, "monday")) == number


@pytest.mark.req("R225")
@pytest.mark.req("R229")
def test_the_log_says_how_many_memories_and_standard_output_nothing(
    enrich: Callable[..., Services],
    ask: Callable[..., Any],
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    caplog.set_level("INFO", logger="cairn")
    enrich()
    for _ in range(2):
        ask()
    said = [each.getMessage() for each in caplog.records if "memor" in each.getMessage()]
    assert said == ["Found 0 relevant memories", "Found 1 relevant memories"]
    assert CANARY not in caplog.text
    assert capfd.readouterr().out == ""


@pytest.mark.req("R218")
def test_other_people_s_tools_ask_and_record_in_a_few_lines(enrich: Callable[..., Services]) -> None:
    config = EnrichmentSettings(enabled=True, tools=("kubectl_node_drain",), top_k=2)
    memory = AutoMemorySystem(enrich(enabled=False), Tenant("acme"), Project("garden"), config)
    memory.initialize()
    asked = {"namespace": "shop"}
    assert memory.retrieve_relevant_context("kubectl_node_drain", asked, "monday") == ()
    for _ in range(3):
        memory.record("kubectl_node_drain", asked, "monday", error="context deadline exceeded")
    found: Sequence[ContextSummary] = memory.retrieve_relevant_context("kubectl_node_drain", asked, "monday")
    assert len(found) == 2
    assert {"tool:kubectl_node_drain", "resource:node", "error:timeouts", "domain:kubernetes"} <= set(found[0].tags)
    assert memory.look_up("another_tool", asked, "monday").outcome == "not-eligible"


@pytest.mark.req("R232")
def test_tools_of_the_second_phase_are_switched_on_by_name_and_told_of_their_own_calls_alone(
    enrich: Callable[..., Services],
) -> None:
    named = ("oc_diagnostic_namespace_health", "oc_diagnostic_rca_checklist", "oc_read_get_pods")
    memory = AutoMemorySystem(enrich(tools=named), Tenant("acme"), Project("garden"))
    for tool in (*named, PODS.name):
        memory.record(tool, {"namespace": "shop"}, "monday", error=f"FailedScheduling {tool}")
    for tool in named:
        (found,) = memory.retrieve_relevant_context(tool, {"namespace": "shop"}, "monday")
        assert {f"tool:{tool}", "namespace:shop", "error:scheduling"} <= set(found.tags)
    assert memory.look_up(PODS.name, {"namespace": "shop"}, "monday").outcome == "not-eligible"


@pytest.mark.req("R218")
def test_the_how_to_s_lines_do_what_it_says(enrich: Callable[..., Services]) -> None:
    page = Path(__file__).parents[2].joinpath("docs/how-to/enrich-your-tools.md").read_text(encoding="utf-8")
    (lines,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    enrich(enabled=False)
    for number in (0, 1):
        said: dict[str, Any] = {}
        exec(lines, said)  # noqa: S102 - a page of this repository
        assert len(said["found"]) == number


def test_a_session_s_name_that_is_none_fails_no_call(enrich: Callable[..., Services]) -> None:
    memory = AutoMemorySystem(enrich(), Tenant("acme"))
    assert memory.look_up(PODS.name, EXAMPLE, "../monday").outcome == "error"
    memory.record(PODS.name, EXAMPLE, "../monday")


@pytest.mark.req("R282")
def test_each_outcome_is_counted_and_a_call_that_is_not_eligible_is_no_look_up() -> None:
    found: dict[str, list[tuple[str, float]]] = {}
    for outcome in ("not-eligible", "success", "timeout", "error"):
        record = CallRecord("request-1", tool=PODS.name, enrichment=outcome, enrichment_ms=7.0)
        moved = [each for each in samples(record) if each.metric.name.startswith("memory_enrichment")]
        assert moved[0].labels == {"reason": outcome}
        found[outcome] = [(each.metric.name.removeprefix("memory_enrichment_"), each.value) for each in moved]
    assert found == {
        "not-eligible": [("total", 1)],
        "success": [("total", 1), ("latency_ms", 7), ("errors", 0), ("timeouts", 0)],
        "timeout": [("total", 1), ("latency_ms", 7), ("errors", 0), ("timeouts", 1)],
        "error": [("total", 1), ("latency_ms", 7), ("errors", 1), ("timeouts", 0)],
    }
    assert not [each for each in samples(CallRecord("request-1", tool=PODS.name)) if "enrichment" in each.metric.name]


def test_a_warm_look_up_is_one_query_and_its_record_one_put(
    enrich: Callable[..., Services], ask: Callable[..., Any], table: SlowTable
) -> None:
    enrich()
    ask()
    table.asked.clear()
    ask()
    assert len(table.asked) == 2
