"""`cairn maintain` and the jobs of a running server: the same doors as in Lambda, on one machine."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NoReturn

import pytest
from click.testing import CliRunner, Result

from cairn import wiring
from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.embedded.table import SqliteTable
from cairn.ground.codec import epoch_ms
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.jobs import MaintainShard
from cairn.ground.session import Session
from cairn.ground.table import Attributes, Key, Put, Update
from cairn.local.cli import main
from cairn.local.server import background
from cairn.local.store import open_store
from cairn.sessions.layout import HEAD, SUMMARIES, due_pk, due_shard, session_pk
from cairn.turns.after_turn import commit
from cairn.upkeep.maintenance import Maintenance
from cairn_jobs import worker

AT_ONCE = {"CAIRN_MEMORY_ENABLED": "true", "CAIRN_MEMORY_SUMMARY_REFRESH_INTERVAL_MINUTES": "0"}
Say = Callable[..., Session]


@pytest.fixture
def say(data: Path) -> Say:
    """Return a function that says something in a session, as a process that ends afterwards."""

    def said(name: str, environment: Mapping[str, str] = AT_ONCE) -> Session:
        session = Session(Tenant("local"), Project("garden"), SessionId(name))
        with open_store(data, environment):
            turn = Completion(turn_id=TurnId("t1"), inputs=(message("user", "Hello."),), outputs=())
            commit(wiring.services(), session, turn)
        return session

    return said


@pytest.fixture
def maintain(data: Path) -> Callable[..., Result]:
    def run(*arguments: str, **environment: str) -> Result:
        return CliRunner().invoke(main, ["maintain", "--data", str(data), *arguments], env={**AT_ONCE, **environment})

    return run


def item(data: Path, session: Session, sk: str) -> Attributes | None:
    table = SqliteTable(data / "table.sqlite3")
    try:
        return table.get(Key(session_pk(session), sk))
    finally:
        table.close()


@pytest.mark.req("R253")
def test_it_maintains_what_is_due_and_then_there_is_nothing_to_do(
    say: Say, maintain: Callable[..., Result], data: Path
) -> None:
    sessions = [say("monday"), say("tuesday")]

    first, second = maintain(), maintain()

    assert (first.exit_code, first.stdout) == (
        0,
        "2 maintained, 0 erased, 0 busy, 0 failed, 0 left; 0 records sealed\n",
    )
    assert (second.exit_code, second.stdout) == (
        0,
        "0 maintained, 0 erased, 0 busy, 0 failed, 0 left; 0 records sealed\n",
    )
    assert all(item(data, session, SUMMARIES) for session in sessions)


def test_it_passes_over_a_session_in_use(say: Say, maintain: Callable[..., Result], data: Path) -> None:
    session = say("monday")
    table = SqliteTable(data / "table.sqlite3")
    lease = {"lease_owner": "another", "lease_until": epoch_ms(datetime.now(UTC) + timedelta(seconds=30))}
    table.update(Update(Key(session_pk(session), HEAD), set=lease))
    table.close()

    result = maintain()

    assert (result.exit_code, result.stdout) == (
        0,
        "0 maintained, 0 erased, 1 busy, 0 failed, 0 left; 0 records sealed\n",
    )


def test_a_session_that_fails_is_counted_and_named_on_the_log(
    say: Say, maintain: Callable[..., Result], monkeypatch: pytest.MonkeyPatch
) -> None:
    say("monday")

    def damaged(*_: object) -> NoReturn:
        raise CorruptData("a stored item lacks its content")

    with monkeypatch.context() as patch:
        patch.setattr(Maintenance, "run_due", damaged)
        result = maintain()

    assert (result.exit_code, result.stdout) == (
        1,
        "0 maintained, 0 erased, 0 busy, 1 failed, 0 left; 0 records sealed\n",
    )
    assert '"session_id":"monday"' in result.stderr
    assert maintain().stdout.startswith("0 maintained")


def test_entries_that_are_no_session_s_are_gone_round_counted_and_listed_no_longer(
    say: Say, maintain: Callable[..., Result], data: Path
) -> None:
    session = say("monday")
    table = SqliteTable(data / "table.sqlite3")
    places = ("local#k#public", "v#x"), ("local#s#garden", "e#~"), (session_pk(session), "e#1"), ("x", "y")
    for number, (pk, sk) in enumerate(places):
        due = {"ipk": due_pk(due_shard(session)), "isk": f"1{number}"}
        table.put(Put({"pk": pk, "sk": sk, "kept": True, **due}))

    first, second = maintain(), maintain()

    assert first.stdout == "1 maintained, 0 erased, 0 busy, 0 failed, 0 left, 4 damaged; 0 records sealed\n"
    assert second.stdout == "0 maintained, 0 erased, 0 busy, 0 failed, 0 left; 0 records sealed\n"
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert [table.get(Key(pk, sk)) for pk, sk in places] == [{"pk": pk, "sk": sk, "kept": True} for pk, sk in places]
    table.close()


def test_sessions_in_which_nothing_is_due_are_erased_with_all_of_their_tenant_s_once_retention_is_set(
    say: Say, maintain: Callable[..., Result], data: Path
) -> None:
    old, new = say("monday"), say("tuesday")
    maintain()
    table = SqliteTable(data / "table.sqlite3")
    long_ago = {"updated_at": "2020-01-01T00:00:00Z"}
    table.update(Update(Key(session_pk(old), HEAD), set=long_ago, remove=("ipk", "isk")))
    table.close()
    kept = {"CAIRN_MEMORY_SESSION_RETENTION_DAYS": "30"}

    assert maintain(**kept).stdout.startswith("0 maintained, 0 erased")
    assert maintain("--tenant", "another", **kept).stdout == "0 maintained, 0 erased, 0 busy, 0 failed, 0 left\n"
    result = maintain("--tenant", "local", **kept)

    assert (result.exit_code, result.stdout) == (0, "1 maintained, 1 erased, 0 busy, 0 failed, 0 left\n")
    assert item(data, old, HEAD) is None
    assert item(data, new, HEAD) is not None


@pytest.mark.req("R076")
def test_a_session_is_not_due_before_its_time_and_no_other_command_maintains_it(
    say: Say, maintain: Callable[..., Result], data: Path
) -> None:
    later = say("monday", {"CAIRN_MEMORY_ENABLED": "true"})
    due = say("tuesday")

    assert item(data, due, SUMMARIES) is None
    assert maintain().stdout.startswith("1 maintained")
    assert item(data, later, SUMMARIES) is None


def test_a_job_goes_to_the_worker_that_lambda_runs(say: Say, data: Path) -> None:
    session = say("monday")
    with open_store(data, AT_ONCE):
        background.work(MaintainShard(due_shard(session)))

    assert item(data, session, SUMMARIES)


def test_an_open_store_does_its_jobs_in_the_background(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done, at_work = threading.Event(), list[str]()

    def note(_services: object, job: MaintainShard, *_: object) -> None:
        at_work.append(f"{job.shard} {threading.current_thread() is threading.main_thread()}")
        done.set()

    monkeypatch.setitem(worker.WORK, MaintainShard, note)  # pyright: ignore[reportArgumentType] - a mapping, of which the test changes one entry
    with open_store(data, AT_ONCE):
        wiring.services().adapters.jobs.send([MaintainShard(3)])
        assert done.wait(timeout=30)

    assert at_work == ["3 False"]


@pytest.mark.req("R306")
def test_a_dry_run_says_what_would_be_erased_and_why_and_erases_nothing(
    say: Say, maintain: Callable[..., Result], data: Path
) -> None:
    monday = say("monday")
    table = SqliteTable(data / "table.sqlite3")
    table.update(Update(Key(session_pk(monday), HEAD), set={"updated_at": "2020-01-01T00:00:00.000000Z"}))
    table.close()
    kept = {"CAIRN_MEMORY_SESSION_RETENTION_DAYS": "30"}

    for arguments in ((), ("--tenant", "local")):
        told = maintain("--dry-run", *arguments, **kept)
        why = "1 sessions erased, as they were left alone for longer than sessions are kept"
        assert (told.exit_code, told.stdout) == (
            0,
            f"local garden monday: {why}\n1 sessions would be visited: {why}\n",
        )
        assert item(data, monday, HEAD) is not None

    assert maintain(**kept).stdout.startswith("0 maintained, 1 erased")
    assert maintain("--dry-run", **kept).stdout == "0 sessions would be visited: nothing would change\n"
