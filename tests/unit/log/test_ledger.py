"""The ledger folds what sessions came to believe, in the order of the log."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.facts.facts import Fact, State
from cairn.ground.ids import SessionId
from cairn.log.ledger import Ledger
from support.facts import fact_of

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
ONE, TEN = SessionId("s1"), SessionId("s10")


def fact(record: str, value: str = "Ada", key: str = "name", expires_at: datetime | None = None) -> Fact:
    return fact_of(record, NOW, fact_id="user_name", key=key, value=value, expires_at=expires_at)


def values(ledger: Ledger, session: SessionId | None = None, now: datetime = NOW) -> list[str]:
    return [held.value for held in ledger.live(now, session)]


def ended(held: Fact, state: State = State.DELETED) -> Fact:
    return replace(held, state=state, valid_to=NOW)


@pytest.mark.req("R061")
def test_a_new_fact_takes_the_place_of_the_old_one() -> None:
    ledger = Ledger()
    ledger.add(ONE, [fact("f1", "Ada")])
    ledger.add(ONE, [fact("f2", "Grace")])
    ledger.end(ONE, [ended(fact("f1", "Ada"), State.SUPERSEDED)])
    assert values(ledger, ONE) == ["Grace"]


@pytest.mark.req("R261")
def test_what_one_session_says_changes_nothing_another_believes() -> None:
    ledger = Ledger()
    ledger.add(ONE, [fact("f1", "Ada")])
    ledger.add(TEN, [fact("f2", "Grace")])
    ledger.end(TEN, [ended(fact("f1", "Ada"))])
    assert values(ledger, ONE) == ["Ada"]
    assert values(ledger, TEN) == ["Grace"]


@pytest.mark.req("R061")
def test_of_several_sessions_beliefs_the_latest_counts_for_all() -> None:
    ledger = Ledger()
    ledger.add(ONE, [fact("f1", "Ada")])
    ledger.add(TEN, [fact("f2", "Grace")])
    assert values(ledger) == ["Grace"]


@pytest.mark.req("R263")
def test_what_another_session_retracted_is_no_longer_believed_by_all() -> None:
    ledger = Ledger()
    ledger.add(ONE, [fact("f1", "Ada")])
    ledger.end(TEN, [ended(fact("f1", "Ada"))])
    assert values(ledger) == []
    assert values(ledger, ONE) == ["Ada"]


@pytest.mark.req("R061")
def test_identity_ignores_case_but_not_the_key() -> None:
    ledger = Ledger()
    ledger.add(ONE, [fact("f1", "Ada", key="Name"), fact("f2", "Grace", key="NAME"), fact("f3", "x", key="other")])
    assert values(ledger, ONE) == ["Grace", "x"]


def test_being_said_again_moves_only_when_it_was_last_seen() -> None:
    ledger = Ledger()
    ledger.add(ONE, [fact("f1")])
    ledger.see(ONE, ["f1", "unknown"], NOW + timedelta(hours=1))
    assert ledger.live(NOW, ONE) == [replace(fact("f1"), last_seen=NOW + timedelta(hours=1))]


def test_a_fact_past_its_expiry_is_not_live_and_waits_to_be_marked() -> None:
    ledger = Ledger()
    ledger.add(ONE, [fact("f1", expires_at=NOW)])
    assert values(ledger, ONE, NOW - timedelta(microseconds=1)) == ["Ada"]
    assert values(ledger, ONE, NOW) == []
    assert [held.id for held in ledger.lapsed(NOW, ONE)] == ["f1"]
    ledger.end(ONE, [ended(fact("f1"), State.EXPIRED)])
    assert ledger.lapsed(NOW, ONE) == []


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from([ONE, TEN]), st.sampled_from("abc"), st.booleans()), max_size=20))
def test_no_identity_is_believed_twice_and_no_session_sees_more_than_it_said(
    steps: list[tuple[SessionId, str, bool]],
) -> None:
    ledger = Ledger()
    expected: dict[SessionId, dict[str, str]] = {ONE: {}, TEN: {}}
    for number, (session, key, retract) in enumerate(steps):
        held = {fact.key: fact for fact in ledger.live(NOW, session)}
        if retract and key in held:
            ledger.end(session, [ended(held[key])])
            del expected[session][key]
        elif not retract:
            ledger.add(session, [fact(f"f{number}", f"v{number}", key=key)])
            expected[session][key] = f"v{number}"
    for session, believed in expected.items():
        assert {fact.key: fact.value for fact in ledger.live(NOW, session)} == believed
    together = [fact.key for fact in ledger.live(NOW)]
    assert len(together) == len(set(together))


@pytest.mark.req("R263")
def test_a_retraction_silences_a_later_belief_of_another_session_whatever_the_retracting_one_believes() -> None:
    ledger = Ledger()
    ledger.add(ONE, [fact("f1", "Paris", "home")])
    ledger.add(TEN, [fact("f2", "Rome", "home")])
    ledger.end(ONE, [ended(fact("f2", "Rome", "home"))])
    assert values(ledger) == []
    assert values(ledger, ONE) == ["Paris"]
    assert values(ledger, TEN) == ["Rome"]
    ledger.add(TEN, [fact("f3", "Oslo", "home")])
    assert values(ledger) == ["Oslo"]


@pytest.mark.parametrize("is_noted_apart", [False, True], ids=["in one stretch", "in a later stretch"])
def test_that_an_old_belief_has_expired_hides_no_later_one_however_late_it_is_noted(*, is_noted_apart: bool) -> None:
    ledger, later = Ledger(), Ledger()
    ledger.add(ONE, [fact("f1", "Ada")])
    ledger.add(TEN, [fact("f2", "Grace")])
    (later if is_noted_apart else ledger).end(ONE, [ended(fact("f1", "Ada"), State.EXPIRED)])
    ledger.replay(later.to_records(from_beginning=False))

    assert values(ledger) == ["Grace"]
    assert values(ledger, ONE) == []
