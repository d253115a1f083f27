"""Enrichment delays and fails no call, whatever the store does."""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import count
from threading import Event
from types import SimpleNamespace
from typing import Any

import pytest

from cairn.ground.errors import Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.settings import EnrichmentSettings
from cairn.services import Services
from cairn.telemetry.record import recorded
from cairn.tool import enrichment
from cairn.tool.enrichment import AutoMemorySystem
from cairn_tools.oc_diagnostic_pod_health import EXAMPLE
from support.enrichment import PODS, SlowTable, SpyTool
from support.processor import seconds_of

_MOST_MS = EnrichmentSettings().timeout_ms


@pytest.mark.req("R282")
def test_off_it_costs_less_than_a_millisecond(services: Services) -> None:
    memory = AutoMemorySystem(services, Tenant("acme"))

    def two_hundred() -> None:
        for _ in range(200):
            memory.look_up(PODS.name, EXAMPLE, "monday")
            memory.record(PODS.name, EXAMPLE, "monday")

    assert seconds_of(two_hundred) / 200 < 0.001


@pytest.mark.req("R224")
@pytest.mark.req("R214")
def test_a_store_that_hangs_delays_a_call_by_no_more_than_the_limit(
    spy: SpyTool, enrich: Callable[..., Services], ask: Callable[..., Any], table: SlowTable
) -> None:
    enrich(timeout_ms=100)
    expected = ask()
    release = Event()

    def hang() -> None:
        release.wait(20)

    table.fault = hang
    started = time.monotonic()
    with recorded("request-1") as record:
        assert ask() == expected
    took = time.monotonic() - started
    release.set()
    assert 0.095 <= took < 5
    assert "memoryContext" not in spy.requests[-1].model_dump(by_alias=True, exclude_none=True)
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

    enrich(timeout_ms=_MOST_MS)
    monkeypatch.setattr(enrichment, "within", waiting)
    monkeypatch.setattr(enrichment, "time", SimpleNamespace(monotonic=lambda: next(ticks)))
    ask()
    assert waited == [pytest.approx(0.38), pytest.approx(0.08)]


@pytest.mark.req("R224")
@pytest.mark.parametrize("takes", [0.0, 0.2, 0.38, 0.5, 20.0])
def test_however_long_the_look_up_takes_a_call_is_delayed_by_400_ms_at_most_though_its_record_hangs(
    takes: float,
    spy: SpyTool,
    enrich: Callable[..., Services],
    ask: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    enrich(timeout_ms=_MOST_MS)
    expected, calls, now = ask(), [takes, 20.0], [0.0]

    def waiting(seconds: float, call: Callable[[], Any]) -> Any:
        taken = calls.pop(0)
        now[0] += min(taken, max(seconds, 0))
        if taken > seconds:
            raise Unavailable("no answer in time")
        return call()

    monkeypatch.setattr(enrichment, "within", waiting)
    monkeypatch.setattr(enrichment, "time", SimpleNamespace(monotonic=lambda: now[0]))
    assert ask() == expected
    assert (calls, now[0] <= 0.4) == ([], True)
    assert (spy.told[-1] is None) is (takes > 0.4)


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


def test_a_session_s_name_that_is_none_fails_no_call(enrich: Callable[..., Services]) -> None:
    memory = AutoMemorySystem(enrich(), Tenant("acme"))
    assert memory.look_up(PODS.name, EXAMPLE, "../monday").outcome == "error"
    memory.record(PODS.name, EXAMPLE, "../monday")
