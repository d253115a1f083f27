"""What before_turn may see: live facts only, of this session or as far as the scope opens others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from cairn.ground.ids import Project, Tenant

START = Callable[..., Any]
PLACED = Callable[..., dict[str, Any]]


def at(day: int, hour: int = 0, minute: int = 0, second: int = 0) -> datetime:
    return datetime(2026, 3, day, hour, minute, second, tzinfo=UTC)


def seen(turn: Any, placed: PLACED) -> list[str]:
    content = placed(turn)
    return sorted([fact["value"] for fact in content["facts"]] + [chunk["text"] for chunk in content["chunks"]])


@pytest.mark.req("R029")
@pytest.mark.req("R057")
@pytest.mark.parametrize("said_at", [at(1, 0, 0, 0), at(1, 23, 59, 59)])
def test_a_daily_fact_lives_a_full_day_and_is_gone_at_midnight_utc_though_nothing_swept(
    said_at: datetime, start: START, placed: PLACED, clock: Any
) -> None:
    talk = start()
    clock.time = said_at
    talk.say("Today I need to buy stamps.")

    clock.time = at(2, 23, 59, 59)
    assert len(placed(talk.ask("stamps today"))["facts"]) == 1
    clock.time = at(3)
    assert placed(talk.ask("stamps today"))["facts"] == []
    assert placed(talk.other().ask("stamps today"))["facts"] == []


@pytest.mark.req("R029")
@pytest.mark.req("R058")
def test_a_weekly_fact_lives_seven_full_days(start: START, placed: PLACED, clock: Any) -> None:
    talk = start()
    clock.time = at(1, 23, 59, 59)
    talk.say("This week I need to paint the fence.")

    clock.time = at(8, 23, 59, 59)
    assert len(placed(talk.ask("fence"))["facts"]) == 1
    clock.time = at(9)
    assert placed(talk.ask("fence"))["facts"] == []


@pytest.mark.req("R056")
@pytest.mark.req("R059")
def test_a_durable_fact_outlives_four_hundred_days_of_maintenance(start: START, placed: PLACED, clock: Any) -> None:
    talk = start()
    talk.say("My name is Ada. This week I need to paint the fence. Today I need to buy stamps.")
    known = placed(talk.ask("name fence stamps today"))["facts"]
    assert {fact["about"] for fact in known} == {"name", "weekly task", "today task"}

    for _ in range(8):
        clock.advance(days=50)
        talk.maintain()

    assert seen(talk.other(recent_context_items=0, search_limit=0).ask("name fence stamps today"), placed) == ["Ada"]


def test_an_old_summary_brings_back_neither_a_lapsed_nor_a_changed_fact(
    start: START, placed: PLACED, clock: Any
) -> None:
    talk = start(recent_context_items=0, search_limit=0)
    talk.say("Today I need to buy stamps. I live in Berlin. My name is Ada.")
    talk.maintain()
    first = placed(talk.ask("What is my name?"), "compact_summary")["facts"]
    assert sorted(first) == ["home: Berlin", "today task: to buy stamps"]

    talk.say("I live in Munich. I like tea.")
    clock.advance(days=3)
    turn = talk.other().ask("Where do I live?")
    known = [fact["value"] for fact in placed(turn)["facts"]] + placed(turn, "compact_summary")["facts"]

    assert "Munich" in known
    assert not [value for value in known if "Berlin" in value or "stamps" in value]


@pytest.mark.req("R022")
def test_the_summary_s_facts_count_towards_the_limit(start: START, placed: PLACED) -> None:
    talk = start(recent_context_items=0, recall_facts_limit=2)
    talk.say("I live in Berlin. My name is Ada. I like tea. I like jazz.")
    talk.maintain()

    turn = talk.ask("Where do I live?")

    assert [fact["value"] for fact in placed(turn)["facts"]] == ["Berlin"]
    assert len(placed(turn, "compact_summary")["facts"]) == 1


@pytest.mark.parametrize(
    ("scope", "visible"),
    [
        ("session", []),
        ("user", ["I like jazz.", "jazz"]),
        ("project", ["I like jazz.", "I prefer jazz.", "jazz", "jazz"]),
    ],
)
def test_the_scope_opens_nothing_a_user_s_own_sessions_or_the_project(
    scope: str, visible: list[str], start: START, placed: PLACED
) -> None:
    start("tuesday").say("I like jazz.", user="ada")
    start("wednesday").say("I prefer jazz.", user="bob")

    assert seen(start("monday", recall_scope=scope).ask("jazz", user="ada"), placed) == visible
    assert seen(start("monday").ask("jazz", user="ada", recall_scope=scope), placed) == visible


@pytest.mark.parametrize("scope", ["session", "user"])
def test_another_user_of_the_session_is_seen_in_it_but_not_in_that_user_s_other_sessions(
    scope: str, start: START, placed: PLACED
) -> None:
    talk = start("monday", recall_scope=scope, recent_context_items=0)
    talk.say("I prefer loud jazz.", user="bob")
    talk.say("Hello.", user="ada")
    start("secret").say("I prefer quiet jazz.", user="bob")

    assert seen(talk.ask("jazz", user="ada"), placed) == ["I prefer loud jazz.", "loud jazz"]


@pytest.mark.req("R261")
@pytest.mark.parametrize(("mine", "theirs"), [("s1", "s10"), ("s_", "sx"), ("s%", "s10"), ("a", "A")])
def test_no_session_sees_one_whose_name_resembles_its_own(
    mine: str, theirs: str, start: START, placed: PLACED, clock: Any
) -> None:
    start(theirs).say("I prefer jazz.", user=None)
    start(theirs).maintain()
    clock.advance(hours=1)

    talk = start(mine, recall_scope="user")

    assert seen(talk.ask("jazz", user=None), placed) == []
    assert len(talk.ask("jazz", user=None).items) == 1
    assert talk.list() == ()


@pytest.mark.parametrize("field", ["tenant", "project"])
def test_not_even_the_project_scope_reaches_another_tenant_or_project(field: str, start: START) -> None:
    start("tuesday").say("In this project I prefer jazz.")
    talk = start("tuesday", recall_scope="project")
    elsewhere = {"tenant": Tenant("rival"), "project": Project("kitchen")}[field]
    talk.session = replace(talk.session, **{field: elsewhere})

    assert len(talk.ask("jazz").items) == 1
    assert talk.list() == ()
