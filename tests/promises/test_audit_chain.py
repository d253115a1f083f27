"""Wherever sealing is stopped, the chain goes on; whichever records are tampered with, those are named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn import wiring
from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.calls import layout
from cairn.calls.audit import AuditLog
from cairn.calls.chain import Finding
from cairn.calls.sealing import Sealer
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.paging import every
from cairn.ground.table import Attributes, Delete, Key, Put, Query
from cairn.ground.world import World
from cairn.settings.settings import Settings
from cairn.tool.call import Call
from cairn.vault.vault import Vault
from cairn_tools.memory_before_turn import memory_before_turn
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped

ACME = Tenant("acme")
HOUR = timedelta(hours=1)


def log_of(world: World) -> AuditLog:
    return AuditLog(world, Vault(world))


def sealer_of(world: World) -> Sealer:
    return Sealer(world, Vault(world))


def stored(world: World, day: str) -> list[Attributes]:
    return list(every(world.table, Query(layout.audit_day_pk(ACME, day), "0", "\U0010ffff")))


def called(world: World, times: int, hours: int) -> World:
    """Return the world after some calls, so many hours apart."""
    clock: Any = world.clock
    caller = Caller(ACME, frozenset({"read", "write"}), "request-1", (ALL_PROJECTS,))
    call = Call(caller, wiring.build(Settings(memory_enabled=True), world))
    for _ in range(times):
        memory_before_turn.execute(dict(memory_before_turn.example), call)
        clock.advance(hours=hours)
    return world


@pytest.mark.slow
@pytest.mark.req("R278")
@pytest.mark.parametrize("fault", FAULTS)
def test_sealing_that_is_stopped_at_any_call_leaves_a_chain_that_goes_on(
    fault: Callable[[Callable[[], object]], object], world_in_memory: Callable[[], World], clock: Any
) -> None:
    calls = 0
    for at in range(40):
        world = called(world_in_memory(), times=4, hours=7)
        clock.advance(days=1)
        store = FaultyStore(world, at, fault)
        stopped = False
        try:
            sealer_of(replace(world, table=store, blobs=FaultyBlobs(world, store))).seal(ACME, HOUR)
        except (Stopped, Unavailable):
            stopped = True
        calls = calls or store.calls
        assert log_of(world).verify(ACME).findings == []

        sealer_of(world).seal(ACME, HOUR)

        found = log_of(world).verify(ACME)
        assert (found.records, found.unsealed, list(found.findings)) == (4, 0, []), at
        assert sealer_of(world).due() == []
        assert stopped == (0 < at <= calls), at
        if at > calls:
            return
    pytest.fail("sealing makes more calls than this test looks at")


@pytest.mark.slow
@pytest.mark.req("R278")
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(victims=st.sets(st.integers(0, 4), min_size=1), change=st.sampled_from(["missing", "changed"]))
def test_whichever_records_are_tampered_with_those_are_named(
    world_in_memory: Callable[[], World], victims: set[int], change: Any
) -> None:
    made = world_in_memory()
    clock: Any = made.clock
    day = clock.now().date().isoformat()
    world = called(made, times=5, hours=0)
    clock.advance(minutes=10)
    assert sealer_of(world).seal(ACME, HOUR) == 5
    items = [each for number, each in enumerate(stored(world, day)) if number in victims]

    for item in items:
        if change == "missing":
            world.table.delete(Delete(Key(str(item["pk"]), str(item["sk"]))))
        else:
            world.table.put(Put({**item, "tool": "another"}))

    found = log_of(world).verify(ACME).findings
    assert set(found) == {Finding(change, "record", str(item["sk"])) for item in items}
