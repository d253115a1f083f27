"""Runs of tasks: how far they are is told, a process that dies is noticed, and of two runs one goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from cairn.custody import kept_bundles
from cairn.custody.layout import RUNNING, tasks_pk
from cairn.custody.task import STALE, Task, TaskKind
from cairn.ground.errors import Conflict, CorruptData, ResourceBusy, Unavailable
from cairn.ground.table import Put, Update
from cairn.sessions.layout import compact_sk, session_pk
from support.custody import ACME, ADA, Household, session
from support.tasks import (
    Fate,
    Gone,
    Killed,
    SlowInventory,
    bundle,
    done,
    kept_items,
    office,
    started,
    told,
    unzipped,
)


@pytest.fixture(autouse=True)
def in_small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_bundles, "PART_BYTES", 1000)


class WatchedTable:
    """A table that notes when a task's progress is stored."""

    def __init__(self, house: Household) -> None:
        self._table = house.adapters.table
        self._clock = house.adapters.clock
        self.stored: list[tuple[datetime, dict[str, Any]]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def update(self, write: Update) -> Any:
        if write.key.pk == tasks_pk(ACME):
            self.stored.append((self._clock.now(), dict(write.set)))
        return self._table.update(write)


@pytest.mark.parametrize("kind", ["export", "erase", "reindex"])
def test_progress_is_stored_once_a_second_at_most_and_goes_on(house: Household, kind: TaskKind) -> None:
    house.move_in().index()
    table = WatchedTable(house)
    scope = {"user": ADA} if kind == "erase" else {}
    services = office(house, SlowInventory(house, 0.2), table=table)

    assert done(services, kind, **scope).state == "done"

    times = [at for at, _ in table.stored]
    assert len(times) > 3
    assert all(later - earlier >= timedelta(seconds=1) for earlier, later in pairwise(times))
    assert all(later - earlier < STALE for earlier, later in pairwise(times))
    said = {str(change["what"]) for _, change in table.stored}
    assert len(said) > (kind == "erase")
    counted = [change for _, change in table.stored if change["of"]]
    assert all(0 <= int(change["done"]) <= int(change["of"]) for change in counted)


def test_while_an_erasure_waits_for_calls_to_end_it_says_how_long(house: Household) -> None:
    house.move_in()
    table = WatchedTable(house)

    done(office(house, table=table), "erase", user=ADA)

    waited = [change for _, change in table.stored if change["what"] == "seconds of waiting"]
    assert [(change["done"], change["of"]) for change in waited[:3]] == [(1, 30), (2, 30), (3, 30)]
    assert len(waited) == 29


def test_a_running_task_is_told_with_how_far_it_is_by_every_process(house: Household) -> None:
    house.move_in()
    seen: list[Task] = []
    name = ""
    inventory = SlowInventory(house, 1.5, lambda: seen.append(told(house, name)) if name else None)
    services = office(house, inventory)
    name = started(services, "reindex")

    services.tasks.run(ACME, name)

    assert {each.state for each in seen} == {"running"}
    assert told(house, name).state == "done"


# A process dies


@pytest.mark.parametrize("number", [1, 2, 3])
def test_an_export_whose_process_died_is_interrupted_and_made_anew_when_it_is_started_again(
    house: Household, number: int
) -> None:
    house.move_in()
    before = unzipped(bundle(office(house), done(office(house), "export")))[1]
    name = started(office(house), "export")
    dying = office(house, **Fate("put", number + 2).of(house))  # after the records of the journal

    with pytest.raises(Killed):
        dying.tasks.run(ACME, name)

    assert told(house, name).state == "running"
    assert told(house, name, holders=Gone).state == "interrupted"
    with pytest.raises(Conflict):
        office(house).tasks.start_again(ACME, name)
    house.later(seconds=61)
    assert told(house, name).state == "interrupted"
    services = office(house)
    assert services.tasks.start_again(ACME, name) == name
    services.tasks.run(ACME, name)
    task = told(house, name)
    assert (task.state, task.run, task.error) == ("done", 2, "")
    assert unzipped(bundle(services, task))[1] == before
    assert {str(each["sk"]).split("#")[2] for each in kept_items(house, f"part#{name}")} == {"000002"}


@pytest.mark.req("R279")
@pytest.mark.parametrize("call", [("transact", 4), ("delete", 6), ("delete", 20)])
def test_an_erasure_whose_process_died_is_started_again_and_leaves_nothing(
    house: Household, call: tuple[str, int]
) -> None:
    house.move_in().index()
    name = started(office(house), "erase", user=ADA)
    with pytest.raises(Killed):
        office(house, **Fate(*call).of(house)).tasks.run(ACME, name)
    house.later(minutes=20)  # the lease of the dead

    services = office(house)
    services.tasks.start_again(ACME, name)
    services.tasks.run(ACME, name)

    assert told(house, name).counts["left"] == 0
    assert told(house, name).state == "done"
    assert "Bergen" not in "\n".join(house.contents())


def test_a_task_that_waits_in_a_process_that_ended_is_interrupted(house: Household) -> None:
    house.move_in()
    name = started(office(house), "export")

    house.later(hours=5)
    assert told(house, name).state == "waiting"
    assert told(house, name, holders=Gone).state == "interrupted"


def test_a_process_that_ends_stops_its_task_at_the_next_step(house: Household) -> None:
    house.move_in()
    ending = [False]
    services = office(house, is_ending=lambda: ending[0])
    name = started(services, "export")
    ending[0] = True

    with pytest.raises(Unavailable):
        services.tasks.run(ACME, name)

    assert told(house, name).state == "interrupted"
    assert kept_items(house, "part#") == kept_items(house, RUNNING) == []
    office(house).tasks.start_again(ACME, name)
    office(house).tasks.run(ACME, name)
    assert told(house, name).state == "done"


# Two runs


@dataclass
class TakingOver:
    """Has another process take a task over in the middle of its run, and notes how far the first one still goes."""

    house: Household
    name: str = ""
    steps: int = 0
    later_steps: int = 0
    then: Task | None = None

    def __call__(self) -> None:
        self.steps += bool(self.name)
        self.later_steps += self.then is not None
        if self.steps == 5:
            other = office(self.house)
            self.house.later(seconds=61)
            other.tasks.start_again(ACME, self.name)
            other.tasks.run(ACME, self.name)
            self.then = told(self.house, self.name)


@pytest.mark.parametrize(("kind", "scope"), [("export", {}), ("erase", {"user": ADA}), ("reindex", {})])
def test_a_run_that_was_taken_over_ends_at_once_and_changes_nothing_of_what_the_other_did(
    house: Household, kind: TaskKind, scope: dict[str, Any]
) -> None:
    house.move_in().index()
    other = TakingOver(house)
    slow = office(house, SlowInventory(house, 0, other))
    other.name = started(office(house), kind, **scope)

    with pytest.raises(ResourceBusy):
        slow.tasks.run(ACME, other.name)

    task = told(house, other.name)
    assert (task, task.state, task.run) == (other.then, "done", 2)
    assert other.later_steps <= 1
    if kind == "export":
        assert unzipped(bundle(slow, task))[0]["items"] == task.counts["items"]
        assert len(kept_items(house, "part#")) == task.parts


def test_a_run_that_was_stopped_stores_no_further_part(house: Household) -> None:
    house.move_in()
    services = office(house)
    name = started(services, "export")
    begun = services.tasks.records.claim(told(house, name))
    assert begun is not None
    services.tasks.bundles.keep(begun, 1, b"beans")
    blobs = set(house.inventory.blobs(ACME))
    services.tasks.records.stop_export(told(house, name))

    with pytest.raises(ResourceBusy):
        services.tasks.bundles.keep(begun, 2, b"more beans")

    assert len(kept_items(house, "part#")) == 1
    assert set(house.inventory.blobs(ACME)) == blobs


def test_a_job_that_comes_twice_is_done_once(house: Household) -> None:
    house.move_in()
    services = office(house)
    task = done(services, "export")

    assert services.tasks.run(ACME, task.id) == {}
    assert services.tasks.run(ACME, "01ARYZ6S410000000000000000") == {}

    assert told(house, task.id) == task


class Waiting:
    """A clock that has something happen whenever somebody waits."""

    def __init__(self, house: Household, happens: Callable[[], None]) -> None:
        self._clock = house.adapters.clock
        self._happens = happens

    def now(self) -> datetime:
        return self._clock.now()

    def sleep(self, seconds: float) -> None:
        self._clock.sleep(seconds)
        self._happens()


def test_of_one_tenant_one_task_runs_at_a_time_and_the_next_waits_for_its_end(house: Household) -> None:
    house.move_in()
    first, second = started(office(house), "export"), started(office(house), "reindex")
    begun = office(house).tasks.records.claim(told(house, first))
    assert begun is not None
    waited = [0]

    def end_the_first() -> None:
        waited[0] += 1
        assert told(house, second).state == "waiting"
        if waited[0] == 3:
            office(house).tasks.records.end(begun)

    office(house, clock=Waiting(house, end_the_first)).tasks.run(ACME, second)

    assert waited[0] == 3
    assert told(house, second).state == "done"
    assert kept_items(house, RUNNING) == []


def test_a_task_that_died_does_not_keep_the_next_one_waiting_for_long(house: Household) -> None:
    house.move_in()
    first, second = started(office(house), "export"), started(office(house), "reindex")
    assert office(house).tasks.records.claim(told(house, first)) is not None

    office(house).tasks.run(ACME, second)

    assert told(house, second).state == "done"
    assert told(house, first).state == "interrupted"


def test_an_export_that_runs_while_its_user_is_erased_is_stopped_and_leaves_no_bundle(house: Household) -> None:
    house.move_in()
    name, erased = started(office(house), "export"), [False]

    class Stepping:
        """Blobs that have the user erased by a command once a part is stored."""

        def __getattr__(self, name: str) -> Any:
            return getattr(house.adapters.blobs, name)

        def put(self, *arguments: Any) -> Any:
            digest = house.adapters.blobs.put(*arguments)
            if kept_items(house, "part#") and not erased[0]:
                erased[0] = True
                from support.custody import erase  # noqa: PLC0415 - beside its one use

                assert erase(house).exports == 1
            return digest

    with pytest.raises(ResourceBusy):
        office(house, blobs=Stepping()).tasks.run(ACME, name)

    assert told(house, name).state == "interrupted"
    assert kept_items(house, "part#") == []


# A run fails


def test_a_task_that_fails_says_with_what_code_keeps_no_bundle_and_can_be_started_again(house: Household) -> None:
    house.move_in()
    house.adapters.table.put(Put({"pk": session_pk(session("alone")), "sk": compact_sk(1), "data": b"no", "kid": 1}))
    services = office(house)
    name = started(services, "export")

    with pytest.raises(CorruptData):
        services.tasks.run(ACME, name)

    task = told(house, name)
    assert (task.state, task.error, task.parts) == ("failed", "INTERNAL_ERROR", 0)
    assert task.ended is not None
    assert kept_items(house, "part#") == []
    office(house).tasks.start_again(ACME, name)
    again = told(house, name)
    assert (again.state, again.error, again.ended, again.scope.project) == ("waiting", "", None, None)


@pytest.mark.req("R279")
def test_an_erasure_that_leaves_something_has_failed_and_says_how_much(house: Household) -> None:
    house.say(session("alone"), ADA, "Hello.")

    class Late(SlowInventory):
        def scrub(self) -> None:
            house.say(session("alone"), ADA, "Hello again.")

    services = office(house, Late(house, 0))
    name = started(services, "erase", user=ADA)
    with pytest.raises(ResourceBusy):
        services.tasks.run(ACME, name)

    task = told(house, name)
    assert (task.state, task.error, task.counts["left"]) == ("failed", "RESOURCE_BUSY", 4)
    office(house).tasks.start_again(ACME, name)
    office(house).tasks.run(ACME, name)
    assert told(house, name).counts["left"] == 0
