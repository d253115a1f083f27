"""However a log is spread over segments, merged segments and a tail, a view answers as a fold of the log does."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from itertools import islice
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.facts.facts import Changes, Fact, State
from cairn.ground.errors import CorruptData
from cairn.ground.ids import TurnId
from cairn.ground.ports import Embedder
from cairn.log.entries import Chunk
from cairn.log.memories import Memory
from cairn.log.pages import PAGED
from cairn.log.segment import Segment
from cairn.log.segment_writer import written
from cairn.log.view import MemoryView
from cairn.recall.filter import Filter
from support.log import NOW, SESSIONS, fact, folded, records, segment
from support.recall import Ranked, ToyEmbedder, asked, assert_same, ranked

WORDS = ["tea", "milk", "kettle", "beans", "grow", "\u8336\u58fa", "3.5", ""]
STATES = [State.SUPERSEDED, State.EXPIRED, State.DELETED]
HOURS = (-1, 0, 3, 30)
MOMENTS = [NOW + timedelta(milliseconds=number) for number in (-1, 0, 5, 99)]
KEYS = ["name", "Name", "home", "name", "home", "HOME"]


def numbered(number: int, hours: int | None) -> Fact:
    return fact(number, KEYS[number], hours=hours)


def as_ended(held: Fact, state: State) -> Fact:
    return replace(held, state=state, valid_to=NOW)


def sentence(words: list[str]) -> str:
    return " ".join(words)


facts = st.builds(numbered, st.integers(0, 5), st.sampled_from([None, 1, 24]))
ended = st.builds(as_ended, facts, st.sampled_from(STATES))
changes = st.builds(
    Changes,
    added=st.lists(facts, max_size=2).map(tuple),
    superseded=st.lists(ended, max_size=2).map(tuple),
    seen=st.lists(st.sampled_from([f"f{number}" for number in range(6)]), max_size=2).map(tuple),
)


def sum_of(lines: list[str]) -> str:
    return " ".join(lines)


texts = st.lists(st.lists(st.sampled_from(WORDS), max_size=6).map(sentence), max_size=3)
speakers = st.sampled_from([(), ("Marta",), ("Ben Tea",)])
said = st.none() | st.tuples(st.sampled_from(["t1", "t2", "t3"]), texts, speakers)
kept = st.lists(
    st.tuples(st.sampled_from(["fact", "risk"]), st.sampled_from([0.3, 0.7]), texts.map(sum_of)), max_size=2
)
forgot = st.lists(st.tuples(st.integers(0, 20), st.sampled_from([None, "m0"])), max_size=1)
entries = st.tuples(st.sampled_from(SESSIONS), said, changes, kept, forgot)


def answers(view: MemoryView) -> dict[str, Any]:
    """Return all that a view is ever asked."""
    moments = [NOW + timedelta(hours=hours) for hours in HOURS]
    return {
        "facts": [view.facts(now, session) for now in moments for session in (None, *SESSIONS)],
        "lapsed": [view.ledger.lapsed(now, session) for now in moments for session in SESSIONS],
        "chunks": [view.chunks(session) for session in SESSIONS],
        "turns": [(view.turns(session), view.turn_count(session), view.last_seq(session)) for session in SESSIONS],
        "last said": [view.last_said(session, seq) for session in SESSIONS for seq in range(4)],
        "has turn": [
            view.has_turn(session, TurnId(turn), after)
            for session in SESSIONS
            for turn in ("t1", "t9")
            for after in (0, 1, 3)
        ],
        "past": [
            (view.history(at).facts(session), view.history(at).superseded(session))
            for at in MOMENTS
            for session in (None, *SESSIONS)
        ],
    }


QUERIES = (
    "tea",
    "tea, milk \u8336\u58fa 3.5?",
    "beans grow tea tea",
    "What does Marta say of milk?",
    "value 3, 1 March",
    "",
)


def rankings(view: MemoryView, embedder: Embedder | None) -> list[Ranked]:
    """Return what a view finds: texts, memories and facts, in one session and in all, now and at some times."""
    return [
        *(ranked(view, query, NOW, embedder=embedder) for query in QUERIES),
        *(ranked(view, "tea", NOW, embedder=embedder, session=session) for session in SESSIONS),
        *(ranked(view, "milk tea", NOW, embedder=embedder, mode="semantic", filter_=Filter(at=at)) for at in MOMENTS),
        *(
            ranked(view, "tea", NOW, embedder=embedder, filter_=Filter(at=at, type=kind, include_superseded=superseded))
            for at in (None, MOMENTS[2])
            for kind in ("fact", "risk")
            for superseded in (False, True)
        ),
        *(ranked(view, "tea", NOW, embedder=embedder, filter_=Filter(min_confidence=least)) for least in (0.5, 0.8)),
    ]


def assert_alike(view: MemoryView, whole: MemoryView, embedder: Embedder | None) -> None:
    assert answers(view) == answers(whole)
    for found, expected in zip(rankings(view, embedder), rankings(whole, embedder), strict=True):
        assert_same(found, expected)
    newest = [list(asked(each, "", NOW, filter_=Filter(type="risk")).newest()) for each in (view, whole)]
    assert newest[0] == newest[1]


@pytest.mark.slow
@pytest.mark.req("R263")
@pytest.mark.parametrize("embedder", [None, ToyEmbedder()], ids=["words", "vectors"])
@settings(max_examples=20)
@given(log=st.lists(entries, max_size=14), data=st.data())
def test_any_partition_into_segments_and_a_tail_answers_as_the_log_alone(
    log: Any, data: st.DataObject, embedder: Embedder | None
) -> None:
    whole = records(log)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    bounds = list(zip([0, *cuts], cuts, strict=False))
    in_pages = data.draw(st.lists(st.booleans(), min_size=len(bounds), max_size=len(bounds)))
    segments = [
        segment(whole[low:high], low, high, embedder=embedder, paged=PAGED if paged else ())
        for (low, high), paged in zip(bounds, in_pages, strict=True)
    ]
    end = cuts[-1] if cuts else 0
    assert_alike(folded(whole[end:], segments), folded(whole), embedder)

    first = data.draw(st.integers(0, len(segments)))
    tail = data.draw(st.integers(end, len(whole)))
    low = bounds[first][0] if first < len(bounds) else end
    merged = segment(whole[end:tail], low, tail, segments[first:], embedder)
    assert_alike(folded(whole[tail:], [*segments[:first], merged]), folded(whole), embedder)


@given(st.lists(entries, max_size=14), st.integers(0, 14), st.data())
def test_the_past_is_what_the_log_said_until_then_however_much_of_it_was_indexed_and_merged(
    log: Any, known: int, data: st.DataObject
) -> None:
    whole = records(log)
    at = NOW + timedelta(milliseconds=known)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), min_size=1, max_size=3)))
    parts = [segment(whole[low:high], low, high) for low, high in zip([0, *cuts], cuts, strict=False)]
    merged = segment(whole[cuts[-1] :], 0, len(whole), parts)

    then = folded(whole[: known + 1])
    now = folded([], [merged])

    for session in (None, *SESSIONS):
        assert now.history(at).facts(session) == then.facts(at, session)
    everything = Filter(at=at)
    kept = [
        [each for each in asked(view, "", NOW, filter_=everything).newest() if isinstance(each, Memory)]
        for view in (now, then)
    ]
    assert kept[0] == kept[1]


@pytest.mark.req("R267")
def test_a_search_opens_no_more_texts_than_it_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    log = records([(SESSIONS[0], (f"t{number}", ["tea " * 9000]), Changes()) for number in range(20)])
    held = segment(log, 0, 20)
    opened: list[int] = []
    chunk = held.chunk

    def noted(doc: int) -> Chunk:
        opened.append(doc)
        return chunk(doc)

    monkeypatch.setattr(held, "chunk", noted)
    view = MemoryView([held])
    view.facts(NOW, None)
    view.has_turn(SESSIONS[0], TurnId("t3"), 0)
    assert opened == []
    answered = asked(view, "tea", NOW)
    assert answered.matched == 20
    assert opened == []
    best = [answered.read(hit) for hit in islice(answered.hits(), 3)]
    assert [each.event_id for each in best if isinstance(each, Chunk)] == [f"t{number}-in-0" for number in opened]
    assert len(opened) == 3


def test_what_a_segment_says_of_earlier_facts_takes_effect_on_them() -> None:
    said = replace(fact(0, "name"), last_seen=NOW)
    again = Changes(seen=("f0",))
    let_go = Changes(deleted=(as_ended(fact(0, "name"), State.DELETED),))
    for changed in (again, let_go):
        log = records([(SESSIONS[0], None, Changes(added=(said,))), (SESSIONS[0], None, changed)])
        parts = [segment(log[:1], 0, 1), segment(log[1:], 1, 2)]
        assert MemoryView(parts).facts(NOW, SESSIONS[0]) == folded(log).facts(NOW, SESSIONS[0])
        assert MemoryView([segment([], 0, 2, parts)]).ledger.to_records(from_beginning=False) == folded(
            log
        ).ledger.to_records(from_beginning=False)
    assert folded(log).facts(NOW, SESSIONS[0]) == []


def test_a_merged_segment_finds_a_term_in_all_of_its_parts() -> None:
    log = records([(SESSIONS[0], (f"t{text}", [text]), Changes()) for text in ("tea milk", "beans tea", "kettle")])
    parts = [segment(log[number : number + 1], number, number + 1) for number in range(3)]
    merged = MemoryView([segment([], 0, 3, parts)])
    for term in ("tea", "milk", "beans", "kettle"):
        assert_same(ranked(merged, term, NOW), ranked(folded(log), term, NOW))


def test_a_segment_keeps_no_history_of_what_changes_no_fact() -> None:
    changes = (Changes(), Changes(added=(fact(0, "name"),)), Changes(), Changes(seen=("f0",)))
    held = segment(records([(SESSIONS[0], (f"t{of}", ["tea"]), each) for of, each in enumerate(changes)]), 0, 4)
    assert [(len(each["added"]), each["seen"]) for each in held.history()] == [(1, []), (0, ["f0"])]


def test_a_segment_knows_its_bounds_and_its_size() -> None:
    held = segment(records([(SESSIONS[0], ("t1", ["tea"]), Changes())]), 3, 4)
    assert (held.low, held.through) == ("m#003", "m#004")
    assert 100 < held.size < 2000


@pytest.mark.parametrize("damage", [0, 3, 5, 40, -30])
def test_bytes_that_are_no_segment_are_refused(damage: int) -> None:
    data = written(MemoryView(), "", "m#001", {}).head
    torn = data[:damage] + b"\xff\xff" + data[damage:][2:]
    for broken in (b"", data[:20], torn if damage >= 0 else data[:damage]):
        with pytest.raises(CorruptData):
            Segment(broken)
