"""Wherever maintenance is stopped, and whoever runs it at the same time, the end is that of one clean run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.embedded.table import SqliteTable
from cairn.files import abstracts
from cairn.ground.adapters import Adapters
from cairn.ground.errors import ResourceBusy, Unavailable
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Query
from cairn.log.layout import with_across
from cairn.services import Services
from cairn.sessions.layout import HEAD, session_pk
from cairn.turns.after_turn import commit
from cairn.upkeep.model import MaintenanceReport
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped, killed_before
from support.services import services_over

SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
SETTINGS = MemorySettings(recent_context_items=2, session_lock_timeout_ms=0, guard_lease_seconds=30)
DROPPED = "drop#"
"""How the names of blobs begin that are to go: the run after the one that dropped them deletes them."""
LARGE = "".join(sha256(str(number).encode()).hexdigest() for number in range(1200))
"""A text that stays over 32 KB when packed, so that its shard becomes a blob."""


def services(adapters: Adapters, **knobs: Any) -> Services:
    return services_over(adapters, replace(SETTINGS, **knobs))


def faulty(
    adapters: Adapters, at: int, fault: Callable[[Callable[[], object]], object]
) -> tuple[FaultyStore, Services]:
    store = FaultyStore(adapters, at, fault)
    return store, services(replace(adapters, table=store, blobs=FaultyBlobs(adapters, store)))


def clean_run(adapters: Adapters) -> tuple[MaintenanceReport, int]:
    """Return the report of an undisturbed run, and how many calls it made."""
    store, undisturbed = faulty(adapters, 0, killed_before)
    return undisturbed.maintenance.run(SESSION), store.calls


def end_state(adapters: Adapters) -> dict[str, Any]:
    """Return all that can be observed of the session, without the times and fences that differ between runs."""
    services = services_over(adapters, SETTINGS)
    items = list(every(adapters.table, Query(session_pk(SESSION), "\x01", "\U0010ffff")))
    summaries = abstracts.stored(services, SESSION)
    assert summaries is not None
    head = next(item for item in items if item["sk"] == HEAD)
    return {
        "history": list(services.sessions.history(SESSION)),
        "keys": [item["sk"] for item in items if not str(item["sk"]).startswith(DROPPED)],
        "head": {name: value for name, value in head.items() if name not in {"fence", "updated_at", "isk"}},
        "summary": services.sessions.summary(SESSION),
        "facts": {owner: _facts(services, owner) for owner in with_across(["u:ada"])},
        "abstracts": summaries.abstracts,
    }


def _facts(services: Services, owner: str) -> list[tuple[str, str, str, str, str | None]]:
    """Return what a log's ledger holds, ended facts among it, each with the session that holds it."""
    services.log.refresh(SESSION.tenant, SESSION.project, owner)
    with services.log.view(SESSION.tenant, SESSION.project, owner) as view:
        ledger: Any = view.ledger
        return [(name, fact.id, fact.value, fact.state, fact.superseded_by) for name, fact in ledger._latest(None)]


@pytest.fixture
def prepare(new_adapters: Callable[[], tuple[Any, Adapters]]) -> Iterator[Callable[[], Adapters]]:
    """Return a function that makes a store in memory with a session in which everything is due."""
    tables: list[SqliteTable] = []

    def make() -> Adapters:
        tables.append(SqliteTable(Path(":memory:")))
        adapters = replace(new_adapters()[1], table=tables[-1])
        clock: Any = adapters.clock
        said = (
            "Today I need to buy stamps. I like dark-roast coffee.",
            "I like the dark roast coffee.",
            "I live in Berlin.",
            "I must call the plumber.",
        )
        for number, text in enumerate(said):
            turn = Completion(
                turn_id=TurnId(f"t{number}"),
                user_id=UserId("ada"),
                inputs=(message("user", text),),
                outputs=(message("assistant", LARGE if number == 1 else "Noted."),),
            )
            commit(services(adapters), SESSION, turn)
            clock.advance(hours=13)
        clock.advance(days=2)
        return adapters

    yield make
    for table in tables:
        table.close()


@pytest.mark.req("R070")
def test_a_clean_run_has_something_of_everything_to_do(prepare: Callable[[], Adapters]) -> None:
    report, _ = clean_run(prepare())

    assert report.compacted_events == 6
    assert report.archived_shards == 2
    assert report.expired_facts == report.merged_facts == 1
    assert report.summaries_refreshed > 0


@pytest.mark.req("R135")
@pytest.mark.slow
@pytest.mark.req("R074")
@pytest.mark.req("R077")
@pytest.mark.parametrize("fault", FAULTS)
def test_a_run_that_is_stopped_at_any_call_is_finished_by_the_next(
    fault: Callable[[Callable[[], object]], object], prepare: Callable[[], Adapters]
) -> None:
    clean = prepare()
    _, calls = clean_run(clean)
    wanted = end_state(clean)

    for at in range(1, calls + 1):
        adapters = prepare()
        clock: Any = adapters.clock
        stopped = False
        try:
            faulty(adapters, at, fault)[1].maintenance.run(SESSION)
        except (Stopped, Unavailable):
            stopped = True
        clock.advance(seconds=SETTINGS.guard_lease_seconds + 1)
        services(adapters).maintenance.run(SESSION)

        # Giving the session back is no failure of the run: only a look for open turns comes behind it.
        assert stopped or at >= calls - 1, at
        assert end_state(adapters) == wanted, at


@pytest.mark.slow
@pytest.mark.req("R074")
@pytest.mark.parametrize("patient", [False, True])
def test_a_second_run_at_any_moment_of_the_first_changes_nothing(
    patient: bool,  # noqa: FBT001  pytest passes parameters by position
    prepare: Callable[[], Adapters],
) -> None:
    clean = prepare()
    _, calls = clean_run(clean)
    wanted = end_state(clean)
    outcomes: set[str] = set()

    for at in range(1, calls + 1):
        adapters = prepare()
        second = services(adapters, session_lock_timeout_ms=20_000 * patient, guard_lease_seconds=30)

        def meanwhile(call: Callable[[], object], second: Services = second, adapters: Adapters = adapters) -> object:
            clock: Any = adapters.clock
            clock.advance(seconds=15 * patient)
            outcomes.add(run(second))
            return call()

        outcomes.add(run(faulty(adapters, at, meanwhile)[1]))
        services(adapters).maintenance.run(SESSION)

        assert end_state(adapters) == wanted, at

    assert outcomes == {"done", "busy"}


def run(runner: Services) -> str:
    try:
        runner.maintenance.run(SESSION)
    except ResourceBusy:
        return "busy"
    return "done"
