"""A warm before_turn costs the same however long the session is: counted in calls and items, not in time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from cairn.ground.errors import Unavailable
from cairn.ground.ids import Digest, SessionId
from cairn.ground.table import Query
from cairn.sessions.layout import FIRST_EVENT, LAST_EVENT, session_pk
from metering import Meter, metered
from support.memories import Notebook, index

START = Callable[..., Any]
PLACED = Callable[..., dict[str, Any]]
LETTERS = str.maketrans("0123456789", "ghijklmnop")


def cost(talk: Any) -> tuple[int, int, int]:
    """Return the reads, the items read and the writes of one warm call."""
    talk.ask("Which beans grow well?")
    table = talk.table
    before = table.reads, table.items_read, table.writes
    talk.ask("Which beans grow well?")
    return table.reads - before[0], table.items_read - before[1], table.writes - before[2]


@pytest.mark.slow
@pytest.mark.req("R267")
def test_turn_one_thousand_costs_what_turn_ten_did(start: START, clock: Any) -> None:
    talk = start(recent_context_items=10)
    costs: dict[int, tuple[int, int, int]] = {}
    for number in range(1, 1001):
        talk.say(f"The beans of row {number} grow well.")
        clock.advance(minutes=10)
        if number in {10, 1000}:
            costs[number] = cost(talk)

    assert costs[1000] == costs[10]


@pytest.mark.req("R267")
def test_a_warm_call_makes_one_round_of_three_queries_for_what_is_new(start: START, watched: Any, clock: Any) -> None:
    talk = start()
    talk.say("I live in Berlin.")
    clock.advance(minutes=1)
    talk.ask("Where do I live?")
    asked: list[str] = []

    def note(what: object) -> None:
        assert isinstance(what, Query)
        asked.append(what.pk.split("#")[1] + what.low[:2])

    watched.before_call = note
    talk.ask("Where do I live?")
    watched.before_call = None

    assert asked == ["se#", "mm#", "mm#"]


@pytest.fixture
def shared_by_two(start: START) -> Any:
    """A session of two users, one's log in a segment, that keeps a memory for itself."""
    talk = start(recent_context_items=0)
    talk.say("I live in Berlin.", user="ada")
    talk.say("I live in Bonn.", user="bob")
    Notebook(talk).keep("Nobody lives in Bremen.")
    index(Notebook(talk), "u:ada")
    return talk


def counting(talk: Any) -> tuple[Any, Meter]:
    """Return a process whose trips are counted, and that has served another session of the tenant."""
    meter = Meter()
    counted = type(talk)(metered(talk.adapters, meter), talk.table, talk.settings, talk.session)
    counted.session = replace(talk.session, session_id=SessionId("another"))
    counted.say("Hello.", user="cleo")
    counted.ask("Hello.", user="cleo")
    counted.session = talk.session
    counted.services.vault.prepare(talk.session.tenant)
    meter.reset()
    return counted, meter


@pytest.mark.req("R267")
def test_a_process_new_to_a_session_reads_the_logs_it_names_beside_its_user_s_segments(
    shared_by_two: Any, placed: PLACED
) -> None:
    talk, meter = counting(shared_by_two)

    found = placed(talk.ask("Who lives where?"))

    assert {fact["value"] for fact in found["facts"]} == {"Berlin", "Bonn", "Nobody lives in Bremen."}
    assert meter.rounds == 2


@pytest.mark.req("R267")
def test_what_a_session_keeps_for_itself_takes_a_round_once(start: START) -> None:
    first = start()
    first.say("I live in Berlin.")
    Notebook(first, "ada").keep("The flat is on Elm Street.")
    talk, meter = counting(first)
    rounds: list[int] = []
    for _ in range(3):
        meter.reset()
        talk.ask("Where do I live?")
        rounds.append(meter.rounds)

    assert rounds == [2, 1, 1]


@pytest.mark.req("R267")
def test_a_log_of_its_own_memories_is_read_only_where_the_session_keeps_some(start: START, watched: Any) -> None:
    talk = start()
    talk.say("I live in Berlin.")
    asked: list[str] = []

    def note(what: object) -> None:
        asked.append(str(getattr(what, "pk", "")))

    watched.before_call = note

    talk.other().ask("Where do I live?")
    assert "acme#m#garden#s:monday" not in asked

    Notebook(talk, "ada").keep("The flat is on Elm Street.")
    talk.other().ask("Where do I live?")
    assert "acme#m#garden#s:monday" in asked


@pytest.mark.parametrize("unreadable", ["s:monday", "u:bob"])
def test_a_log_the_session_names_that_cannot_be_read_is_left_out(
    unreadable: str, shared_by_two: Any, placed: PLACED
) -> None:
    talk = shared_by_two.other()

    def fail(what: object) -> None:
        if getattr(what, "pk", "").endswith(f"#{unreadable}"):
            raise Unavailable("throttled")

    talk.table.before_call = fail
    values = {fact["value"] for fact in placed(talk.ask("Who lives where?"))["facts"]}

    left_out = {"s:monday": "Nobody lives in Bremen.", "u:bob": "Bonn"}[unreadable]
    assert values == {"Berlin", "Bonn", "Nobody lives in Bremen."} - {left_out}


def long_text(number: int) -> str:
    """Return a text that no compression brings under 32 KB."""
    words = (sha256(f"{number}/{word}".encode()).hexdigest() for word in range(1200))
    return " ".join(words).translate(LETTERS)


@pytest.mark.req("R267")
@pytest.mark.parametrize(("items", "turns"), [(10, 5), (9, 5), (1, 1), (0, 0)])
def test_turns_that_are_blobs_are_fetched_in_one_round_and_no_more_than_are_shown(
    items: int, turns: int, start: START
) -> None:
    first = start(recent_context_items=items)
    for number in range(12):
        first.say(long_text(number))
    talk, meter = counting(first)

    recent = talk.services.sessions.recent(talk.session, items)

    assert [seq for seq, _ in recent.turns] == list(range(13 - turns, 13)) if turns else not recent.turns
    assert recent.head is not None
    assert [event.item for _, turn in recent.turns for event in turn] == first.history()[24 - 2 * turns :]
    assert (meter.rounds, meter.counts["query"], meter.counts["blob_get"]) == (1 + bool(turns), 1, turns)


@pytest.mark.req("R267")
def test_turns_of_one_item_that_are_blobs_are_fetched_in_two_rounds(start: START) -> None:
    first = start()
    for number in range(12):
        first.say(long_text(number), reply="")
    talk, meter = counting(first)

    recent = talk.services.sessions.recent(talk.session, 10)

    assert sum(len(turn) for _, turn in recent.turns) >= 10
    assert meter.rounds <= 3


@pytest.mark.req("R302")
def test_a_recent_turn_whose_blob_is_gone_is_passed_over_and_counted(start: START) -> None:
    talk = start()
    talk.say(long_text(1))
    talk.say(long_text(2))
    newest = Query(session_pk(talk.session), FIRST_EVENT, LAST_EVENT)
    turn, _ = talk.table.query(newest).items
    talk.adapters.blobs.delete(talk.session.tenant, Digest(str(turn["blob"])))

    recent = talk.services.sessions.recent(talk.session, 10)

    assert [seq for seq, _ in recent.turns] == [2]
    assert recent.damaged == talk.services.adapters.tally.damage_met == 1
