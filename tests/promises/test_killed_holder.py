"""What a killed process held is free at once for the next one on the machine, and for nobody while it lives."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from cairn.embedded.holders import ProcessHolders
from cairn.ground.errors import ResourceBusy, Unavailable
from cairn.ground.ids import TurnId
from cairn.ground.table import Attributes, Delete, Update, Write
from cairn.process.system import SystemClock
from cairn.sessions.head import stored_head
from cairn.turns.after_turn import commit
from promises.holding_process import SECONDS, SESSION, TURN, wiring_of
from support.doubles import Counted
from support.services import services_over

PROGRAM = Path(__file__).with_name("holding_process.py")


class Impatient(SystemClock):
    """The machine's clock, for calls that must not have to wait."""

    def sleep(self, seconds: float) -> None:
        raise AssertionError(f"a call waited {seconds} s for a lease")


class Hurried(SystemClock):
    """The machine's clock, put forward by each wait instead of waiting."""

    def __init__(self) -> None:
        self.ahead = timedelta()

    def now(self) -> datetime:
        return super().now() + self.ahead

    def sleep(self, seconds: float) -> None:
        self.ahead += timedelta(seconds=seconds)


@contextmanager
def holding(directory: Path) -> Generator[tuple[subprocess.Popen[str], str]]:
    """Run a process that has begun a turn, and name the holder."""
    command = [sys.executable, str(PROGRAM), str(directory)]
    with subprocess.Popen(  # noqa: S603 - our own script
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        yield process, process.stdout.readline().strip()
        process.kill()


@pytest.mark.req("R050")
def test_after_a_kill_the_turn_is_stored_by_the_first_retry_without_a_wait(tmp_path: Path) -> None:
    adapters = replace(wiring_of(tmp_path).adapters(), clock=Impatient())
    with holding(tmp_path) as (process, holder):
        before = stored_head(adapters.table, SESSION)
        process.kill()
        process.wait()
        assert commit(services_over(adapters), SESSION, TURN).events_written == 1

    after = stored_head(adapters.table, SESSION)
    assert before is not None
    assert after is not None
    assert after.fence == before.fence + 1
    assert not (tmp_path / "processes" / holder.partition("@")[2]).exists()


@pytest.mark.req("R050")
def test_while_the_holder_lives_its_turn_and_its_session_are_its_own(tmp_path: Path) -> None:
    adapters = replace(wiring_of(tmp_path).adapters(), clock=Hurried())
    with holding(tmp_path):
        services = services_over(adapters)
        with pytest.raises(ResourceBusy, match="turn"):
            commit(services, SESSION, TURN)
        with pytest.raises(ResourceBusy, match="session"):
            commit(services, SESSION, replace(TURN, turn_id=TurnId("t2")))


@pytest.mark.req("R050")
def test_a_dead_holder_that_comes_back_to_life_is_refused_by_the_fence(tmp_path: Path) -> None:
    """As does a thread that hangs in a system call while its process is being killed."""
    late, heir = services_over(wiring_of(tmp_path).adapters()), services_over(wiring_of(tmp_path).adapters())
    lost = late.sessions.try_lease(SESSION, late.adapters.holder(), SECONDS)
    assert lost is not None
    late.adapters.holders().leave(lost.owner)
    (tmp_path / "processes" / lost.owner.partition("@")[2]).unlink()

    assert commit(heir, SESSION, TURN).events_written == 1

    with pytest.raises(ResourceBusy):
        late.sessions.renew(lost, SECONDS)
    late.sessions.release(lost)
    assert [seq for seq, _ in heir.sessions.history(SESSION)] == [1]


@dataclass
class Full(Counted):
    """A table on a disk that is full once a turn was begun."""

    full: bool = True

    def transact(self, writes: list[Write]) -> None:
        self._write()
        self.adapter.transact(writes)

    def update(self, write: Update) -> Attributes:
        if "lease_owner" in write.remove:
            self._write()
        return self.adapter.update(write)

    def delete(self, write: Delete) -> None:
        self._write()
        self.adapter.delete(write)

    def _write(self) -> None:
        if self.full:
            raise Unavailable("the disk is full")


def test_what_a_call_could_not_give_back_is_free_for_the_next_one_of_its_process(tmp_path: Path) -> None:
    adapters = replace(wiring_of(tmp_path).adapters(), clock=Impatient())
    table = Full(adapters.table, [])
    services = services_over(replace(adapters, table=table))
    with pytest.raises(Unavailable):
        commit(services, SESSION, TURN)

    table.full = False

    assert commit(services, SESSION, TURN).events_written == 1


def test_on_a_store_that_can_keep_no_file_a_holder_has_no_mark_and_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "processes").write_bytes(b"")
    holders = ProcessHolders(tmp_path / "processes")

    assert holders.mark == ""
    assert not holders.is_gone("0123")
    assert not holders.is_gone("0123@")
    assert not holders.is_gone("0123@../table.sqlite3")


def test_processes_that_look_at_each_other_find_each_other_alive(tmp_path: Path) -> None:
    held = [ProcessHolders(tmp_path / "processes") for _ in range(4)]
    marks = [each.mark for each in held]

    assert len(set(marks)) == 4
    assert [mark for mark in marks for each in held if each.is_gone(f"0123{mark}")] == []
    assert len(list((tmp_path / "processes").iterdir())) == 4
