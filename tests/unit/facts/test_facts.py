from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.facts.extraction import extract
from cairn.facts.facts import (
    Candidate,
    Changes,
    Fact,
    Recording,
    State,
    from_record,
    identity,
    merge,
    subject,
    to_record,
)
from cairn.ground.errors import CorruptData
from cairn.ground.tiers import Tier

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def said(fact_id: str, key: str, value: str, tier: Tier = Tier.L0, *, retracts: bool = False) -> Candidate:
    return Candidate(
        fact_id=fact_id,
        key=key,
        value=value,
        confidence=0.9,
        tier=tier,
        event_id="t1-in-0",
        quote=f"… {value}.",
        retracts=retracts,
    )


class Believer:
    """Applies merges one after another, as a memory log would."""

    def __init__(self) -> None:
        self.facts: dict[str, Fact] = {}
        self.now = NOW
        self._ids = count()

    @property
    def live(self) -> list[Fact]:
        return [fact for fact in self.facts.values() if fact.is_live(self.now)]

    @property
    def values(self) -> list[str]:
        return sorted(fact.value for fact in self.live)

    def recording(self) -> Recording:
        return Recording(turn_id="t1", now=self.now, new_id=lambda: f"f{next(self._ids):04d}", l1_days=1, l2_days=7)

    def hear(self, *candidates: Candidate) -> Changes:
        active = [fact for fact in self.facts.values() if fact.state is State.ACTIVE]
        changes = merge(active, candidates, self.recording())
        self.facts |= {fact.id: fact for fact in (*changes.added, *changes.superseded, *changes.deleted)}
        return changes


@pytest.fixture
def mind() -> Believer:
    return Believer()


@pytest.mark.req("R061")
def test_the_same_value_again_writes_nothing_and_is_seen(mind: Believer) -> None:
    (first,) = mind.hear(said("user_name", "name", "Ada Lovelace")).added
    again = mind.hear(said("USER_NAME", "Name", "ada  lovelace"))
    assert again == Changes(seen=(first.id,))


@pytest.mark.req("R061")
@pytest.mark.req("R263")
def test_a_changed_value_supersedes_the_old_one_which_keeps_its_history(mind: Believer) -> None:
    (rome,) = mind.hear(said("user_home", "home", "Rome")).added
    mind.now += timedelta(days=3)
    changes = mind.hear(said("user_home", "home", "Oslo"))
    (oslo,) = changes.added
    assert mind.values == ["Oslo"]
    assert oslo.supersedes == rome.id
    assert changes.superseded == (replace(rome, state=State.SUPERSEDED, valid_to=mind.now, superseded_by=oslo.id),)


def test_another_tier_for_the_same_value_supersedes_too(mind: Believer) -> None:
    mind.hear(said("task", "taxes", "taxes", Tier.L1))
    mind.hear(said("task", "taxes", "taxes", Tier.L2))
    assert [fact.tier for fact in mind.live] == [Tier.L2]


def test_preferences_of_different_values_live_side_by_side(mind: Believer) -> None:
    mind.hear(*extract([("e", "I prefer tea. I prefer night trains.")]))
    assert mind.values == ["night trains", "tea"]


def test_of_several_values_in_one_turn_the_last_counts(mind: Believer) -> None:
    changes = mind.hear(said("user_name", "name", "Bob"), said("user_name", "name", "Rob"))
    assert [fact.value for fact in changes.added] == ["Rob"]


@pytest.mark.req("R029")
def test_an_expired_fact_is_no_longer_believed_and_may_be_learnt_again(mind: Believer) -> None:
    mind.hear(said("today_task", "rest", "rest", Tier.L1))
    mind.now += timedelta(days=2)
    assert mind.live == []
    (again,) = mind.hear(said("today_task", "rest", "rest", Tier.L1)).added
    assert again.supersedes is None


@pytest.mark.req("R263")
def test_a_retraction_deletes_the_fact_that_holds_its_value_and_adds_none(mind: Believer) -> None:
    mind.hear(said("user_workplace", "workplace", "Acme Corp"))
    changes = mind.hear(said("user_workplace", "workplace", "acme", retracts=True))
    assert not changes.added
    assert [(fact.state, fact.valid_to) for fact in changes.deleted] == [(State.DELETED, NOW)]
    assert mind.values == []


def test_a_retraction_of_another_value_changes_nothing(mind: Believer) -> None:
    mind.hear(said("user_workplace", "workplace", "Beta"))
    assert mind.hear(said("user_workplace", "workplace", "Acme", retracts=True)) == Changes()


@pytest.mark.parametrize("order", [1, -1])
def test_a_move_told_with_what_ended_keeps_the_new_value_in_either_order(mind: Believer, order: int) -> None:
    mind.hear(said("user_home", "home", "Rome"))
    mind.hear(*[said("user_home", "home", "Rome", retracts=True), said("user_home", "home", "Oslo")][::order])
    assert mind.values == ["Oslo"]


def test_what_a_turn_states_and_then_takes_back_is_not_kept(mind: Believer) -> None:
    mind.hear(said("user_like", "tea", "tea"), said("user_like", "tea", "tea", retracts=True))
    assert mind.values == []


CANDIDATES = st.lists(
    st.builds(
        said,
        st.sampled_from(["user_name", "user_home"]),
        st.sampled_from(["a", "A", "b"]),
        st.sampled_from(["x", "X ", "y", "y z"]),
        st.sampled_from(list(Tier)),
        retracts=st.booleans(),
    ),
    max_size=6,
)


@given(st.lists(CANDIDATES, max_size=4))
def test_merging_is_idempotent_and_leaves_one_live_fact_for_each_identity(turns: Sequence[list[Candidate]]) -> None:
    mind = Believer()
    for turn in turns:
        mind.hear(*turn)
        once = dict(mind.facts)
        again = mind.hear(*turn)
        assert (again.added, again.superseded, again.deleted) == ((), (), ())
        assert mind.facts == once
        identities = [identity(fact) for fact in mind.live]
        assert len(identities) == len(set(identities))


@pytest.mark.req("R260")
def test_repetition_among_distractors_does_not_make_facts_grow(mind: Believer) -> None:
    told = [said("user_preference", "tea", "tea"), said("user_name", "name", "Ada")]
    distractors = [said("user_like", f"thing {n}", f"thing {n}", Tier.L2) for n in range(5)]
    mind.hear(*told, *distractors)
    for _ in range(6):
        mind.hear(*told, *distractors)
        mind.now += timedelta(hours=1)
    assert len(mind.facts) <= 1.05 * 7


MOMENT = st.datetimes(datetime(2000, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
FACTS = st.builds(
    Fact,
    id=st.text(),
    confidence=st.floats(0.01, 1),
    valid_from=MOMENT,
    recorded_at=MOMENT,
    last_seen=MOMENT,
    valid_to=st.none() | MOMENT,
    expires_at=st.none() | MOMENT,
)


@given(FACTS)
def test_a_fact_survives_the_round_trip_through_json(fact: Fact) -> None:
    assert from_record(json.loads(json.dumps(to_record(fact)))) == fact


def test_timestamps_are_written_in_rfc_3339_with_z(mind: Believer) -> None:
    (fact,) = mind.hear(said("user_like", "tea", "tea", Tier.L2)).added
    record = to_record(fact)
    assert (record["recorded_at"], record["expires_at"]) == ("2026-03-01T12:00:00Z", "2026-03-09T00:00:00Z")


@pytest.mark.parametrize(
    "damage", [{"tier": "L9"}, {"recorded_at": "yesterday"}, {"recorded_at": "2026-03-01T12:00:00"}, {"source": None}]
)
def test_a_malformed_record_is_corrupt_data(mind: Believer, damage: dict[str, Any]) -> None:
    (fact,) = mind.hear(said("user_like", "tea", "tea")).added
    with pytest.raises(CorruptData, match="malformed"):
        from_record(to_record(fact) | damage)


def test_a_subject_names_the_key_only_where_it_tells_more(mind: Believer) -> None:
    mind.hear(
        said("user_home", "home", "Oslo"),
        said("user_like", "tea", "Tea"),
        said("user_profile", "sister", "Ines"),
    )
    assert sorted(map(subject, mind.live)) == ["home", "like", "profile (sister)"]
