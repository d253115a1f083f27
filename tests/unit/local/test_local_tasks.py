"""On one machine a process runs the tasks that it is given, and bundles go without anybody asking for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from cairn import wiring
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.custody.layout import parts_of_task, tasks_pk
from cairn.custody.scope import DataScope
from cairn.ground.ids import Project, SessionId, TurnId
from cairn.ground.session import Session
from cairn.ground.table import Query
from cairn.local.server.sealing import sealing
from cairn.local.store import LOCAL_TENANT, open_store
from cairn.turns.after_turn import commit
from support.doubles import settle
from support.services import services_over


class EarlierClock:
    """The time of two days ago."""

    def now(self) -> datetime:
        return datetime.now(UTC) - timedelta(days=2)

    def sleep(self, seconds: float) -> None:
        raise AssertionError(seconds)


def say() -> None:
    where = Session(LOCAL_TENANT, Project("garden"), SessionId("monday"))
    turn = Completion(turn_id=TurnId("t1"), inputs=(message("user", "I like beans."),), outputs=())
    commit(wiring.services(), where, turn)


def exported_before(data: Path) -> str:
    """Make an export two days ago, and return its task."""
    with open_store(data, os.environ) as store:
        say()
        adapters = replace(wiring.wiring_of(store.settings).adapters(), clock=EarlierClock())
        tasks = services_over(adapters, store.settings).tasks
        name = tasks.start("export", DataScope(LOCAL_TENANT), "k1")
        assert tasks.run(LOCAL_TENANT, name)
    assert parts(data, name) == 1
    return name


def parts(data: Path, name: str) -> int:
    with open_store(data, os.environ):
        query = Query(tasks_pk(LOCAL_TENANT), *parts_of_task(name))
        return len(wiring.services().adapters.table.query(query).items)


def test_a_process_that_serves_runs_a_task_that_is_started(data: Path) -> None:
    with open_store(data, os.environ):
        say()
        services = wiring.services()
        jobs: Any = services.adapters.jobs
        export = services.tasks.start("export", DataScope(LOCAL_TENANT), "k1")
        reindex = services.tasks.start("reindex", DataScope(LOCAL_TENANT), "k1")
        settle(jobs, tasks=True)

        assert [(each.id, each.state) for each in services.tasks.records.newest(LOCAL_TENANT, 9)] == [
            (name, "done") for name in sorted((export, reindex), reverse=True)
        ]


def test_maintenance_removes_a_bundle_whose_day_is_over(data: Path, run: Callable[..., Result]) -> None:
    name = exported_before(data)

    assert run("maintain").exit_code == 0

    assert parts(data, name) == 0


def test_a_process_that_serves_removes_a_bundle_whose_day_is_over(data: Path) -> None:
    name = exported_before(data)

    with open_store(data, os.environ), sealing(wiring.services(), seconds=3600):
        pass

    assert parts(data, name) == 0


def test_the_command_that_erases_a_user_says_which_bundles_went_with_them(
    data: Path, run: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cairn.custody.erase_user.LATE_APPEND", timedelta(0))
    with open_store(data, os.environ):
        say()
        services = wiring.services()
        name = services.tasks.start("export", DataScope(LOCAL_TENANT), "k1")
        jobs: Any = services.adapters.jobs
        settle(jobs, tasks=True)

    erased = run("erase", "--user", "ada", "--yes")

    assert erased.exit_code == 0, erased.output
    assert "    1 exports in which something of theirs may have been" in erased.output
    assert parts(data, name) == 0
