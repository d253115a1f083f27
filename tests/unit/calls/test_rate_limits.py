"""Rate limits: bursts pass, sustained excess is refused and recovers, and no number of processes gets more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn import wiring
from cairn.calls import layout
from cairn.calls.rate_limits import RateLimits
from cairn.edge import problems
from cairn.embedded.table import SqliteTable
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, RateLimited
from cairn.ground.ids import Tenant
from cairn.ground.rates import Bucket, Rate
from cairn.ground.settings import RateSettings
from cairn.ground.table import Key, Put
from cairn.process.system import in_turn
from cairn.settings.settings import load
from cairn.tool.call import Call
from cairn_mcp.door import handler as mcp_handler
from cairn_tools.memory_after_turn import memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from support.doubles import Counted
from support.services import services_over

ACME = Tenant("acme")
SMALL = Rate(2.0, 5)
many = settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
NONE = RateSettings(tenant_per_second=0, tool_per_second=0, namespace_per_second=0)


def bucket(rate: Rate = SMALL, name: str = "x", tenant: Tenant = ACME) -> Bucket:
    return Bucket(tenant, "tool", name, rate)


def anywhere() -> Adapters:
    """Return adapters of which a limit needs the table and the clock only."""
    unused: Any = None
    return Adapters(unused, unused, unused, unused, unused, in_turn, unused)


def nothing() -> None:
    """Do nothing."""


def taken(limits: RateLimits, asked: Bucket, tries: int) -> int:
    """Return how many of so many calls get a token."""
    return sum(is_let_in(limits, asked) for _ in range(tries))


def is_let_in(limits: RateLimits, *asked: Bucket) -> bool:
    try:
        for renew in limits.take(asked, nothing):
            renew()
    except RateLimited:
        return False
    return True


@pytest.mark.req("R172")
def test_a_burst_passes_sustained_excess_is_refused_and_then_recovers(adapters: Adapters, clock: Any) -> None:
    limits = RateLimits(adapters)

    assert taken(limits, bucket(), 9) == 5
    clock.advance(seconds=1)
    assert taken(limits, bucket(), 9) == 2
    clock.advance(seconds=60)
    assert taken(limits, bucket(), 9) == 5


@pytest.mark.req("R170")
def test_a_refusal_says_how_long_to_wait_and_after_that_a_call_passes(adapters: Adapters, clock: Any) -> None:
    limits = RateLimits(adapters)
    taken(limits, bucket(), 5)

    with pytest.raises(RateLimited) as refused:
        limits.take([bucket()], nothing)

    assert refused.value.details == {"limit": "tool", "retry_after_ms": 500}
    assert refused.value.retryable
    clock.advance(milliseconds=499)
    assert not is_let_in(limits, bucket())
    clock.advance(milliseconds=1)
    assert is_let_in(limits, bucket())


@pytest.mark.req("R171")
def test_buckets_do_not_touch_each_other(adapters: Adapters) -> None:
    limits = RateLimits(adapters)

    assert taken(limits, bucket(name="x"), 9) == 5
    assert taken(limits, bucket(name="y"), 9) == 5
    assert taken(limits, bucket(tenant=Tenant("other")), 9) == 5
    assert taken(limits, replace(bucket(name="x"), limit="namespace"), 9) == 5


def test_a_bucket_that_is_damaged_is_made_anew_for_all_processes(adapters: Adapters) -> None:
    where = Key(layout.rates_pk(ACME), layout.rate_sk("tool", "x"))
    adapters.table.put(Put({"pk": where.pk, "sk": where.sk, "full_at": "soon"}))

    assert taken(RateLimits(adapters), bucket(), 9) == 5
    assert taken(RateLimits(adapters), bucket(), 9) == 0


def test_a_call_that_one_bucket_refuses_takes_of_none(adapters: Adapters) -> None:
    limits = RateLimits(adapters)
    wide, narrow = bucket(Rate(1.0, 3), "wide"), bucket(Rate(1.0, 1), "narrow")

    assert [is_let_in(limits, wide, narrow) for _ in range(4)] == [True, False, False, False]
    assert taken(limits, wide, 9) == 2


@pytest.mark.req("R172")
@pytest.mark.req("R180")
@many
@given(
    rate=st.builds(Rate, st.floats(0.01, 1000), st.integers(1, 400)),
    steps=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30_000), st.integers(1, 60)), max_size=30),
)
def test_processes_together_never_get_more_than_the_burst_and_what_time_adds(
    clock: Any, rate: Rate, steps: list[tuple[int, int, int]]
) -> None:
    table = SqliteTable(Path(":memory:"))
    adapters = replace(anywhere(), table=table, clock=clock)
    processes = [RateLimits(adapters) for _ in range(4)]
    started, passed = clock.now(), 0

    for process, milliseconds, calls in steps:
        clock.advance(milliseconds=milliseconds)
        passed += taken(processes[process], bucket(rate), calls)
        seconds = (clock.now() - started).total_seconds()
        assert passed <= rate.burst + rate.per_second * seconds
    table.close()


@pytest.mark.req("R172")
@many
@given(rate=st.builds(Rate, st.floats(0.01, 1000), st.integers(1, 400)))
def test_one_process_gets_its_whole_burst_and_waits_no_longer_than_told(clock: Any, rate: Rate) -> None:
    table = SqliteTable(Path(":memory:"))
    adapters = replace(anywhere(), table=table, clock=clock)
    limits = RateLimits(adapters)

    assert taken(limits, bucket(rate), rate.burst + 5) == rate.burst
    with pytest.raises(RateLimited) as refused:
        limits.take([bucket(rate)], nothing)
    clock.advance(milliseconds=int(str(refused.value.details["retry_after_ms"])))
    assert is_let_in(limits, bucket(rate))
    table.close()


@pytest.mark.slow
@pytest.mark.req("R172")
@pytest.mark.req("R180")
@pytest.mark.parametrize(("burst", "passes"), [(40, 40), (1000, 1000)])
def test_32_threads_of_4_processes_at_once_get_the_burst_and_not_one_more(
    adapters: Adapters, burst: int, passes: int
) -> None:
    processes = [RateLimits(adapters) for _ in range(4)]
    together, asked = Barrier(32), bucket(Rate(0.001, burst))

    def calls(number: int) -> int:
        together.wait()
        return taken(processes[number % 4], asked, 80)

    with ThreadPoolExecutor(32) as threads:
        total = sum(threads.map(calls, range(32)))

    assert passes * 0.9 <= total <= passes


def test_most_calls_ask_the_table_for_nothing(adapters: Adapters) -> None:
    calls: list[str] = []
    limits = RateLimits(replace(adapters, table=Counted(adapters.table, calls)))  # pyright: ignore[reportArgumentType]

    assert taken(limits, bucket(Rate(250, 2500)), 500) == 500

    assert Counter(calls) == {"put": 11}


def test_tokens_are_renewed_beside_a_call_and_not_before_one(adapters: Adapters) -> None:
    calls: list[str] = []
    limits = RateLimits(replace(adapters, table=Counted(adapters.table, calls)))  # pyright: ignore[reportArgumentType]
    asked = bucket(Rate(250, 2500))

    renewals = [limits.take([asked], nothing) for _ in range(25)]
    assert [len(each) for each in renewals] == [0] * 24 + [1]
    assert calls == ["put"]

    renewals[-1][0]()
    for _ in range(50):
        limits.take([asked], nothing)
    assert calls == ["put", "put"]


def limited(call: Call, adapters: Adapters, **rates: Any) -> Call:
    """Return the call in a process with these rates, and no others."""
    given_rates = replace(call.services.settings, rate_limits=replace(NONE, **rates))
    return replace(call, services=services_over(adapters, given_rates))


def statuses(call: Call, tool: Any, times: int, **fields: Any) -> list[str]:
    found: list[str] = []
    for _ in range(times):
        try:
            tool.execute({**tool.example, **fields}, call)
            found.append("OK")
        except CairnError as error:
            found.append(error.code)
    return found


@pytest.mark.req("R170")
def test_tools_have_rates_of_their_own(call: Call, adapters: Adapters) -> None:
    document = {
        "settings": {
            "mcp": {
                "rate_limits": {"tool_per_second": 1.0, "tool_burst": 3},
                "tools": {"memory": {"enabled": True}, "memory_after_turn": {"per_second": 0.5, "burst": 1}},
            }
        }
    }
    services = services_over(adapters, load(document, {}))

    assert statuses(replace(call, services=services), memory_before_turn, 4) == ["OK"] * 3 + ["RATE_LIMITED"]
    assert statuses(replace(call, services=services), memory_after_turn, 2) == ["OK", "RATE_LIMITED"]


@pytest.mark.req("R171")
def test_a_project_s_rate_leaves_other_projects_and_tools_alone(call: Call, adapters: Adapters) -> None:
    few = limited(call, adapters, namespace_per_second=1.0, namespace_burst=2)

    assert statuses(few, memory_before_turn, 3) == ["OK", "OK", "RATE_LIMITED"]
    assert statuses(few, memory_after_turn, 1) == ["RATE_LIMITED"]
    assert statuses(few, memory_before_turn, 1, project="orchard") == ["OK"]


@pytest.mark.req("R180")
def test_a_call_over_the_rate_does_nothing(call: Call, adapters: Adapters, store: Any) -> None:
    few = limited(call, adapters, tenant_per_second=1.0, tenant_burst=1)
    assert statuses(few, memory_before_turn, 1) == ["OK"]
    before = store.rows()

    assert statuses(few, memory_after_turn, 3) == ["RATE_LIMITED"] * 3

    assert store.rows() == before


def test_denied_calls_are_held_to_the_rate_too(call: Call, adapters: Adapters) -> None:
    few = limited(call, adapters, tenant_per_second=1.0, tenant_burst=2)
    denied = replace(few, caller=replace(few.caller, scopes=frozenset[str]()))

    assert statuses(denied, memory_after_turn, 3) == ["PERMISSION_DENIED", "PERMISSION_DENIED", "RATE_LIMITED"]


@pytest.mark.req("R170")
def test_every_door_tells_when_to_come_again(
    call: Call, adapters: Adapters, event_of: Callable[..., dict[str, Any]]
) -> None:
    wiring.provide(limited(call, adapters, tool_per_second=0.4, tool_burst=1).services)
    memory_before_turn.handler(event_of("/", memory_before_turn.example), None)

    answer = memory_before_turn.handler(event_of("/", memory_before_turn.example), None)
    asked = {"name": memory_before_turn.name, "arguments": dict(memory_before_turn.example)}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    result = mcp_handler(event_of("/mcp", message), None)

    assert (answer["statusCode"], answer["headers"]["retry-after"]) == (429, "3")
    for body in (answer["body"], result["body"]):
        assert "RATE_LIMITED" in body
        assert '"retry_after_ms":2500' in body
        assert '"retryable":true' in body
    assert problems.HTTP_STATUS[RateLimited.code] == 429
