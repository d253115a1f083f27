"""Lines are chosen as a whole: by what they bring for their tokens, of five passages, within a budget."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.context.chances import Chances, Fit, fit_of, price_of
from cairn.context.choosing import choose, size
from support.context import line_of

FIT = Fit(share=1.0, rank=-0.1, flat=-0.2, constant=1.5)


@pytest.mark.req("R023")
@pytest.mark.req("R291")
@given(
    drawn=st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(1, 40), st.floats(0, 1)), max_size=40),
    most=st.integers(0, 5),
    budget=st.integers(0, 2000),
)
def test_no_more_passages_and_tokens_than_there_may_be_are_chosen(
    drawn: list[tuple[str, int, float]], most: int, budget: int
) -> None:
    lines = [line_of(n, "word " * long, session=of, chance=chance) for n, (of, long, chance) in enumerate(drawn)]

    chosen = choose(lines, most, budget, 8e-5)

    assert size(chosen) <= budget
    assert len({line.passage for line in chosen}) <= most
    assert len(set(chosen)) == len(chosen)


def test_a_line_is_chosen_when_its_chance_is_above_the_price_of_its_tokens() -> None:
    worth, short, long = (line_of(n, "word " * n, chance=chance) for n, chance in ((10, 0.5), (1, 0.004), (90, 0.004)))

    assert choose([worth, short, long], 5, 10_000, 8e-5) == (worth, short)


def test_the_passages_worth_most_together_are_chosen_not_those_with_the_best_line() -> None:
    many = [line_of(n, f"word {n}", session="many", chance=0.3) for n in range(4)]
    one = line_of(9, "word", session="one", chance=0.6)

    assert set(choose([one, *many], 1, 10_000, 8e-5)) == set(many)


def test_a_smaller_budget_raises_the_price_and_the_likeliest_for_their_tokens_stay() -> None:
    likely, cheap, dear = (line_of(n, "word " * n, chance=chance) for n, chance in ((30, 0.9), (5, 0.2), (100, 0.25)))

    assert set(choose([likely, cheap, dear], 5, 80, 8e-5)) == {likely, cheap}


def test_a_text_with_a_statement_that_stands_is_likelier_than_one_of_the_same_score() -> None:
    chances = Chances([3.0, 2.0, 1.0], FIT)

    assert chances.of(2.0) < chances.of(2.0, is_stated=True) < 1


@given(scores=st.lists(st.floats(-50, 50), min_size=1, max_size=50), likelihood=st.floats(0, 1))
def test_chances_fall_with_scores_and_lie_between_0_and_the_likelihood(scores: list[float], likelihood: float) -> None:
    ordered = sorted(scores, reverse=True)
    chances = [Chances(ordered, FIT, likelihood).of(score) for score in ordered]

    assert all(0 <= each <= likelihood for each in chances)
    assert chances == sorted(chances, reverse=True)


def test_a_clear_winner_is_likelier_than_one_of_many_equals() -> None:
    assert Chances([9.0, 1.0, 1.0], FIT).of(9.0) > 2 * Chances([9.0] * 9, FIT).of(9.0)


def test_the_mean_sets_the_price_more_tokens_are_cheaper() -> None:
    assert price_of(1200) < price_of(900) < price_of(600) < price_of(100)
    assert 3e-5 < price_of(900) < 1.5e-4


@pytest.mark.parametrize("tier", ["words", "meaning", "tokens"])
def test_every_tier_of_the_ranker_has_chances_of_its_own(tier: str) -> None:
    assert fit_of(tier).share > 0  # pyright: ignore[reportArgumentType]  the tiers are these three
