"""Wherever sealing is stopped, the chain goes on; whichever records are tampered with, those are named."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.calls import layout
from cairn.calls.audit import AuditLog
from cairn.calls.chain import Finding
from cairn.calls.sealing import Sealer
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.paging import every
from cairn.ground.table import Attributes, Delete, Key, Put, Query
from cairn.settings.settings import Settings
from cairn.tool.call import Call
from cairn.vault.vault import Vault
from cairn_tools.memory_before_turn import memory_before_turn
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped
from support.services import services_over

ACME = Tenant("acme")
HOUR = timedelta(hours=1)


def log_of(adapters: Adapters) -> AuditLog:
    return AuditLog(adapters, Vault(adapters))


def sealer_of(adapters: Adapters) -> Sealer:
    return Sealer(adapters, Vault(adapters))


def stored(adapters: Adapters, day: str) -> list[Attributes]:
    return list(every(adapters.table, Query(layout.audit_day_pk(ACME, day), "0", "\U0010ffff")))


def called(adapters: Adapters, times: int, hours: int) -> Adapters:
    """Return the adapters after some calls, so many hours apart."""
    clock: Any = adapters.clock
    caller = Caller(ACME, frozenset({"read", "write"}), "request-1", (ALL_PROJECTS,))
    call = Call(caller, services_over(adapters, Settings(memory_enabled=True)))
    for _ in range(times):
        memory_before_turn.execute(dict(memory_before_turn.example), call)
        clock.advance(hours=hours)
    return adapters


@pytest.mark.slow
@pytest.mark.req("R278")
@pytest.mark.parametrize("fault", FAULTS)
def test_sealing_that_is_stopped_at_any_call_leaves_a_chain_that_goes_on(
    fault: Callable[[Callable[[], object]], object], adapters_in_memory: Callable[[], Adapters], clock: Any
) -> None:
    calls = 0
    for at in range(40):
        adapters = called(adapters_in_memory(), times=4, hours=7)
        clock.advance(days=1)
        store = FaultyStore(adapters, at, fault)
        stopped = False
        try:
            sealer_of(replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))).seal(ACME, HOUR)
        except (Stopped, Unavailable):
            stopped = True
        calls = calls or store.calls
        assert log_of(adapters).verify(ACME).findings == []

        sealer_of(adapters).seal(ACME, HOUR)

        found = log_of(adapters).verify(ACME)
        assert (found.records, found.unsealed, list(found.findings)) == (4, 0, []), at
        assert sealer_of(adapters).due() == []
        assert stopped == (0 < at <= calls), at
        if at > calls:
            return
    pytest.fail("sealing makes more calls than this test looks at")


@pytest.mark.slow
@pytest.mark.req("R278")
@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(victims=st.sets(st.integers(0, 4), min_size=1), change=st.sampled_from(["missing", "changed"]))
def test_whichever_records_are_tampered_with_those_are_named(
    adapters_in_memory: Callable[[], Adapters], victims: set[int], change: Any
) -> None:
    made = adapters_in_memory()
    clock: Any = made.clock
    day = clock.now().date().isoformat()
    adapters = called(made, times=5, hours=0)
    clock.advance(minutes=10)
    assert sealer_of(adapters).seal(ACME, HOUR) == 5
    items = [each for number, each in enumerate(stored(adapters, day)) if number in victims]

    for item in items:
        if change == "missing":
            adapters.table.delete(Delete(Key(str(item["pk"]), str(item["sk"]))))
        else:
            adapters.table.put(Put({**item, "tool": "another"}))

    found = log_of(adapters).verify(ACME).findings
    assert set(found) == {Finding(change, "record", str(item["sk"])) for item in items}
