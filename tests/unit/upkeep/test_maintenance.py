"""Maintenance compacts, archives, sweeps, merges and refreshes what is due, and loses nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from cairn.facts.facts import State
from cairn.ground.errors import ResourceBusy
from cairn.ground.ids import SessionId
from cairn.ground.table import Query, Update, Write, key_of, prefix_range
from cairn.sessions.layout import HEAD, NEWEST_SUMMARY, PACKED, SUMMARIES, session_pk
from cairn.upkeep import findings
from cairn.upkeep.model import MaintenanceReport
from support.memories import Person

START = Callable[..., Any]
PLACED = Callable[..., dict[str, Any]]
FEW = {"recent_context_items": 2}


def items(talk: Any, prefix: str) -> list[Any]:
    low, high = prefix_range(prefix)
    return list(talk.table.query(Query(session_pk(talk.session), low, high)).items)


def sequences(talk: Any, prefix: str) -> list[int]:
    marks = {HEAD, NEWEST_SUMMARY}
    return [int(str(item["sk"]).split("#")[1]) for item in items(talk, prefix) if item["sk"] not in marks]


@pytest.mark.req("R075")
def test_an_unknown_session_has_nothing_due_and_nothing_is_written(start: START, watched: Any) -> None:
    assert start().maintain() == MaintenanceReport()
    assert watched.writes == 0


@pytest.mark.req("R070")
def test_one_run_does_what_is_due_and_the_next_finds_nothing(start: START, clock: Any) -> None:
    talk = start(**FEW)
    talk.say("Today I need to buy stamps. I like dark-roast coffee. I live in Berlin.")
    talk.say("I like the dark roast coffee.")
    talk.say("Thanks.")
    clock.advance(days=3)

    report = talk.maintain()

    assert report == MaintenanceReport(
        compacted_events=4,
        archived_shards=1,
        expired_facts=1,
        merged_facts=1,
        summaries_refreshed=len(talk.list()),
    )
    assert talk.maintain() == MaintenanceReport()
    assert talk.other().maintain() == MaintenanceReport()


@pytest.mark.req("R306")
def test_a_forecast_tells_what_the_next_run_does_and_changes_nothing(start: START, watched: Any, clock: Any) -> None:
    talk = start(**FEW)
    talk.say("Today I need to buy stamps. I like dark-roast coffee. I live in Berlin.")
    talk.say("I like the dark roast coffee.")
    talk.say("Thanks.")
    clock.advance(days=3)
    other = talk.other()
    writes = watched.writes

    forecast = other.services.maintenance.forecast(talk.session)

    assert watched.writes == writes
    assert forecast == replace(talk.maintain(), summaries_refreshed=0)
    assert forecast.merged_facts == forecast.expired_facts == forecast.archived_shards == 1
    assert other.services.maintenance.forecast(talk.session) == MaintenanceReport()


@pytest.mark.req("R072")
@pytest.mark.req("R119")
@pytest.mark.parametrize(("seconds", "archived"), [(-1, 0), (0, 1), (1, 1)])
def test_raw_events_are_archived_once_they_are_old_enough(
    seconds: int, archived: int, start: START, clock: Any
) -> None:
    talk = start(**FEW)
    talk.say("First.")
    clock.advance(hours=24, seconds=seconds)
    talk.say("Second.")

    assert talk.maintain().archived_shards == archived
    assert len(sequences(talk, "arc#")) == archived


@pytest.mark.req("R072")
def test_the_recent_context_is_not_archived_however_old(start: START, clock: Any) -> None:
    talk = start(recent_context_items=3)
    for number in range(4):
        talk.say(f"Turn {number}.")
    before = talk.ask("Hi").items
    clock.advance(days=400)

    assert talk.maintain().archived_shards == 1
    assert sequences(talk, "e#") == [3, 4]
    assert talk.other().ask("Hi").items[-4:] == before[-4:]


@pytest.mark.req("R072")
@pytest.mark.req("R077")
def test_what_was_archived_is_read_back_as_it_was_sent(start: START, clock: Any) -> None:
    talk = start(**FEW)
    odd = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi"}], "x": {"y": [None]}}
    talk.say(odd, reply={"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"})
    talk.say("Second.")
    before = talk.history()
    clock.advance(days=2)

    talk.maintain()

    assert talk.history() == before
    assert talk.history()[0] == odd
    assert len(items(talk, "arc#")) == 1


def test_archived_turns_can_still_be_recalled(start: START, placed: PLACED, clock: Any) -> None:
    talk = start(**FEW)
    talk.say("The gate code is amber.")
    talk.say("Second.")
    clock.advance(days=2)
    talk.maintain()

    assert placed(talk.other().ask("gate code"))["chunks"][0]["text"] == "The gate code is amber."


def test_a_shard_ends_with_the_utc_day(start: START, clock: Any) -> None:
    talk = start(recent_context_items=0)
    for moment in ((1, 12, 0), (1, 23, 59), (2, 0, 0), (2, 8, 0)):
        clock.time = datetime(2026, 3, *moment, tzinfo=UTC)
        talk.say(f"At {moment}.")
    clock.advance(days=2)

    assert talk.maintain().archived_shards == 2
    assert [(item["sk"][-1], item["last"], item["at"][:10]) for item in items(talk, "arc#")] == [
        ("1", 2, "2026-03-01"),
        ("3", 4, "2026-03-02"),
    ]


def test_a_shard_holds_at_most_ninety_turns(start: START, clock: Any) -> None:
    talk = start(recent_context_items=0)
    for number in range(91):
        talk.say(f"{number}")
    before = talk.history()
    clock.advance(days=2)

    assert talk.maintain().archived_shards == 2
    assert sequences(talk, "arc#") == [1, 91]
    assert talk.history() == before


def test_a_shard_holds_a_bounded_number_of_bytes_or_one_turn(
    start: START, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(findings, "MAX_PACK_BYTES", 5000)
    talk = start(recent_context_items=0)
    for size in (2000, 2000, 2000, 9000, 1):
        talk.say("x" * size)
    before = talk.history()
    clock.advance(days=2)

    assert talk.maintain().archived_shards == 4
    assert sequences(talk, "arc#") == [1, 3, 4, 5]
    assert talk.history() == before


@pytest.mark.req("R056")
def test_lapsed_facts_are_marked_once_and_stay_in_the_record(start: START, clock: Any) -> None:
    talk = start()
    talk.say("Today I need to buy stamps. This week I need to paint the fence. My name is Ada.")
    clock.advance(days=2)
    assert talk.maintain().expired_facts == 1
    clock.advance(days=7)
    assert talk.maintain().expired_facts == 1
    clock.advance(days=100)
    assert talk.other().maintain().expired_facts == 0

    log = talk.services.log
    states: dict[str, State] = {}
    for owner, name in (("u:ada", "monday"), ("~u:ada", "garden/monday")):
        with log.view("acme", "garden", owner) as view:
            states |= {fact.fact_id: fact.state for _, fact in view.ledger._latest(SessionId(name))}
    assert sorted(states.values()) == [State.ACTIVE, State.EXPIRED, State.EXPIRED]


@pytest.mark.req("R260")
def test_of_facts_that_differ_only_in_form_the_newest_stays(start: START, placed: PLACED, clock: Any) -> None:
    talk = start(recent_context_items=0, search_limit=0)
    talk.say("I like dark-roast coffee.")
    clock.advance(hours=1)
    talk.say("I like the Dark Roast coffees.")

    assert talk.maintain().merged_facts == 1
    assert [fact["value"] for fact in placed(talk.other().ask("coffee"))["facts"]] == ["the Dark Roast coffees"]


def undo_all(talk: Any) -> list[str]:
    """Take back what maintenance planned, and return what that was."""
    plans = talk.services.plans
    found = [each for each in plans.records.every(talk.session.tenant) if each.state == "applied"]
    return [plans.undo(each.tenant, each.id).says for each in found]


@pytest.mark.req("R306")
def test_facts_that_were_merged_are_all_believed_again_and_stay_so(start: START, clock: Any) -> None:
    """Of copies one stays; rivals' consolidation deleted all, for good: hindsight #3876, mcp-memory-service #1180."""
    talk = start()
    for said in ("dark-roast coffee", "the Dark Roast coffees", "dark roast coffee"):
        talk.say(f"I like {said}.")
        clock.advance(hours=1)
    before = set(Person(talk).facts())
    assert talk.maintain().merged_facts == 2
    assert set(Person(talk).facts()) == {"dark roast coffee"}
    clock.advance(hours=1)

    (told,) = undo_all(talk)

    assert ("like: dark-roast coffee" in told, "the Dark Roast coffees" in told) == (True, True)
    assert set(Person(talk).facts()) == before
    clock.advance(hours=1)
    assert talk.maintain().merged_facts == 0
    assert set(Person(talk).facts()) == before
    assert undo_all(talk) == []


@pytest.mark.req("R306")
def test_a_fact_that_expired_is_believed_again(start: START, clock: Any) -> None:
    talk = start()
    talk.say("Today I need to buy stamps.")
    clock.advance(days=2)
    assert talk.maintain().expired_facts == 1
    assert Person(talk).facts() == {}

    undo_all(talk)

    (again,) = Person(talk).facts().values()
    assert again.expires_at is not None
    assert again.expires_at > clock.now()


@pytest.mark.req("R306")
def test_the_plan_by_which_ended_facts_come_back_names_them(start: START, clock: Any) -> None:
    talk = start()
    talk.say("Today I need to buy stamps. Today I need to paint the fence.")
    clock.advance(days=2)
    talk.maintain()

    assert undo_all(talk) == ["end today task: to buy stamps, today task: to paint the fence"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tea with sugar", "tea with no sugar"),
        ("trains from Paris to Rome", "trains from Rome to Paris"),
        ("meetings before 9", "meetings after 9"),
        ("version 3.5", "version 3.6"),
        ("東京の夏", "夏の東京"),
    ],
)
def test_facts_of_another_meaning_are_not_merged(one: str, other: str, start: START, clock: Any) -> None:
    talk = start()
    talk.say(f"I like {one}.")
    clock.advance(hours=1)
    talk.say(f"I like {other}.")

    assert talk.maintain().merged_facts == 0
    assert len(talk.other().ask("Hi", f"{one}, {other}").recalled_fact_ids) == 2


@pytest.mark.req("R073")
@pytest.mark.req("R120")
def test_summaries_are_refreshed_at_most_once_per_interval(start: START, clock: Any) -> None:
    talk = start()
    talk.say("Hello.")
    refreshed = [bool(talk.maintain().summaries_refreshed)]
    for minutes in (0, 59, 1, 59, 1):
        clock.advance(minutes=minutes)
        refreshed.append(bool(talk.maintain().summaries_refreshed))

    assert refreshed == [True, False, False, True, False, True]


@pytest.mark.req("R071")
def test_a_session_that_is_being_written_is_busy_until_the_lock_times_out(start: START, clock: Any) -> None:
    talk = start(session_lock_timeout_ms=3000)
    talk.say("Hello.")
    lease = talk.services.sessions.try_lease(talk.session, "another", 30)
    began = clock.time

    with pytest.raises(ResourceBusy) as busy:
        talk.maintain()

    assert busy.value.retryable
    assert (clock.time - began).total_seconds() == 3
    talk.services.sessions.release(lease)
    assert talk.maintain().summaries_refreshed


@pytest.mark.req("R071")
def test_a_run_gives_the_session_back(start: START) -> None:
    talk = start(session_lock_timeout_ms=0)
    talk.say("Hello.")
    talk.maintain()

    assert talk.say("Goodbye.").events_written == 2


def test_a_run_that_reaches_its_time_limit_leaves_the_rest_to_the_next(start: START, watched: Any, clock: Any) -> None:
    talk = start(recent_context_items=0)
    for day in range(5):
        talk.say(f"Today I need to do {day}.")
        clock.advance(days=1)
    clock.advance(days=2)
    before = talk.history()

    def take_time(what: object) -> None:
        if not isinstance(what, Update):
            clock.advance(seconds=4)

    watched.before_call = take_time
    reports = [talk.maintain()]
    while not reports[-1].finished:
        reports.append(talk.maintain())
    watched.before_call = None

    assert len(reports) > 1
    assert sum(report.archived_shards for report in reports) == 5
    assert [report.expired_facts for report in reports] == [0] * (len(reports) - 1) + [5]
    assert talk.history() == before


def writes(what: object, prefix: str) -> bool:
    """Tell whether a call of the table is a transaction that writes an item of this kind."""
    written = cast("list[Write]", what) if isinstance(what, list) else []
    return any(key_of(write).sk.startswith(prefix) for write in written)


@pytest.mark.req("R074")
def test_a_run_whose_lease_was_taken_over_moves_no_shard(start: START, watched: Any, clock: Any) -> None:
    """What the other changes meanwhile, such as the turns of a user who is being erased, must not come back."""
    talk = start(recent_context_items=0, guard_lease_seconds=10)
    talk.say("First.")
    before = items(talk, "e#0")
    clock.advance(days=2)
    other = talk.other()

    def take_over(what: object) -> None:
        if writes(what, PACKED):
            clock.advance(seconds=11)
            assert other.services.sessions.try_lease(talk.session, "another", 10)

    watched.before_call = take_over
    with pytest.raises(ResourceBusy):
        talk.maintain()
    watched.before_call = None

    assert items(talk, "arc#") == []
    assert items(talk, "e#0") == before


@pytest.mark.req("R071")
def test_nobody_else_gets_the_session_however_many_shards_a_run_moves(start: START, watched: Any, clock: Any) -> None:
    """Each step takes less than the lease's time, all together take longer."""
    talk = start(recent_context_items=0, guard_lease_seconds=8)
    for day in range(3):
        talk.say(f"Today I need to do {day}.")
        clock.advance(days=1)
    clock.advance(days=2)
    other = talk.other()
    leases: list[Any] = []

    def take_time(what: object) -> None:
        if writes(what, PACKED) or writes(what, SUMMARIES):
            clock.advance(seconds=6)
            leases.append(other.services.sessions.try_lease(talk.session, "another", 8))

    watched.before_call = take_time
    report = talk.maintain()
    watched.before_call = None

    assert (report.archived_shards, report.finished) == (3, True)
    assert leases == [None] * 4


@pytest.mark.req("R084")
@pytest.mark.req("R078")
def test_every_time_in_the_session_s_items_is_utc(start: START, clock: Any) -> None:
    talk = start(**FEW)
    talk.say("First.")
    talk.say("Second.")
    clock.advance(days=2)
    talk.maintain()

    stamps = [item["at"] for prefix in ("e#0", "arc#", "cmp#") for item in items(talk, prefix)]

    assert len(stamps) == 3
    assert all(stamp.endswith("Z") for stamp in stamps)


@pytest.mark.slow
@pytest.mark.req("R077")
def test_two_thousand_turns_are_all_there_after_compactions_and_archivings(start: START, clock: Any) -> None:
    talk = start()
    sent: list[str] = []
    for number in range(2000):
        talk.say(f"Question {number}", reply=f"Answer {number}")
        sent += [f"Question {number}", f"Answer {number}"]
        clock.advance(hours=1)
        if number % 400 == 399:
            assert talk.ask("Hi", max_input_tok=800).token_count <= 800
            assert talk.maintain().archived_shards > 0

    assert [item["content"][0]["text"] for item in talk.history()] == sent
    assert len(sequences(talk, "e#")) < 50
