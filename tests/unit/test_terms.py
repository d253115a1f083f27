from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.domain.terms import terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The dogs are running, and I ran.", ["dog", "run", "ran"]),
        ("Don\u2019t STOP me now!", ["stop", "now"]),
        ("Zoë's café, naïve Élan", ["zoe", "cafe", "naiv", "elan"]),
        ("on 2026-03-01 at 10:30 for 3.50", ["2026-03-01", "10:30", "3.50"]),
        ("due 2026-03-01T10:00", ["due", "2026-03-01", "t10", "00"]),
        ("3pm, version v2", ["3pm", "version", "v2"]),
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
