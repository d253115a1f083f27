from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.language import terms as module
from cairn.language.terms import alike, opening, terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The dogs are running, and I ran.", ["dog", "run", "ran"]),
        ("Don\u2019t STOP me now!", ["stop", "now"]),
        ("Zoë's café, naïve Élan", ["zoe", "cafe", "naiv", "elan"]),
        ("on 2026-03-01 at 10:30 for 3.50", ["2026-03-01", "10:30", "3.50"]),
        ("due 2026-03-01T10:00", ["due", "2026-03-01", "t10", "00"]),
        ("3pm, version v2", ["3pm", "version", "v2"]),
        ("12kg in 2023年", ["12kg", "2023", "年"]),
        ("東京タワー", ["東京", "京タ", "タワ", "ワー"]),
        ("水 and ガラス", ["水", "ガラ", "ラス"]),
        ("한국어", ["한국", "국어"]),
        ("snake_case 🎉 !!! —", ["snake", "case"]),
        ("", []),
    ],
)
def test_a_text_becomes_folded_stems_numbers_and_bigrams(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_words_are_whole_and_unstemmed_for_an_exact_match() -> None:
    assert words("The Running dogs, 3.5 km; 東京") == ["the", "running", "dogs", "3.5", "km", "東京"]


def test_forms_of_one_word_meet_in_their_stem() -> None:
    assert terms("allergies") == terms("Allergy") == terms("ALLERGY")


@given(st.text())
def test_no_term_is_empty_or_holds_white_space_and_case_does_not_matter(text: str) -> None:
    assert all(term and not any(map(str.isspace, term)) for term in terms(text))
    assert terms(text.casefold()) == terms(text)


@given(st.text("abt15 '.:/-_,A"))
def test_a_text_in_ascii_is_split_as_it_is_beside_other_scripts(text: str) -> None:
    assert words(f"{text} 水") == [*words(text), "水"]
    assert terms(f"{text} 水") == [*terms(text), "水"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("kitchen", "kitchn"),
        ("kitchen", "kitcehn"),
        ("kitchen", "kitchens"),
        ("resturant", "restaurant"),
        ("buche", "buchern"),
        ("gatto", "gatta"),
    ],
)
def test_a_slip_or_another_ending_makes_no_other_word(one: str, other: str) -> None:
    assert alike(one, other)
    assert alike(other, one)


@pytest.mark.parametrize(
    ("one", "other"), [("kitchen", "kite"), ("planet", "plasticity"), ("house", "horse s"), ("carpet", "career")]
)
def test_words_that_differ_in_more_are_not_alike(one: str, other: str) -> None:
    assert not alike(one, other)


def test_short_terms_numbers_and_bigrams_are_like_none() -> None:
    assert [opening(term) for term in ("cat", "2026-03-01", "v21x", "\u6771\u4eac", "kiwi", "kitchen")] == [
        *("", "", "", ""),
        "ki",
        "kit",
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("\u043a\u043d\u0438\u0433\u0438", "\u043a\u043d\u0438\u0433\u0430"),
        ("\u0643\u062a\u0627\u0628", "\u0627\u0644\u0643\u062a\u0627\u0628"),
    ],
)
def test_other_scripts_have_stemmers_of_their_own(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@given(st.text(min_size=4), st.text(min_size=4))
def test_likeness_is_mutual_and_every_word_is_like_itself(one: str, other: str) -> None:
    assert alike(one, one)
    assert alike(one, other) == alike(other, one)


def test_words_too_long_for_a_stem_are_not_kept_in_memory() -> None:
    inside: Any = module
    held = inside._stem.cache_info().currsize
    assert terms("q" * 41 + "ing") == ["q" * 41 + "ing"]
    assert inside._stem.cache_info().currsize == held
