"""How much recall finds of what answers questions: floors under what bench/recall.py reports."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from statistics import fmean

import pytest

from cairn.recall.filter import SearchMode
from fit_ranker import WEIGHTS, provenance
from recall import marked, rankings, texts_only, without
from recall_engine import MODEL, CachingEmbedder, StoredConversation, stored
from recall_metrics import means
from recall_sets import FITTED_ON, HELD_OUT, Conversation, read

NAMES = ("en-rail-year", "en-piano-tuner")


@pytest.fixture(scope="module")
def conversations() -> Sequence[Conversation]:
    return [each for name in NAMES for each in read(HELD_OUT / f"{name}.json")]


@pytest.fixture(scope="module")
def stored_conversations(conversations: Sequence[Conversation]) -> Generator[Mapping[str, StoredConversation]]:
    with stored(conversations, CachingEmbedder(MODEL)) as stored_conversations:
        yield stored_conversations


@pytest.mark.slow
@pytest.mark.parametrize(("mode", "any_at_ten", "all_at_ten"), [("text", 0.77, 0.68), ("hybrid", 0.89, 0.82)])
def test_what_answers_a_question_is_nearly_always_among_the_first_ten(
    stored_conversations: Mapping[str, StoredConversation],
    conversations: Sequence[Conversation],
    mode: SearchMode,
    any_at_ten: float,
    all_at_ten: float,
) -> None:
    found = means(marked(texts_only(rankings(stored_conversations, conversations, mode))))

    assert found["any@10"] >= any_at_ten
    assert found["all@10"] >= all_at_ten


@pytest.mark.slow
def test_without_a_signal_recall_finds_less(
    stored_conversations: Mapping[str, StoredConversation], conversations: Sequence[Conversation]
) -> None:
    with without("words"):
        blind = means(marked(texts_only(rankings(stored_conversations, conversations, "text"))))

    assert blind["MRR"] < means(marked(texts_only(rankings(stored_conversations, conversations, "text"))))["MRR"]


def test_the_ranker_is_fitted_on_the_conversations_that_are_here_and_on_no_others() -> None:
    assert json.loads(WEIGHTS.read_text("utf-8"))["fitted_on"] == provenance()
    assert not {path.name for path in FITTED_ON.glob("*.json")} & {path.name for path in HELD_OUT.glob("*.json")}


@pytest.mark.slow
@pytest.mark.req("R292")
@pytest.mark.parametrize(("mode", "told", "kept"), [("text", 0.12, 0.95), ("hybrid", 0.33, 0.95)])
def test_nearly_all_that_can_be_answered_is_called_likely_and_much_of_what_another_conversation_answers_is_not(
    stored_conversations: Mapping[str, StoredConversation],
    conversations: Sequence[Conversation],
    mode: SearchMode,
    told: float,
    kept: float,
) -> None:
    def likely(of: Conversation, to: Conversation) -> float:
        asked = (replace(each, asked=None) if of != to else each for each in of.questions)
        held: list[bool] = []
        for question in asked:
            with stored_conversations[to.name].answering(question, mode) as answer:
                held.append(answer.likelihood.is_likely)
        return fmean(held)

    one, other = conversations

    assert fmean([likely(one, one), likely(other, other)]) >= kept
    assert fmean([likely(one, other), likely(other, one)]) <= 1 - told
