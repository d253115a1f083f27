"""On one machine the audit log is sealed without anybody asking for it."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event

import pytest
from click.testing import Result

from cairn import wiring
from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.ground.errors import Unavailable
from cairn.local.server import stdio as door
from cairn.local.server.sealing import seal_due, sealing
from cairn.local.store import LOCAL_TENANT, open_store
from cairn.services import Services
from cairn.tool.call import Call
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from support.services import services_over


class EarlierClock:
    """The time of two hours ago, so that what is called then has settled."""

    def now(self) -> datetime:
        return datetime.now(UTC) - timedelta(hours=2)

    def sleep(self, seconds: float) -> None:
        raise AssertionError(seconds)


def called_before(data: Path) -> None:
    """Make one call two hours ago."""
    with open_store(data, os.environ) as store:
        adapters = replace(wiring.wiring_of(store.settings).adapters(), clock=EarlierClock())
        caller = Caller(LOCAL_TENANT, frozenset({"read", "write"}), "request-1", (ALL_PROJECTS,))
        memory_after_turn.execute(EXAMPLE, Call(caller, services_over(adapters, store.settings)))


def unsealed(data: Path) -> tuple[int, int]:
    """Return how many records are sealed, and how many are not."""
    with open_store(data, os.environ):
        found = wiring.services().audit.verify(LOCAL_TENANT)
    assert found.findings == []
    return found.records, found.unsealed


@pytest.mark.req("R309")
def test_a_process_seals_at_its_start_and_what_came_since_at_its_end(data: Path) -> None:
    called_before(data)
    with open_store(data, os.environ), sealing(wiring.services(), seconds=3600):
        pass

    assert unsealed(data) == (1, 0)


@pytest.mark.req("R309")
def test_it_seals_again_after_each_interval(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    third, times = Event(), 0

    def note(_: Services, *_more: object) -> int:
        nonlocal times
        times += 1
        if times == 3:
            third.set()
        return 0

    monkeypatch.setattr("cairn.local.server.sealing.seal_due", note)
    with open_store(data, os.environ), sealing(wiring.services(), seconds=0.001):
        assert third.wait(10)


@pytest.mark.req("R309")
def test_standard_input_s_door_seals(monkeypatch: pytest.MonkeyPatch, data: Path) -> None:
    called_before(data)

    def served(*_: object) -> None:
        return

    def load(_: str) -> Callable[..., None]:
        return served

    monkeypatch.setattr(door, "load", load)

    door.stdio(data)

    assert unsealed(data) == (1, 0)


@pytest.mark.req("R309")
def test_where_only_commands_are_used_a_command_seals_what_was_recorded_before(
    data: Path, run: Callable[..., Result], tmp_path: Path
) -> None:
    called_before(data)

    assert run("export", "--user", "ada", str(tmp_path / "ada.zip")).exit_code == 0

    sealed, left = unsealed(data)
    assert (sealed, left) == (1, 2), "the command's own two records have not settled"


def test_a_store_that_fails_leaves_the_rest_for_the_next_time(data: Path, caplog: pytest.LogCaptureFixture) -> None:
    called_before(data)
    with open_store(data, os.environ):
        services = wiring.services()

        def fail() -> list[object]:
            raise Unavailable("busy")

        services.sealer.due = fail  # pyright: ignore[reportAttributeAccessIssue]
        assert seal_due(services) == 0
    assert "audit log not sealed: Unavailable" in caplog.text
