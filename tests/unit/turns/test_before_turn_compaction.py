"""before_turn compacts at the threshold, once, and loses nothing by it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, cast

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.conversation import token_count as tokens
from cairn.conversation.items import message, text_of
from cairn.ground.errors import Unavailable
from cairn.ground.table import Query, Write, key_of

START = Callable[..., Any]
PLACED = Callable[..., dict[str, Any]]
TURNS = 8
ROOM = 2400
"""Less than twice what the session's eight turns take, more than what five of them do."""


def texts(turn: Any) -> list[str]:
    return [text_of(item) for item in turn.items]


def summaries(watched: Any, talk: Any) -> list[int]:
    pk = f"acme#s#garden#{talk.session.session_id}"
    return [int(str(item["sk"]).removeprefix("cmp#")) for item in watched.query(Query(pk, "cmp#", "cmp#~")).items]


@pytest.fixture
def talk(start: START) -> Any:
    """Return a session of a few long turns, none of which the current question recalls."""
    told = start(search_limit=0, compact_threshold=0.5)
    told.say("I must call the plumber.")
    for number in range(TURNS - 1):
        told.say(f"Row {number}: {'word ' * 200}", reply=f"Answer {number}")
    return told


@pytest.mark.req("R026")
@pytest.mark.req("R027")
@pytest.mark.req("R116")
def test_compaction_runs_when_the_estimate_reaches_the_threshold_and_not_one_token_below(
    talk: Any, watched: Any
) -> None:
    estimate = talk.ask("Hi").token_count
    writes = watched.writes

    below = talk.ask("Hi", max_input_tok=2 * estimate + 2)
    assert (below.compacted, watched.writes, summaries(watched, talk)) == (False, writes, [])

    reached = talk.ask("Hi", max_input_tok=2 * estimate)
    assert (reached.compacted, watched.writes, len(summaries(watched, talk))) == (True, writes + 1, 1)
    assert reached.token_count < estimate


@pytest.mark.req("R026")
def test_base_instructions_count_towards_the_threshold(talk: Any) -> None:
    room = 2 * talk.ask("Hi").token_count + 20

    assert not talk.ask("Hi", max_input_tok=room).compacted
    assert talk.ask("Hi", max_input_tok=room, base_instructions="Be brief. " * 20).compacted


@pytest.mark.req("R026")
@pytest.mark.req("R077")
def test_compaction_puts_one_summary_in_place_of_the_oldest_turns_and_keeps_every_raw_item(
    talk: Any, placed: PLACED, watched: Any
) -> None:
    before = talk.history()

    turn = talk.ask("Hi", max_input_tok=ROOM)
    (through,) = summaries(watched, talk)

    assert 0 < through < TURNS
    assert placed(turn, "compact_summary")["tasks"] == ["I must call the plumber."]
    assert [text for text in texts(turn) if text.startswith("Row")] == texts_of_rows(through)
    assert talk.history() == before


def texts_of_rows(through: int) -> list[str]:
    return [f"Row {number}: {'word ' * 200}" for number in range(through - 1, TURNS - 1)]


@pytest.mark.req("R026")
def test_compacting_again_writes_nothing(talk: Any, watched: Any) -> None:
    first = talk.ask("Hi", max_input_tok=ROOM)
    writes = watched.writes

    again = talk.other().ask("Hi", max_input_tok=ROOM)

    assert first.compacted
    assert not again.compacted
    assert again.items == first.items
    assert watched.writes == writes


def test_a_context_that_stays_too_large_is_not_compacted_again_and_again(talk: Any, watched: Any) -> None:
    talk.ask("word " * 1500, max_input_tok=1000)
    writes = watched.writes

    turn = talk.ask("word " * 1500, max_input_tok=1000)

    assert not turn.compacted
    assert watched.writes == writes
    assert texts(turn) == ["word " * 1500]


def test_what_was_compacted_can_be_recalled(start: START, placed: PLACED) -> None:
    talk = start(compact_threshold=0.5)
    talk.say("The gate code is amber.")
    for number in range(TURNS):
        talk.say(f"Row {number}: {'word ' * 200}")

    turn = talk.ask("What is the gate code?", max_input_tok=ROOM)

    assert turn.compacted
    assert placed(turn)["chunks"][0]["text"] == "The gate code is amber."


@pytest.mark.req("R026")
def test_a_turn_stored_while_another_call_compacts_is_not_lost(talk: Any, watched: Any) -> None:
    process = talk.other()

    def append(what: object) -> None:
        if isinstance(what, Sequence) and any("cmp#" in key_of(write).sk for write in cast("Sequence[Write]", what)):
            talk.say("I moved to Lisbon.", turn_id="meanwhile")
            watched.before_call = None

    watched.before_call = append
    assert process.ask("Hi", max_input_tok=ROOM).compacted
    watched.before_call = None

    assert "I moved to Lisbon." in texts(talk.ask("Hi", max_input_tok=ROOM))
    assert "I moved to Lisbon." in [text_of(item) for item in talk.history()]
    assert max(summaries(watched, talk)) <= TURNS


def backwards(calls: Sequence[Callable[[], object]]) -> list[object]:
    """Run calls as a slow network may: the log is read before the session."""
    return [call() for call in reversed(calls)][::-1]


def test_a_turn_stored_between_the_two_reads_is_not_missing_from_a_summary(talk: Any, watched: Any) -> None:
    process = talk.other()
    process.adapters = replace(process.adapters, parallel=backwards)
    process = process.other()

    def append(what: object) -> None:
        if isinstance(what, Query) and what.descending and what.low.startswith("e#"):
            talk.say("I must sell the house.", turn_id="meanwhile")

    watched.before_call = append
    turn = process.ask("Hi", max_input_tok=ROOM)
    watched.before_call = None

    assert not turn.compacted
    assert summaries(watched, talk) == []
    later = talk.other().ask("Hi", max_input_tok=ROOM)
    assert later.compacted
    assert any("I must sell the house." in text for text in texts(later))


def test_a_summary_is_not_stored_while_another_user_s_log_cannot_be_read(talk: Any, watched: Any) -> None:
    talk.say("I must call Bob's mother.", user="bob")

    def fail(what: object) -> None:
        if isinstance(what, Query) and what.pk.endswith("#u:bob"):
            raise Unavailable("throttled")

    watched.before_call = fail
    turn = talk.other().ask("Hi", max_input_tok=ROOM)
    watched.before_call = None

    assert not turn.compacted
    assert turn.token_count <= ROOM
    assert talk.other().ask("Hi", max_input_tok=ROOM).compacted


@pytest.mark.slow
@pytest.mark.req("R026")
def test_the_latest_value_of_a_fact_is_there_after_two_hundred_turns(start: START, placed: PLACED) -> None:
    talk = start(recent_context_items=10, compact_threshold=0.2)
    talk.say("My name is Ada. I live in Berlin. I need to call the plumber by Friday.")
    talk.say("We decided to use cedar for the raised beds. Grandpa Joe agreed to build 4 of them.")
    for number in range(198):
        talk.say("I live in Munich now." if number == 90 else "Nothing much happened in the garden.")

    turn = talk.ask("So?", max_input_tok=600)
    summary = placed(turn, "compact_summary")

    known = summary["facts"] + [f"{fact['about']}: {fact['value']}" for fact in placed(turn)["facts"]]
    assert sorted(known) == ["home: Munich", "name: Ada"]
    assert summary["tasks"] == ["I need to call the plumber by Friday."]
    assert "We decided to use cedar for the raised beds." in summary["decisions"]
    assert any("4 of them" in sentence for sentence in summary["numbers"])
    assert turn.token_count <= 600


@pytest.mark.slow
@pytest.mark.req("R026")
@given(sizes=st.lists(st.integers(0, 400), max_size=8), current=st.integers(1, 800), limit=st.integers(1, 2000))
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_result_never_exceeds_the_limit_unless_current_alone_does(
    sizes: list[int], current: int, limit: int, start: START, entropy: Any
) -> None:
    talk = start(f"session-{entropy.draws}")
    for size in sizes:
        talk.say("I like tea. " + "word " * size)
    asked = message("user", "tea " * current)

    turn = talk.ask(asked, max_input_tok=limit)

    assert turn.items[-1] == asked
    assert turn.token_count == tokens.count_items(turn.items)
    assert turn.token_count <= limit or turn.items == (asked,)
