from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.facts.facts import Changes, Fact, Source, State
from cairn.facts.shortlist import Shortlist, rank
from cairn.ground.ids import SessionId
from cairn.ground.tiers import Tier, expires_at
from cairn.log.entries import LogEntry
from cairn.log.view import MemoryView
from cairn.recall import collection
from cairn.recall.answer import answer
from support.facts import fact_of

NOW = datetime(2026, 3, 10, 12, tzinfo=UTC)


def fact(
    value: str, *, kind: str = "user_note", tier: Tier = Tier.L0, confidence: float = 0.9, hours: float = 1
) -> Fact:
    recorded = NOW - timedelta(hours=hours)
    return fact_of(
        f"{kind}:{value}:{tier}:{hours}",
        recorded,
        fact_id=kind,
        key=value,
        value=value,
        confidence=confidence,
        tier=tier,
        source=Source(turn_id="t", event_id="e", quote=f"{value}."),
        expires_at=expires_at(tier, recorded, 1, 7),
    )


def worth(facts: Sequence[Fact], query: str) -> dict[str, float]:
    """Return what recall says that each fact is worth to a question."""
    view = MemoryView()
    entry = LogEntry(session_id=SessionId("monday"), at=NOW, changes=Changes(added=tuple(facts)))
    view.apply(entry.to_record())
    answered = answer([collection.facts(view, facts)], query, NOW.date(), no_vectors)
    found = ((answered.read(hit), hit.score) for hit in answered.hits())
    return {each.id: score for each, score in found if isinstance(each, Fact)}


def no_vectors(_: str, __: str) -> None:
    return None


def values(facts: Sequence[Fact], query: str, limit: int = 20) -> list[str]:
    return [found.value for found in rank(facts, worth(facts, query), NOW, limit)]


@pytest.mark.req("R259")
def test_of_two_relevant_facts_and_a_limit_of_two_both_and_only_they_come() -> None:
    noise = [fact(f"noise {n}", kind="user_like") for n in range(5)]
    wanted = [fact("the garage code is 4711"), fact("the garage door sticks")]
    assert sorted(values([*noise, *wanted], "How do I open the garage?", limit=2)) == [
        "the garage code is 4711",
        "the garage door sticks",
    ]


def test_irrelevant_facts_do_not_fill_the_limit() -> None:
    assert values([fact("green tea"), fact("trains")], "some tea?") == ["green tea"]


def test_a_term_matches_whole_words_only() -> None:
    assert values([fact("start early"), fact("modern art")], "art") == ["modern art"]


def test_a_question_about_a_kind_of_fact_finds_it_by_its_cues() -> None:
    facts = [fact("Oslo", kind="user_home"), fact("peanuts", kind="user_allergy"), fact("Ada", kind="user_name")]
    assert values(facts, "Can you recommend a restaurant?") == ["peanuts"]
    assert values(facts, "Which city am I in?") == ["Oslo"]


def test_a_fact_is_found_by_what_was_said_of_it_after_those_that_are_it() -> None:
    quoted = replace(fact("milk"), source=Source(turn_id="t", event_id="e", quote="Milk, for my tea."))
    assert values([quoted, fact("tea"), fact("trains")], "tea") == ["tea", "milk"]


def test_what_is_worth_more_comes_first_and_what_is_worth_nothing_does_not_come() -> None:
    facts = [fact("milk"), fact("tea"), fact("trains")]
    assert rank(facts, {facts[0].id: 0.1, facts[1].id: 0.7}, NOW, 9) == (facts[1], facts[0])


def test_a_fact_near_its_end_counts_for_less() -> None:
    ending, lasting = fact("tea", tier=Tier.L1, hours=23.9), fact("milk", tier=Tier.L0)
    assert rank([ending, lasting], {ending.id: 0.5, lasting.id: 0.45}, NOW, 9) == (lasting, ending)
    assert rank([ending, lasting], {ending.id: 0.5, lasting.id: 0.35}, NOW, 9) == (ending, lasting)


@pytest.mark.req("R022")
def test_at_most_the_limit_is_returned() -> None:
    facts = [fact(f"tea {n}") for n in range(9)]
    assert len(values(facts, "tea", limit=4)) == 4
    assert values(facts, "tea", limit=0) == []


def test_confidence_then_tier_then_recency_break_ties() -> None:
    facts = [
        fact("tea", confidence=0.8, hours=1),
        fact("tea", confidence=0.9, hours=9),
        fact("tea", confidence=0.9, hours=2),
        fact("tea", confidence=0.99, tier=Tier.L2, hours=60),
    ]
    ranked = rank(facts, {each.id: 0.5 for each in facts}, NOW, 9)
    assert [(found.confidence, found.tier, found.id[-1]) for found in ranked] == [
        (0.9, Tier.L0, "2"),
        (0.9, Tier.L0, "9"),
        (0.8, Tier.L0, "1"),
        (0.99, Tier.L2, "0"),
    ]


@pytest.mark.req("R029")
def test_an_expired_or_superseded_fact_is_never_returned() -> None:
    expired = fact("tea today", tier=Tier.L1, hours=72)
    superseded = replace(fact("tea"), state=State.SUPERSEDED)
    for gone in (expired, superseded):
        assert rank([gone], {gone.id: 1.0}, NOW, 9) == ()


def test_when_nothing_is_relevant_durable_facts_introduce_the_user_by_name_first() -> None:
    facts = [
        fact("buy milk", kind="today_task", tier=Tier.L1),
        fact("chess", kind="user_like", tier=Tier.L2),
        *(fact(f"p{n}", kind="user_preference", confidence=0.92) for n in range(6)),
        fact("peanuts", kind="user_allergy"),
        fact("Ada", kind="user_name"),
    ]
    assert values(facts, "Good morning!")[:2] == ["Ada", "peanuts"]
    assert len(values(facts, "Good morning!")) == 5
    assert values(facts, "Good morning!", limit=1) == ["Ada"]


def test_notes_and_fields_of_a_profile_introduce_nobody() -> None:
    matters = [fact("the shed is locked", kind="user_note"), fact("Aragorn", kind="user_profile")]

    assert values([*matters, fact("tea", kind="user_preference")], "Good morning!") == ["tea"]
    assert values(matters, "Good morning!") == []


POOL = [
    fact(value, tier=tier, hours=hours)
    for value in ("tea", "green tea", "art start", "milk")
    for tier in Tier
    for hours in (1, 30, 100)
]


@pytest.mark.slow
@given(st.permutations(POOL), st.sampled_from(["tea", "art milk", "tea milk", "nothing here", ""]), st.integers(0, 20))
def test_the_order_the_facts_come_in_does_not_matter(shuffled: list[Fact], query: str, limit: int) -> None:
    worth_by_id = worth(POOL, query)
    ranked = rank(shuffled, worth_by_id, NOW, limit)
    assert ranked == rank(POOL, worth_by_id, NOW, limit)
    assert all(found.is_live(NOW) for found in ranked)
    assert len(ranked) <= limit


@given(
    st.lists(st.tuples(st.sampled_from(Tier), st.integers(0, 200), st.sampled_from((0.2, 0.3, 0.5, 0.52, 0.55, 0.6)))),
    st.integers(0, 6),
)
def test_a_closed_shortlist_keeps_out_only_what_would_not_be_placed(
    told: list[tuple[Tier, int, float]], limit: int
) -> None:
    told.sort(key=lambda each: each[2], reverse=True)
    facts = [(fact(f"fact {n}", tier=tier, hours=hours), share) for n, (tier, hours, share) in enumerate(told)]
    worth = {each.id: share for each, share in facts}
    shortlist, let_in = Shortlist(NOW, limit), list[Fact]()
    for each, share in facts:
        if not shortlist.is_closed_to(share):
            let_in.append(each)
            shortlist.add(each, share)

    assert rank(let_in, worth, NOW, limit) == rank([each for each, _ in facts], worth, NOW, limit)


def test_a_full_shortlist_closes_to_what_is_worth_less() -> None:
    shortlist = Shortlist(NOW, 1)
    shortlist.add(fact("a"), 0.5)

    assert shortlist.is_closed_to(0.4)
    assert not shortlist.is_closed_to(0.5)
    assert Shortlist(NOW, 0).is_closed_to(1.0)
