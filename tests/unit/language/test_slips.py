from __future__ import annotations

import pytest

from cairn.language.slips import one_slip_apart, slips_at_the_start
from cairn.language.terms import terms


@pytest.mark.parametrize(
    ("one", "other"),
    [("john", "jonh"), ("john", "jhn"), ("john", "johhn"), ("john", "jahn"), ("john", "johny"), ("john", "ohn")],
)
def test_words_one_slip_apart_are_known_either_way_round(one: str, other: str) -> None:
    assert one_slip_apart(one, other)
    assert one_slip_apart(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [("john", "john"), ("john", "hojn"), ("john", "jnoh"), ("john", "jo"), ("abcd", "badc"), ("", "ab")],
)
def test_the_same_word_and_one_of_more_slips_are_not_one_slip_apart(one: str, other: str) -> None:
    assert not one_slip_apart(one, other)
    assert not one_slip_apart(other, one)


@pytest.mark.parametrize(
    ("right", "misspelt"),
    [
        ("Gina", "Gnia"),
        ("Mike", "Mkie"),
        ("Peter", "Pteer"),
        ("Caroline", "Acroline"),
    ],
)
def test_a_slip_among_the_first_letters_leads_to_the_name(right: str, misspelt: str) -> None:
    assert terms(right)[0] in slips_at_the_start(terms(misspelt)[0])


@pytest.mark.parametrize(
    ("word", "other"), [("wine", "line"), ("wine", "swine"), ("wine", "fine"), ("sam", "sma"), ("2024x", "204x")]
)
def test_a_short_word_is_no_slip_of_another(word: str, other: str) -> None:
    assert other not in slips_at_the_start(word)
