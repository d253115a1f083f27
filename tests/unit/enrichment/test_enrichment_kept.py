"""What is kept, logged and counted of an enriched call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import NotFound
from cairn.ground.ids import Project, Tenant
from cairn.ground.table import Query
from cairn.services import Services
from cairn.telemetry.metrics import samples
from cairn.telemetry.record import CallRecord
from cairn.tool.enrichment import AutoMemorySystem
from cairn_tools.oc_diagnostic_pod_health import EXAMPLE
from support.doubles import FakeClock
from support.enrichment import CANARY, GARDEN, PODS, SlowTable, SpyTool, kept


@pytest.mark.req("R227")
@pytest.mark.req("R283")
def test_after_a_call_its_record_says_how_it_ended_and_what_it_was_told(
    spy: SpyTool, enrich: Callable[..., Services], ask: Callable[..., Any], adapters: Adapters, clock: FakeClock
) -> None:
    enrich()
    ask({**EXAMPLE, "pods": {"token": CANARY, "items": ["x" * 500]}})
    clock.advance(seconds=1)
    spy.error = NotFound(f"No such pod {'y' * 500}")
    with pytest.raises(NotFound):
        ask()
    first, second = kept(adapters)
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
    enrich: Callable[..., Services], ask: Callable[..., Any], adapters: Adapters, clock: FakeClock
) -> None:
    services = enrich(retention_days=2)
    ask()
    (item,) = adapters.table.query(Query(GARDEN.partition(PODS.name), "r#", "r#~")).items
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
