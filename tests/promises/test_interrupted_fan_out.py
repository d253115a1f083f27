"""Scheduled runs: wherever one is stopped, and whoever runs or writes meanwhile, nothing due is forgotten."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.files import abstracts
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CorruptData, ResourceBusy, Unavailable
from cairn.ground.session import Session
from cairn.upkeep.every_due import PUT_OFF, EveryDue, Outcome
from cairn.upkeep.model import MaintenanceReport
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped, killed_before
from support.memory_store import copied
from support.services import services_over
from support.upkeep import A_MINUTE, AFTER_LEASE, KNOBS, MATES, SHARD, end_state, entry, run, say, services

NEWS, NEWS_TOLD = "I live in Bergen.", "Bergen"
FEWEST_CALLS = 20
"""Two sessions are found, read, leased, tidied and given back: a sweep over fewer calls has missed some."""
Fault = Callable[[Callable[[], object]], object]


@pytest.fixture
def adapters(adapters_in_memory: Callable[[], Adapters], clock: Any) -> Adapters:
    """A store in which two sessions of one shard have something of everything to do."""
    made = adapters_in_memory()
    for where in MATES:
        for number, text in enumerate(("Today I need to buy stamps. I like tea.", "I like the tea.", "Well.", "Hm.")):
            say(made, where, f"t{number}", text)
            clock.advance(hours=13)
    clock.advance(days=2)
    return made


@pytest.fixture
def clean(adapters: Adapters) -> tuple[list[Any], int]:
    """The end of an undisturbed run, and how many calls it makes."""
    twin = copied(adapters)
    store = FaultyStore(twin, 0, killed_before)
    assert run(replace(twin, table=store, blobs=FaultyBlobs(twin, store))) == {"maintained": 2}
    return end_state(twin), store.calls


@pytest.mark.req("R070")
def test_a_run_maintains_what_is_due_and_the_next_finds_nothing(
    adapters: Adapters, clean: tuple[list[Any], int]
) -> None:
    assert EveryDue(adapters).due_shards() == [SHARD]
    assert run(adapters) == {"maintained": 2}
    assert EveryDue(adapters).due_shards() == []
    assert run(adapters) == {}
    assert end_state(adapters) == clean[0]


@pytest.mark.slow
@pytest.mark.req("R074")
@pytest.mark.req("R253")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_run_that_is_stopped_at_any_call_is_finished_by_the_next(
    fault: Fault, adapters: Adapters, clean: tuple[list[Any], int], clock: Any
) -> None:
    wanted, calls = clean
    began = clock.time
    assert calls > FEWEST_CALLS
    for at in range(1, calls + 1):
        twin, clock.time = copied(adapters), began
        store = FaultyStore(twin, at, fault)
        with suppress(Stopped, Unavailable):
            run(replace(twin, table=store, blobs=FaultyBlobs(twin, store)))
        clock.advance(seconds=AFTER_LEASE.total_seconds())
        run(twin)

        assert end_state(twin) == wanted, at
        assert EveryDue(twin).due_shards() == [], at


@pytest.mark.slow
@pytest.mark.req("R074")
@pytest.mark.req("R253")
@pytest.mark.parametrize("patient", [False, True])
def test_a_second_run_at_any_moment_of_the_first_changes_nothing(
    patient: bool,  # noqa: FBT001 - pytest passes parameters by name
    adapters: Adapters,
    clean: tuple[list[Any], int],
    clock: Any,
) -> None:
    """With patience the first run's lease has ended when the second begins, so that it takes over."""
    wanted, calls = clean
    began = clock.time
    met: Counter[Outcome] = Counter()
    for at in range(1, calls + 1):
        twin, clock.time = copied(adapters), began

        def meanwhile(call: Callable[[], object], twin: Adapters = twin) -> object:
            clock.advance(seconds=AFTER_LEASE.total_seconds() * patient)
            met.update(run(twin))
            return call()

        store = FaultyStore(twin, at, meanwhile)
        met.update(run(replace(twin, table=store, blobs=FaultyBlobs(twin, store))))
        clock.advance(seconds=AFTER_LEASE.total_seconds())
        run(twin)

        assert end_state(twin) == wanted, at
        assert EveryDue(twin).due_shards() == [], at
    assert met["busy"] > 0
    assert met["failed"] == 0


@pytest.mark.slow
@pytest.mark.req("R250")
@pytest.mark.parametrize("patient", [False, True])
def test_a_turn_at_any_moment_of_a_run_is_maintained_by_a_later_one(
    patient: bool,  # noqa: FBT001 - pytest passes parameters by name
    adapters: Adapters,
    clean: tuple[list[Any], int],
    clock: Any,
) -> None:
    began, where = clock.time, MATES[0]
    outcomes: set[str] = set()
    for at in range(1, clean[1] + 1):
        twin, clock.time = copied(adapters), began

        def meanwhile(call: Callable[[], object], twin: Adapters = twin) -> object:
            clock.advance(seconds=AFTER_LEASE.total_seconds() * patient)
            try:
                say(twin, where, "meanwhile", NEWS)
                outcomes.add("stored")
            except ResourceBusy:
                outcomes.add("busy")
            return call()

        store = FaultyStore(twin, at, meanwhile)
        run(replace(twin, table=store, blobs=FaultyBlobs(twin, store)))
        clock.advance(seconds=AFTER_LEASE.total_seconds())
        say(twin, where, "meanwhile", NEWS)

        due = entry(twin, where)
        assert due is not None, at
        if due > clock.time + timedelta(hours=1):
            assert NEWS_TOLD in str(abstracts.stored(services_over(twin, KNOBS), where)), at
            outcomes.add("told by the run")
    assert outcomes == {"stored", "told by the run"} | ({"busy"} if not patient else set())


def test_one_session_that_fails_holds_up_no_other_and_is_tried_again_later(adapters: Adapters, clock: Any) -> None:
    broken, sound = sorted(MATES, key=lambda each: str(entry(adapters, each)))
    maintenance = services(adapters).maintenance
    tried: list[Session] = []

    def maintain(where: Session, until: datetime) -> MaintenanceReport:
        tried.append(where)
        if where == broken:
            raise CorruptData("a fault of the test")
        return maintenance.run_due(where, until)

    every_due = EveryDue(adapters)
    assert every_due.run_shard(SHARD, A_MINUTE, maintain) == {"failed": 1, "maintained": 1}
    assert tried == [broken, sound]
    assert every_due.run_shard(SHARD, A_MINUTE, maintain) == {}
    assert entry(adapters, broken) == clock.time + PUT_OFF

    clock.advance(seconds=PUT_OFF.total_seconds())
    assert run(adapters) == {"maintained": 1}


def test_a_store_that_is_down_puts_nothing_off(adapters: Adapters) -> None:
    def maintain(_where: Session, _until: datetime) -> MaintenanceReport:
        raise Unavailable("a fault of the test")

    assert EveryDue(adapters).run_shard(SHARD, A_MINUTE, maintain) == {"failed": 2}
    assert run(adapters) == {"maintained": 2}


def test_a_session_that_was_maintained_while_it_failed_elsewhere_is_not_put_off(adapters: Adapters, clock: Any) -> None:
    where = MATES[0]

    def maintain(mate: Session, until: datetime) -> MaintenanceReport:
        services(adapters).maintenance.run_due(mate, until)
        say(adapters, mate, "afterwards")
        clock.advance(minutes=10)
        raise CorruptData("a fault of the test")

    EveryDue(adapters).run_shard(SHARD, timedelta(minutes=5), maintain)

    assert entry(adapters, where) == clock.time + timedelta(minutes=50)


def test_a_run_starts_no_session_after_its_time_and_counts_what_it_leaves(adapters: Adapters, clock: Any) -> None:
    maintenance = services(adapters).maintenance

    def slow(where: Session, until: datetime) -> MaintenanceReport:
        report = maintenance.run_due(where, until)
        clock.advance(minutes=1)
        return report

    assert run(adapters, timedelta(0)) == {"left": 2}
    assert EveryDue(adapters).run_shard(SHARD, A_MINUTE, slow) == {"maintained": 1, "left": 1}
    assert run(adapters) == {"maintained": 1}


@pytest.mark.parametrize(
    ("report", "outcome"),
    [
        (MaintenanceReport(archived_shards=1), "maintained"),
        (MaintenanceReport(archived_shards=1, finished=False), "left"),
        (MaintenanceReport(erased=True), "erased"),
        (MaintenanceReport(erased=True, finished=False), "left"),
    ],
)
def test_a_session_counts_as_done_only_where_its_run_came_to_the_end(
    report: MaintenanceReport, outcome: Outcome, adapters: Adapters
) -> None:
    assert EveryDue(adapters).run_shard(SHARD, A_MINUTE, lambda _where, _until: report) == {outcome: 2}


def test_a_session_that_needs_more_than_one_run_goes_behind_those_that_wait(adapters: Adapters) -> None:
    first, second = sorted(MATES, key=lambda each: str(entry(adapters, each)))
    report = services(adapters).maintenance.run_due(first, adapters.clock.now())

    assert not report.finished
    assert str(entry(adapters, second)) < str(entry(adapters, first))
    assert run(adapters) == {"maintained": 2}


STEPS = st.lists(
    st.one_of(
        st.just(("say", 0)),
        st.tuples(st.just("wait"), st.sampled_from([1, 59, 60, 61, 600, 1440, 1500, 12_000])),
        st.just(("maintain", 0)),
        st.just(("run", 0)),
        st.tuples(st.sampled_from(["killed run", "killed say"]), st.integers(1, 40)),
    ),
    max_size=12,
)


@pytest.mark.slow
@pytest.mark.req("R253")
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=STEPS)
def test_whatever_happened_runs_at_the_moments_of_the_index_leave_nothing_undone(
    steps: list[tuple[str, int]], adapters_in_memory: Callable[[], Adapters], clock: Any
) -> None:
    adapters, where, began = adapters_in_memory(), MATES[0], clock.time
    for number, (step, argument) in enumerate(steps):
        text = "This week I need to paint." if number % 2 else "Today I need to rest."
        if step == "say":
            say(adapters, where, f"t{number}", text)
        elif step == "wait":
            clock.advance(minutes=argument)
        elif step == "maintain":
            services(adapters).maintenance.run(where)
        elif step == "run":
            run(adapters)
        else:
            store = FaultyStore(adapters, argument, killed_before)
            dying = replace(adapters, table=store, blobs=FaultyBlobs(adapters, store))
            with suppress(Stopped):
                run(dying) if step == "killed run" else say(dying, where, f"t{number}", text)
            clock.advance(seconds=AFTER_LEASE.total_seconds())

    runs = 0
    while (due := entry(adapters, where)) is not None:
        clock.time = max(clock.time, due)
        assert run(adapters) == {"maintained": 1}
        runs += 1
        assert runs < 20
    clock.advance(days=400)
    last = replace(services(adapters).maintenance.run(where), summaries_refreshed=0)
    clock.time = began

    assert last == MaintenanceReport()
