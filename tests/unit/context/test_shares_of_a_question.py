"""How much of a question stands in a sentence, word for word, whatever else the question asks."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.context.excerpts import Asked
from cairn.language.terms import common, fold, terms, words

WORDS = [
    "gard",
    "garden",
    "gardening",
    "gär",
    "Gärten",
    "gar",
    "no",
    "north",
    "northern",
    "12.5",
    "don't",
    "o'clock",
    "a+b",
]
said = st.lists(st.sampled_from([*WORDS, *(each.upper() for each in WORDS), "is", ",", "植物园", "植物"]), max_size=12)


def one_by_one(question: str, sentence: str) -> float:
    """Return what stands in the sentence where each beginning of a word is tried, the longest first."""
    openings = set[str]()
    for word in words(question):
        stems = terms(word)
        openings.update((word[: common(word, stem)] if len(stems) == 1 else stem) or stem for stem in stems)
    if not openings:
        return 0.0
    ordered = sorted(map(re.escape, openings), key=len, reverse=True)
    pattern = "|".join(rf"\b{each}" if each.isascii() else each for each in ordered)
    return float(len(set(re.findall(pattern, fold(sentence)))))


@pytest.mark.req("R291")
@given(question=said, sentence=said, between=st.sampled_from([" ", "", "-"]))
def test_a_sentence_shares_the_words_that_begin_as_those_of_the_question(
    question: list[str], sentence: list[str], between: str
) -> None:
    asked, told = " ".join(question), between.join(sentence)
    assert Asked(asked, lambda _: 1.0).shares(told) == one_by_one(asked, told)


@pytest.mark.req("R291")
def test_a_word_that_is_rare_in_what_is_searched_counts_more() -> None:
    rarity = {"bean": 6.0, "north": 3.0}
    asked = Asked("Which beans go north?", lambda term: rarity.get(term, 0.0))
    assert asked.shares("the beans there") == 6.0
    assert asked.shares("north of the beans, all beans") == 9.0
    assert asked.shares("nothing of that") == 0.0


@pytest.mark.req("R291")
@pytest.mark.parametrize("question", ["x" * 50_000, " ".join("a" * count for count in range(1, 120)), "+" * 900, ""])
def test_words_of_any_length_are_compared(question: str) -> None:
    asked = Asked(question, lambda _: 1.0)
    assert asked.shares(question) == len(set(question.split()) - {"+" * 900, "a"})
