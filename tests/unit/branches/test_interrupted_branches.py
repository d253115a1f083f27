"""Whatever call of the store fails while a branch is made, merged or dropped, doing it again does it once."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from cairn.branches.branching import create, drop
from cairn.branches.merge import merge
from cairn.ground.adapters import Adapters
from cairn.ground.errors import NotFound, ResourceBusy, Unavailable
from cairn.memories.correct import correct
from cairn.process.system import in_turn
from cairn.services import Services
from support.branches import ADA, TRY, Side
from support.doubles import FakeClock
from support.faults import FaultyBlobs, FaultyStore, Stopped, killed_after, killed_before, refused, unacknowledged
from support.memory_store import MemoryBlobs, MemoryTable, copied
from support.overview import TENANT
from support.services import services_over

FAULTS = [refused, unacknowledged, killed_before, killed_after]
Verb = Callable[[Services], object]


@pytest.fixture
def begun(adapters: Adapters, clock: FakeClock) -> Side:
    """Return a project with a branch on which turns were said, and memories kept and forgotten."""
    trunk = Side(replace(adapters, table=MemoryTable(), blobs=MemoryBlobs(), parallel=in_turn))
    trunk.say("t1", "I live in Oslo. The shed is red.")
    gate = trunk.keep("The gate is red.")
    create(trunk.services, TENANT, TRY)
    branch = Side(trunk.adapters, TRY)
    clock.sleep(60)
    branch.say("t2", "I moved to Bergen. The fence is red. " + "x" * 60_000)
    clock.sleep(60)
    branch.forget(gate)
    branch.keep("The door is red.", "session")
    correct(branch.services, branch.session(), ADA, branch.facts()["Bergen"], "Lima")
    trunk.say("t3", "The roof is red.")
    clock.sleep(60)
    return trunk


def everything(adapters: Adapters) -> Any:
    """Return where something is, and how many blobs there are; guards and leases come and go."""
    table, blobs = adapters.table, adapters.blobs
    assert isinstance(table, MemoryTable)
    assert isinstance(blobs, MemoryBlobs)
    places = [(str(item["pk"]), str(item["sk"]).split("#")[0]) for item in table.items()]
    return sorted(places), len(blobs.blobs)


def shown(adapters: Adapters) -> Any:
    side = Side(adapters)
    return side.facts().keys(), side.found("What is red?")


def again(verb: Verb, services: Services) -> None:
    with suppress(NotFound):  # it was done, and nobody was told
        verb(services)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("verb", ["merge", "drop"])
def test_a_branch_is_merged_or_dropped_once_whatever_fails(
    begun: Side, clock: FakeClock, verb: str, fault: Callable[[Callable[[], object]], object]
) -> None:
    verbs: dict[str, Verb] = {"merge": lambda to: merge(to, TENANT, TRY), "drop": lambda to: drop(to, TENANT, TRY)}
    act = verbs[verb]
    once = copied(begun.adapters)
    counting = FaultyStore(once, 0, refused)
    whole: Any = replace(once, table=counting, blobs=FaultyBlobs(once, counting))
    act(services_over(whole))
    seen, left = shown(once), everything(once)
    for at in range(1, counting.calls + 1):
        adapters = copied(begun.adapters)
        store = FaultyStore(adapters, at, fault)
        faulty: Any = replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))
        with suppress(Unavailable, ResourceBusy, Stopped):
            act(services_over(faulty))
        clock.sleep(120)
        again(act, services_over(adapters))
        assert shown(adapters) == seen, at
        places, blobs = everything(adapters)
        assert places == left[0], at
        assert blobs <= left[1] + 1, at  # one that was stored for a transaction that was not


@pytest.mark.parametrize("fault", FAULTS)
def test_a_branch_is_made_once_whatever_fails(begun: Side, fault: Callable[[Callable[[], object]], object]) -> None:
    drop(begun.services, TENANT, TRY)
    for at in range(1, 8):
        adapters = copied(begun.adapters)
        store = FaultyStore(adapters, at, fault)
        faulty: Any = replace(adapters, table=store)
        with suppress(Unavailable, Stopped):
            create(services_over(faulty), TENANT, TRY)
        create(services_over(adapters), TENANT, TRY)
        assert Side(adapters, TRY).seen() == Side(adapters).seen(), at
