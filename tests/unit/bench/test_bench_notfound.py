"""Telling questions without an answer: what they are made of, and how it is measured."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from notfound_metrics import area, rejected
from recall_sets import Conversation, Question, Text
from unanswerable import merged, put, sessions, whole

DAY = datetime(2026, 3, 1, tzinfo=UTC)


def conversation(name: str, one: str, other: str) -> Conversation:
    texts = tuple(
        Text(f"{session}.{place}", str(session), DAY, (one, other)[place % 2], f"{name} {session} {place}")
        for session in (1, 2)
        for place in range(1, 11)
    )
    asked = tuple(Question(f"What did {one} say on {n}?", "single-hop", frozenset({f"{n}.1"})) for n in (1, 2))
    return Conversation(name, "en", texts, asked)


BOAT, CHOIR = conversation("boat", "Ada", "Ben"), conversation("choir", "Ines", "Hester")


def test_a_log_is_asked_its_own_questions_and_those_of_others_each_with_other_names_too() -> None:
    (log, _) = whole([BOAT, CHOIR])
    found = [(each.group, each.question.text) for each in put(log, [BOAT, CHOIR], 1)]

    assert ("answerable", "What did Ada say on 1?") in found
    assert ("wrong person", "What did Ben say on 1?") in found
    (foreign,) = [text for group, text in found if group == "another's"]
    assert foreign.startswith("What did Ines say on")
    assert ("another's, renamed", foreign.replace("Ines", "Ada")) in found


def test_a_session_is_a_log_with_the_questions_that_need_nothing_else() -> None:
    first, second = sessions([BOAT], 1)

    assert [each.text for each in first.conversation.questions] == ["What did Ada say on 1?"]
    assert {each.session for each in second.conversation.texts} == {"2"}


def test_conversations_together_are_one_log_in_which_all_evidence_is_found() -> None:
    log = merged([BOAT, CHOIR], "both", "many conversations")
    ids = {each.id for each in log.conversation.texts}

    assert len(ids) == len(BOAT.texts) + len(CHOIR.texts)
    assert all(each.evidence <= ids for each in log.conversation.questions)
    assert [each.group for each in put(log, [BOAT, CHOIR], 5)] == ["answerable"] * 4


def test_the_area_is_the_share_of_pairs_in_order_and_ties_count_half() -> None:
    right, wrong = np.array([1.0, 2.0, 3.0]), np.array([0.0, 2.0])

    assert area(right, wrong) == (1 + 1 + 1 + 0 + 0.5 + 1) / 6
    assert rejected(right, wrong, 1) == 0.5
