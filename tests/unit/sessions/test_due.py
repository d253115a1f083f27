"""Which sessions are due for maintenance, and when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.ground import ids
from cairn.ground.errors import CorruptData, ResourceBusy
from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.jobs import DUE_SHARDS, EmbedLog
from cairn.ground.session import Session
from cairn.ground.table import Attributes, Key, Query, Update
from cairn.sessions.layout import HEAD, due_pk, due_shard, due_sk, session_of, session_pk
from cairn.upkeep.model import MaintenanceReport

START = Callable[..., Any]
HOUR = timedelta(hours=1)
NAME = st.from_regex(r"[A-Za-z0-9_-]{1,64}", fullmatch=True)
PROJECT = st.from_regex(r"[A-Za-z0-9_-]{1,40}(/[A-Za-z0-9_.-]{3,40}){0,2}", fullmatch=True)


SESSION_ID = st.from_regex(r"[^/\\\x00-\x1f\x7f-\x9f\ud800-\udfff]{1,128}", fullmatch=True)
SESSIONS = st.builds(Session, NAME.map(Tenant), PROJECT.map(Project), SESSION_ID.map(SessionId))


@settings(max_examples=50)
@given(SESSIONS)
def test_a_partition_s_name_tells_its_session(session: Session) -> None:
    assert session_of(session_pk(session)) == session


@pytest.mark.parametrize("name", ["#", "s#1", "a#s#b#c", "~", "#s#", "e#~"])
def test_a_session_may_be_called_what_a_key_looks_like(name: str) -> None:
    session = Session(Tenant("acme"), Project("garden"), SessionId(name))
    assert session_of(session_pk(session)) == session


@pytest.mark.parametrize("pk", ["", "acme", "acme#keys", "acme#s#garden", "acme#m#garden#u:ada", "~credentials#api"])
def test_a_partition_that_is_no_session_s_tells_none(pk: str) -> None:
    with pytest.raises(CorruptData):
        session_of(pk)


@settings(max_examples=50)
@given(SESSIONS)
def test_a_session_has_one_shard_whose_partition_is_no_tenant_s(session: Session) -> None:
    shard = due_shard(session)

    assert shard == due_shard(session)
    assert 0 <= shard < DUE_SHARDS
    with pytest.raises(ValueError, match="a tenant is"):
        ids.tenant(due_pk(shard))


def test_sessions_spread_over_the_shards_and_stay_there() -> None:
    sessions = [Session(Tenant("acme"), Project("garden"), SessionId(f"s{number}")) for number in range(1600)]
    spread = Counter(due_shard(session) for session in sessions)

    assert len(spread) == DUE_SHARDS
    assert max(spread.values()) < 2 * min(spread.values())
    assert due_shard(sessions[0]) == 4


@settings(max_examples=50)
@given(st.lists(st.datetimes(datetime(1970, 1, 1), datetime(9999, 12, 31), timezones=st.just(UTC)), min_size=2))  # noqa: DTZ001 - hypothesis takes bounds without a zone
def test_entries_are_in_the_order_of_their_moments(moments: list[datetime]) -> None:
    assert [due_sk(each) for each in sorted(moments)] == sorted(due_sk(each) for each in moments)


def head(talk: Any) -> Attributes:
    return talk.table.get(Key(session_pk(talk.session), HEAD)) or {}


def due(talk: Any) -> timedelta | None:
    """Return in how long the session is due, as the index lists it; None where it does not."""
    query = Query(due_pk(due_shard(talk.session)), "", "\U0010ffff", index=True)
    pk = session_pk(talk.session)
    moments = [datetime.fromisoformat(str(each["isk"])) for each in talk.table.query(query).items if each["pk"] == pk]
    assert len(moments) <= 1
    return moments[0] - talk.adapters.clock.now() if moments else None


def test_the_first_turn_makes_a_session_due_after_the_refresh_interval(start: START) -> None:
    talk = start()
    assert due(talk) is None
    talk.say("Hello.")
    assert due(talk) == HOUR


@pytest.mark.parametrize(("minutes", "expected"), [(0, timedelta(0)), (90, 1.5 * HOUR), (525_600, 24 * HOUR)])
def test_a_session_is_due_after_a_day_at_the_latest(minutes: int, expected: timedelta, start: START) -> None:
    talk = start(summary_refresh_interval_minutes=minutes)
    talk.say("Hello.")
    assert due(talk) == expected


def test_further_turns_leave_the_entry_alone(start: START, clock: Any) -> None:
    talk = start()
    talk.say("Hello.")
    entry = head(talk)["isk"]
    for _ in range(3):
        clock.advance(minutes=50)
        talk.say("And on.")
        assert head(talk)["isk"] == entry


def test_after_maintenance_a_session_is_due_when_its_oldest_raw_turn_may_be_archived(start: START, clock: Any) -> None:
    talk = start(recent_context_items=2)
    talk.say("First.")
    clock.advance(minutes=30)
    talk.say("Second.")
    clock.advance(minutes=30)
    talk.maintain()
    assert due(talk) == 23 * HOUR

    clock.advance(hours=23)
    assert talk.maintain().archived_shards == 1
    assert due(talk) is None


def test_after_maintenance_a_session_is_due_when_a_fact_of_it_expires(start: START, clock: Any) -> None:
    clock.time = datetime(2026, 3, 1, 12, tzinfo=UTC)
    talk = start()
    talk.say("Today I need to buy stamps. This week I need to paint. My name is Ada.")
    clock.advance(hours=1)
    talk.maintain()
    assert due(talk) == datetime(2026, 3, 3, tzinfo=UTC) - clock.time
    clock.advance(days=2)
    assert talk.maintain().expired_facts == 1
    assert due(talk) == datetime(2026, 3, 9, tzinfo=UTC) - clock.time
    clock.advance(days=7)
    assert talk.maintain().expired_facts == 1
    assert due(talk) is None


def test_a_session_in_which_nothing_will_fall_due_is_not_listed_until_its_next_turn(start: START, clock: Any) -> None:
    talk = start()
    talk.say("My name is Ada.")
    clock.advance(hours=1)
    talk.maintain()
    assert due(talk) is None
    assert not {"ipk", "isk"} & set(head(talk))

    clock.advance(days=3)
    talk.say("Back again.")
    assert due(talk) == HOUR


def test_a_turn_moves_an_entry_that_is_far_off(start: START, clock: Any) -> None:
    talk = start()
    talk.say("This week I need to paint.")
    clock.advance(hours=1)
    talk.maintain()
    far = due(talk)
    assert far is not None
    assert far > timedelta(days=6)

    talk.say("Hello.")
    assert due(talk) == HOUR


def test_a_run_that_may_not_refresh_the_summaries_yet_has_them_refreshed_later(start: START, clock: Any) -> None:
    talk = start()
    talk.say("Hello.")
    talk.maintain()
    clock.advance(minutes=30)
    talk.say("There is more.")
    assert talk.maintain().summaries_refreshed == 0
    assert due(talk) == HOUR


def test_two_moments_within_an_interval_make_one_run(start: START, clock: Any) -> None:
    talk = start(recent_context_items=0)
    for _ in range(6):
        talk.say("Hello.")
        clock.advance(minutes=5)
    clock.advance(hours=1)
    talk.maintain()
    clock.advance(seconds=due(talk).total_seconds())  # pyright: ignore[reportOptionalMemberAccess]
    talk.maintain()
    assert due(talk) == HOUR


def test_a_run_without_time_leaves_the_session_due_at_once(start: START, clock: Any) -> None:
    talk = start(recent_context_items=0)
    talk.say("Hello.")
    clock.advance(days=2)
    report = talk.services.maintenance.run_due(talk.session, clock.now())

    assert (report.finished, report.archived_shards) == (False, 0)
    assert due(talk) == timedelta(0)
    assert talk.services.maintenance.run_due(talk.session, clock.now() + HOUR).archived_shards == 1


@pytest.mark.req("R249")
def test_a_session_takes_no_more_of_a_scheduled_run_than_of_the_tool_s(start: START, clock: Any, watched: Any) -> None:
    talk = start(recent_context_items=0)
    for _ in range(8):
        talk.say("Hello.")
        clock.advance(days=1)
    clock.advance(days=2)

    def take_time(what: object) -> None:
        clock.advance(seconds=0 if isinstance(what, Update) else 2)

    watched.before_call = take_time
    report = talk.services.maintenance.run_due(talk.session, clock.now() + HOUR)
    watched.before_call = None

    assert not report.finished
    assert 0 < report.archived_shards < 8


def test_a_scheduled_run_leaves_alone_what_is_not_due(start: START, clock: Any, watched: Any) -> None:
    talk = start()
    talk.say("Hello.")
    writes = watched.writes
    clock.advance(minutes=59)

    assert talk.services.maintenance.run_due(talk.session, clock.now() + HOUR) == MaintenanceReport()
    assert talk.other("unknown").services.maintenance.run_due(talk.session, clock.now() + HOUR) == MaintenanceReport()
    assert watched.writes == writes


def test_a_scheduled_run_does_not_wait_for_a_session_that_is_in_use(start: START, clock: Any) -> None:
    talk = start(session_lock_timeout_ms=5000)
    talk.say("Hello.")
    clock.advance(hours=1)
    talk.services.sessions.try_lease(talk.session, "another", 30)
    now = clock.now()

    with pytest.raises(ResourceBusy):
        talk.services.maintenance.run_due(talk.session, now + HOUR)
    assert clock.now() == now


def test_a_turn_between_a_run_s_last_step_and_its_end_keeps_its_entry(start: START, clock: Any, watched: Any) -> None:
    """The run's lease was taken over: what it thinks of the next due moment no longer counts."""
    talk = start(guard_lease_seconds=30)
    talk.say("Hello.")
    clock.advance(hours=1)
    other = talk.other()

    def late(write: object) -> None:
        if isinstance(write, Update) and "isk" in write.remove:
            clock.advance(seconds=31)
            other.say("In between.")

    watched.before_call = late
    talk.maintain()
    watched.before_call = None

    assert head(talk)["seq"] == 2
    waiting = due(talk)
    assert waiting is not None
    assert waiting <= timedelta(0)


@pytest.mark.req("R076")
def test_turns_and_runs_of_the_tool_queue_no_maintenance(start: START, clock: Any) -> None:
    talk = start()
    for _ in range(3):
        talk.say("Hello.")
        clock.advance(days=2)
        talk.ask("Hi")
        talk.maintain()

    assert {type(job) for job in talk.adapters.jobs.sent} == {EmbedLog}
