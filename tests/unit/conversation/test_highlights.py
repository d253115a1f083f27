from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.conversation.highlights import Highlights, highlights


@pytest.mark.parametrize(
    "text",
    [
        "I need to call the plumber.",
        "We have to leave early.",
        "Remind me to water the beans.",
        "The report is due on Monday.",
        "Send it by Friday.",
        "Don't forget the stamps.",
    ],
)
def test_what_is_left_to_do_is_a_task(text: str) -> None:
    assert highlights([f"Hello there. {text} Thanks."], 5).tasks == (text,)


@pytest.mark.parametrize("text", ["We decided to use cedar.", "Let's go with the blue one.", "I chose Lisbon."])
def test_what_was_settled_is_a_decision(text: str) -> None:
    assert highlights([f"Well. {text}"], 5).decisions == (text,)


@pytest.mark.parametrize("text", ["Nothing happened.", "The needle is blunt.", "A mustard jar stood there."])
def test_words_that_merely_resemble_a_marker_are_nothing(text: str) -> None:
    found = highlights([text], 5)

    assert (found.tasks, found.decisions, found.numbers) == ((), (), ())


def test_names_are_capitalised_words_inside_a_sentence_the_most_frequent_first() -> None:
    texts = ["Yesterday I met Grandpa Joe.", "Then Grandpa Joe and Ana-Maria O'Neil left.", "Okay. Fine."]

    assert highlights(texts, 5).names == ("Grandpa Joe", "Ana-Maria O'Neil")


def test_a_number_keeps_its_sentence_whole() -> None:
    assert highlights(["It costs 3.5 euros per kg. Right."], 5).numbers == ("It costs 3.5 euros per kg.",)


def test_topics_are_telling_words_the_most_frequent_first() -> None:
    assert highlights(["The beans and the beans of 2026, and tomatoes"], 5).topics == ("beans", "tomatoes")


def test_the_newest_sentence_comes_first_and_none_comes_twice() -> None:
    assert highlights(["I must go.", "I must stay.", "I must go."], 5).tasks == ("I must go.", "I must stay.")


def test_chinese_sentences_end_at_their_own_full_stop() -> None:
    assert highlights(["我买了3个苹果。天气很好。"], 5).numbers == ("我买了3个苹果。",)


def test_what_a_conversation_keeps_coming_back_to_outlasts_what_is_merely_new() -> None:
    older = Highlights(names=("Joe", "Ana"), tasks=("old task",))
    newer = Highlights(names=("Kim", "Lee", "Joe"), tasks=("new task",))

    both = older.then(newer, 3)

    assert both.names == ("Joe", "Kim", "Lee")
    assert both.tasks == ("new task", "old task")
    assert older.then(newer, 4).names == ("Joe", "Kim", "Lee", "Ana")


@given(texts=st.lists(st.text(max_size=300), max_size=5), limit=st.integers(0, 6))
def test_every_kind_is_bounded_distinct_and_the_same_each_time(texts: list[str], limit: int) -> None:
    found = highlights(texts, limit)

    for values in found.to_record().values():
        assert len(values) <= limit
        assert len(set(values)) == len(values)
    assert highlights(texts, limit) == found
    assert Highlights.from_record(found.to_record()) == found


@given(
    st.lists(st.lists(st.sampled_from([*"abc", "I need tea.", "We agreed on 3.", "Ask Ada.", ". Bob"])).map(" ".join))
)
def test_the_first_of_many_are_what_few_would_be(texts: list[str]) -> None:
    assert highlights(texts, 40).first(2) == highlights(texts, 2)
