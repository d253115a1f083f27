"""Whatever call of the store fails while a branch is made, merged or dropped, doing it again does it once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest

from cairn.branches.branching import branches, create, drop
from cairn.branches.merge import merge
from cairn.ground.adapters import Adapters
from cairn.ground.errors import NotFound, ResourceBusy, Unavailable
from cairn.ground.ids import Project
from cairn.memories.correct import correct
from cairn.process.system import in_turn
from cairn.services import Services
from support.branches import ADA, TRY, Side, tried
from support.doubles import FakeClock
from support.faults import FaultyBlobs, FaultyStore, Stopped, killed_after, killed_before, refused, unacknowledged
from support.memory_store import MemoryBlobs, MemoryTable, copied
from support.overview import GARDEN, TENANT
from support.services import services_over

FAULTS = [refused, unacknowledged, killed_before, killed_after]
BEFORE_THE_FIRST_TURN = 9
"""The call of a merge that comes after it has read what the branch has, and before it brings any of it."""
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


def turns_of(adapters: Adapters, project: Project) -> list[str]:
    """Return the ids of the turns that a session knows in the project or on the branch."""
    side = Side(adapters, project)
    return [str(events[0].turn_id) for _, events in side.services.sessions.recent(side.session(), 100).turns]


def again(verb: Verb, services: Services) -> object:
    """Return what it tells; nothing where a drop was done, and nobody was told."""
    with suppress(NotFound):
        return verb(services)
    return None


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
    told = act(services_over(whole))
    seen, left = shown(once), everything(once)
    for at in range(1, counting.calls + 1):
        adapters = copied(begun.adapters)
        store = FaultyStore(adapters, at, fault)
        faulty: Any = replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))
        with suppress(Unavailable, ResourceBusy, Stopped):
            act(services_over(faulty))
        clock.sleep(120)
        assert again(act, services_over(adapters)) == told, at
        assert shown(adapters) == seen, at
        places, blobs = everything(adapters)
        assert places == left[0], at
        assert blobs <= left[1] + 1, at  # one that was stored for a transaction that was not


def test_a_merge_tells_the_same_where_another_that_was_cut_off_overtook_it(begun: Side, clock: FakeClock) -> None:
    told, cut = merge(services_over(copied(begun.adapters)), TENANT, TRY), True
    at = 0
    while cut:
        at, cut, adapters = at + 1, False, copied(begun.adapters)

        def overtaken(call: Callable[[], object], at: int = at, adapters: Adapters = adapters) -> object:
            nonlocal cut
            store = FaultyStore(adapters, at, killed_after)
            other: Any = replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))
            try:
                merge(services_over(other), TENANT, TRY)
            except Stopped:
                cut = True
            clock.sleep(120)
            return call()

        faulty: Any = replace(adapters, table=FaultyStore(adapters, BEFORE_THE_FIRST_TURN, overtaken))
        assert merge(services_over(faulty), TENANT, TRY) == told, at
    assert at > BEFORE_THE_FIRST_TURN


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


def test_a_branch_knows_what_was_said_before_it_whoever_reads_as_it_is_made(adapters: Adapters) -> None:
    def last_first(calls: Sequence[Callable[[], object]]) -> list[object]:
        return in_turn(list(reversed(calls)))[::-1]

    empty = Side(replace(adapters, table=MemoryTable(), blobs=MemoryBlobs(), parallel=in_turn))
    empty.say("t1", "I live in Oslo.")
    for at in range(1, 12):
        store = copied(empty.adapters)

        def made_meanwhile(call: Callable[[], object], trunk: Side = Side(store)) -> object:  # noqa: B008 - each its own
            answer = call()
            trunk.say("t2", "The shed is red.")
            create(trunk.services, TENANT, TRY)
            return answer

        slow: Any = replace(store, table=FaultyStore(store, at, made_meanwhile), parallel=last_first)
        tried(lambda slow=slow: Side(slow, TRY).say("t3", "The gate is red."))
        if tried(lambda store=store: Side(store, TRY).say("t4", "The door is red.")) != "NotFound":
            assert turns_of(store, TRY)[:2] == ["t1", "t2"], at


@pytest.mark.parametrize("verb", ["merge", "drop"])
def test_a_call_that_another_overtook_leaves_the_next_branch_of_the_name_alone(
    begun: Side, clock: FakeClock, verb: str
) -> None:
    verbs: dict[str, Verb] = {"merge": lambda to: merge(to, TENANT, TRY), "drop": lambda to: drop(to, TENANT, TRY)}
    act = verbs[verb]
    calls, alone, did = 0, 0, True
    while did:
        calls, did, made = calls + 1, False, False
        adapters = copied(begun.adapters)

        def overtaken(call: Callable[[], object], store: Adapters = adapters) -> object:
            nonlocal did, made
            did = True
            if tried(lambda: act(services_over(store))) == "ResourceBusy":
                return call()
            made = bool(create(services_over(store), TENANT, TRY))
            clock.sleep(60)
            Side(store, TRY).say("t9", "The wall is red.")
            Side(store, TRY).keep("The roof is blue.", "session")
            return call()

        store = FaultyStore(adapters, calls, overtaken)
        faulty: Any = replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))
        answer = tried(lambda faulty=faulty: act(services_over(faulty)))
        if not did:
            break
        assert answer not in {"CorruptData", "ConditionFailed"}, calls
        there = branches(services_over(adapters), TENANT, GARDEN)
        if not made or (not there and verb == "drop"):
            continue  # the session was in use; or it dropped the next one, which was there when it looked first
        side = Side(adapters, TRY if there else GARDEN)
        assert "memory: The roof is blue." in side.found("What is blue?"), calls
        assert "t9" in turns_of(adapters, side.project), calls
        assert not (there and "t9" in turns_of(adapters, GARDEN)), calls
        alone += bool(there)
    assert alone > 5, alone
