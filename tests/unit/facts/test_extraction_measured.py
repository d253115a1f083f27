"""How much of the labelled set the rules get right: floors under what bench/extraction.py reports."""

from __future__ import annotations

import pytest

from extraction import Score, Stated, Statement, found, scores, statements


def total(labelled: list[Statement]) -> Score:
    return sum(scores(labelled).values(), Score())


@pytest.mark.req("R060")
@pytest.mark.parametrize(
    ("halves", "precision", "recall"),
    [({"development", "held-out"}, 0.96, 0.97), ({"held-out"}, 0.93, 0.96)],
)
def test_what_is_found_in_the_labelled_statements_is_right_and_nearly_all(
    halves: set[str], precision: float, recall: float
) -> None:
    score = total([statement for statement in statements() if statement.half in halves])

    assert score.precision >= precision
    assert score.recall >= recall


def test_the_labelled_set_is_large_and_most_of_it_states_nothing() -> None:
    labelled = statements()
    silent = [statement for statement in labelled if not statement.facts]

    assert len({statement.text for statement in labelled}) == len(labelled) >= 360
    assert len(silent) >= len(labelled) / 2
    assert {statement.half for statement in silent} == {"development", "held-out"}


def test_a_wrong_value_counts_as_found_and_as_missed() -> None:
    labelled = Statement(
        "development", "a trait", "I live in Rome.", frozenset({Stated("user_home", "", "Oslo", retracts=False)})
    )

    assert scores([labelled]) == {"user_home": Score(right=0, found=1, labelled=1)}


@pytest.mark.parametrize(
    ("text", "fact"),
    [
        ("I prefer the  aisle.", Stated("user_preference", "", "aisle", retracts=False)),
        ("My name is ada.", Stated("user_name", "", "ada", retracts=False)),
        ("My dog's name is Rex.", Stated("user_profile", "dog's name", "Rex", retracts=False)),
        ("My name is Rob. My name is Bob.", Stated("user_name", "", "Bob", retracts=False)),
        ("I no longer live in Rome.", Stated("user_home", "", "Rome", retracts=True)),
    ],
)
def test_facts_are_compared_by_kind_subject_and_value_as_the_text_puts_it(text: str, fact: Stated) -> None:
    assert found(text) == {fact}
