"""Changes are counted by days, of a user or of a project, beside how much there is now."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date, timedelta

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, Tenant, UserId
from cairn.memories.forget import forget
from cairn.memories.model import ForgetRequest, Note
from cairn.memories.remember import remember
from cairn.overview import days as counting
from cairn.overview import sessions as listing
from cairn.overview.changes import Wanted, changes
from cairn.overview.days import days
from cairn.overview.model import Day, Days, Totals
from cairn.process.system import in_turn
from metering import Meter, MeteredBlobs, MeteredKeys, MeteredTable
from support.overview import PLACE, Talk
from support.services import services_over

ADA = UserId("ada")
NOTHING = {"learnt": 0, "replaced": 0, "forgotten": 0, "ended": 0, "kept": 0, "turns": 0}
pytestmark = pytest.mark.req("R295")


@pytest.fixture
def talk(adapters: Adapters) -> Talk:
    return Talk(replace(adapters, parallel=in_turn))


def told(talk: Talk, user: UserId | None = ADA, since: date | None = None, until: date | None = None) -> Days:
    return days(talk.fresh(), PLACE, user, since, until)


def day(when: date, **counts: int) -> Day:
    return Day(day=when, **{**NOTHING, **counts})


def test_each_day_says_what_changed_on_it_and_the_totals_what_there_is_now(talk: Talk) -> None:
    first = talk.clock.now().date()
    talk.say("monday", "t1", "I live in Oslo. I like figs.")
    gone = talk.keep("monday", "Beans like sun.")
    talk.clock.sleep(timedelta(days=2).total_seconds())
    talk.say("monday", "t2", "I moved to Bergen.")
    talk.say("tuesday", "u1", "I no longer like figs. Hello.")
    forget(talk.services, talk.session("monday"), ForgetRequest(id=gone.id, user_id=ADA))
    talk.keep("monday", "Beans like shade.")

    found = told(talk, since=first)

    assert found.days == (
        day(first, learnt=2, kept=1, turns=1),
        day(first + timedelta(days=1)),
        day(first + timedelta(days=2), replaced=1, ended=1, forgotten=1, kept=1, turns=2),
    )
    assert found.totals == Totals(facts=1, memories=1, turns=3, conversations=2)
    assert (found.logs, found.of_logs) == (1, 1)


def test_days_are_the_last_90_until_today_unless_others_are_named(talk: Talk) -> None:
    today = talk.clock.now().date()
    talk.say("monday", "t1", "I live in Oslo.")

    usual, earlier = told(talk), told(talk, until=today - timedelta(days=1))

    assert [usual.days[0].day, usual.days[-1].day, len(usual.days)] == [today - timedelta(days=89), today, 90]
    assert (usual.days[-1].learnt, earlier.days[-1].learnt) == (1, 0)
    assert len(earlier.days) == 90
    assert earlier.totals == usual.totals
    assert len(told(talk, since=today - timedelta(days=365)).days) == 366


def test_before_the_calendar_s_first_day_there_is_none(talk: Talk) -> None:
    found = told(talk, until=date(1, 1, 3)).days

    assert [each.day for each in found] == [date(1, 1, 1), date(1, 1, 2), date(1, 1, 3)]


def test_days_the_wrong_way_round_or_too_many_are_refused(talk: Talk) -> None:
    today = talk.clock.now().date()

    for since in (today + timedelta(days=1), today - timedelta(days=366)):
        with pytest.raises(InvalidArgument, match="since"):
            told(talk, since=since)


@pytest.mark.req("R287")
def test_a_project_s_counts_are_those_of_its_users_of_its_sessions_without_one_and_of_what_everyone_sees(
    talk: Talk,
) -> None:
    talk.say("monday", "t1", "I live in Oslo.")
    talk.say("monday", "t2", "I live in Rome.", "eve")
    talk.say("nobody", "t1", "I like figs.", None)
    talk.say("shop", "t1", "My name is Ada.", project="shop")
    note = Note(content="Beans like sun.", scope="project", user_id=ADA)
    remember(talk.services, talk.session("monday"), note)

    found = told(talk, None)

    assert found.totals == Totals(facts=4, memories=1, turns=3, conversations=2)
    assert found.days[-1] == day(talk.clock.now().date(), learnt=4, kept=1, turns=3)
    assert (found.logs, found.of_logs) == (4, 4)


def test_of_a_project_with_many_users_the_newest_logs_count_and_it_says_how_many_there_are(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "MOST_LOGS", 2)
    for user in ("ada", "eve", "lin"):
        talk.say(f"of-{user}", "t1", "I like figs.", user)
    talk.say("of-ada", "t2", "I like plums.")

    found = told(talk, None)

    assert (found.logs, found.of_logs) == (2, 3)
    assert found.totals == Totals(facts=3, memories=0, turns=3, conversations=2)
    monkeypatch.setattr(listing, "MOST_LOGS", 2)
    with pytest.raises(InvalidArgument, match="user_id"):
        told(talk, None)


def test_where_reading_takes_long_it_says_of_how_many_logs_it_tells(
    talk: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(counting, "AT_ONCE", 1)
    for user in ("ada", "eve", "lin"):
        talk.say(f"of-{user}", "t1", "I like figs.", user)
    refresh = talk.services.log.refresh

    def slowly(tenant: Tenant, project: Project, owner: str) -> None:
        talk.clock.sleep(2)
        refresh(tenant, project, owner)

    monkeypatch.setattr(talk.services.log, "refresh", slowly)

    found = days(talk.services, PLACE, None, None, None)

    assert (found.logs, found.of_logs, found.totals.turns) == (2, 3, 2)


def test_who_said_nothing_has_days_without_changes(talk: Talk) -> None:
    found = told(talk, UserId("nobody"))

    assert {replace(each, day=date.min) for each in found.days} == {day(date.min)}
    assert found.totals == Totals(facts=0, memories=0, turns=0, conversations=0)
    assert told(talk, None).of_logs == 0


def test_each_answer_takes_few_round_trips_of_a_process_that_has_read_the_logs(talk: Talk) -> None:
    for number in range(10):
        talk.say(f"s{number}", f"t{number}", f"I like fruit{number}. I live in Town{number}.", f"u{number % 5}")
    meter, adapters = Meter(), talk.adapters
    services = services_over(
        replace(
            adapters,
            table=MeteredTable(adapters.table, meter),
            blobs=MeteredBlobs(adapters.blobs, meter),
            keys=MeteredKeys(adapters.keys, meter),
            parallel=meter,
        )
    )

    def rounds(call: Callable[[], object]) -> int:
        call()
        before = meter.rounds
        call()
        return meter.rounds - before

    assert rounds(lambda: changes(services, PLACE, Wanted(UserId("u1")), "", 100)) == 1
    assert rounds(lambda: days(services, PLACE, UserId("u1"), None, None)) == 1
    assert rounds(lambda: days(services, PLACE, None, None, None)) == 3
