"""How likely something that was weighed answers: a probability that rises with the best score, and who said it."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import date

import pytest

import fit_likelihood
from cairn.recall import ranker
from cairn.recall.likelihood import Likelihood, calibrated, evidence, likelihood
from cairn.recall.question import question
from cairn.recall.ranker import NOTHING, Ranking, Tier
from support.recall import Text, Texts

TIERS: tuple[Tier, ...] = ("words", "meaning", "tokens")
TOLD = (
    Text(said="I sold the blue boat to Mr Hale in March", speaker="Ada", session="one", day=date(2024, 3, 9)),
    Text(said="A good price, too", speaker="Ben", session="one", day=date(2024, 3, 9)),
    Text(said="My sister plays the oboe in an orchestra", speaker="Ben", session="two", day=date(2024, 6, 1)),
    *(Text(said=f"The weather was fine on day {number}", speaker="Ada", session=f"{number}") for number in range(20)),
)


def ranked(text: str, texts: tuple[Text, ...] = TOLD) -> Ranking:
    corpus = Texts(*texts)
    return ranker.rank(corpus, question(text, corpus.columns.speakers, date(2024, 6, 2), range(2024, 2025)))


def of(text: str, texts: tuple[Text, ...] = TOLD) -> Likelihood:
    return likelihood(ranked(text, texts), len(texts))


@pytest.mark.req("R292")
def test_what_can_be_answered_is_likely_and_what_nobody_spoke_of_is_not() -> None:
    assert of("Who did Ada sell the blue boat to?").is_likely
    assert of("Who did Ada sell the blue boat to?").texts >= 1

    unheard = of("What did the dentist say about the wisdom tooth?")
    assert not unheard.is_likely
    assert unheard.texts == 0
    assert unheard.value < of("Who did Ada sell the blue boat to?").value


def test_where_there_is_nothing_to_weigh_nothing_is_possible() -> None:
    assert likelihood(NOTHING, 0) == Likelihood(0.0, 0, is_likely=False, is_possible=False)


@pytest.mark.parametrize("tier", TIERS)
def test_a_better_best_text_and_more_of_the_question_known_never_make_an_answer_less_likely(tier: Tier) -> None:
    weights = calibrated(tier).weights
    assert weights["best"] > 0
    assert weights["known"] > 0
    assert weights["of_another"] <= 0

    found = dict.fromkeys(weights, 0.5)
    chances = [calibrated(tier).probability(found | {"best": best}) for best in (0.0, 2.0, 4.0, 8.0)]
    assert chances == sorted(set(chances))
    assert all(0 < chance < 1 for chance in chances)


@pytest.mark.parametrize("tier", TIERS)
def test_fewer_are_impossible_than_are_not_likely(tier: Tier) -> None:
    assert 0 < calibrated(tier).possible < calibrated(tier).likely < 0.5


@pytest.mark.parametrize("tier", TIERS)
def test_in_a_larger_log_the_same_numbers_mean_less_since_more_texts_come_near_by_chance(tier: Tier) -> None:
    assert calibrated(tier).weights["size"] < 0


def test_how_likely_it_is_does_not_depend_on_what_the_texts_are_sorted_by() -> None:
    ranking = ranked("Who did Ada sell the blue boat to?")
    by_something_else = replace(ranking, weights=ranker.Weights(["words"], ranking.weights.values[:1]))

    assert likelihood(by_something_else, len(TOLD)) == likelihood(ranking, len(TOLD))


def test_a_question_with_the_wrong_person_in_it_is_told_by_who_said_it() -> None:
    right, wrong = ranked("Who did Ada sell the blue boat to?"), ranked("Who did Ben sell the blue boat to?")

    assert evidence(right, len(TOLD), "words")["of_another"] == 0
    assert evidence(wrong, len(TOLD), "words")["of_another"] > 0
    assert likelihood(wrong, len(TOLD)).by_another
    assert not likelihood(right, len(TOLD)).by_another
    assert evidence(ranked("Who sold the blue boat?"), len(TOLD), "words")["of_another"] == 0


def test_it_is_fitted_on_the_conversations_that_are_here_and_to_the_weights_that_rank() -> None:
    assert json.loads(fit_likelihood.FOUND.read_text("utf-8"))["fitted_on"] == fit_likelihood.fitted_on()
