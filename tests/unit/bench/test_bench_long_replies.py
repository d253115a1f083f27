"""Copies of conversations with long replies: what a fit and a measurement take for granted of them."""

from __future__ import annotations

from long_replies import LONGEST, SHORTEST, with_long_replies
from recall_sets import FITTED_ON, Conversation, read


def chat() -> Conversation:
    (found,) = read(FITTED_ON / "c2-migraine.json")
    return found


def other() -> Conversation:
    (found,) = read(FITTED_ON / "c4-theatre.json")
    return found


def test_only_the_assistant_s_texts_grow_and_each_still_says_what_it_said() -> None:
    copy, _ = with_long_replies([chat(), other()])

    assert [each.id for each in copy.texts] == [each.id for each in chat().texts]
    assert copy.questions == chat().questions
    for before, after in zip(chat().texts, copy.texts, strict=True):
        if before.speaker == "assistant":
            assert before.said in after.said
            assert SHORTEST <= len(after.said) <= 2 * LONGEST
        else:
            assert after == before


def test_the_copies_are_the_same_every_time() -> None:
    assert with_long_replies([chat(), other()]) == with_long_replies([chat(), other()])


def test_a_conversation_without_an_assistant_has_no_copy() -> None:
    (birders,) = read(FITTED_ON / "c3-birders.json")

    assert with_long_replies([birders]) == []
