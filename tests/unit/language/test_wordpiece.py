from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.language.wordpiece import WordPiece

VOCABULARY = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "garden", "##er", "##s", "green", "##house", ",", "\u5317", "cafe"]
START, END, UNKNOWN = 2, 3, 1


def pieces(text: str, limit: int = 64) -> list[str]:
    numbers = WordPiece(VOCABULARY).encode(text, limit)
    assert numbers[0] == START
    assert numbers[-1] == END
    return [VOCABULARY[number] for number in numbers[1:-1]]


def test_a_word_is_cut_into_the_longest_pieces_there_are() -> None:
    assert pieces("Gardeners") == ["garden", "##er", "##s"]
    assert pieces("greenhouse gardens") == ["green", "##house", "garden", "##s"]


def test_a_word_that_cannot_be_cut_into_pieces_is_unknown_as_a_whole() -> None:
    assert pieces("gardenx") == ["[UNK]"]
    assert pieces("g" * 101) == ["[UNK]"]


def test_signs_and_ideographs_are_words_of_their_own() -> None:
    assert pieces("green,green") == ["green", ",", "green"]
    assert pieces("\u5317\u5317") == ["\u5317", "\u5317"]


def test_case_accents_and_what_cannot_be_seen_do_not_count() -> None:
    assert pieces("CAF\u00c9 ca\u200bfe") == ["cafe", "cafe"]
    assert pieces("green\tgreen\u00a0green\r\n") == ["green"] * 3


@pytest.mark.parametrize("limit", [2, 3, 5])
def test_no_more_than_the_limit_come_out(limit: int) -> None:
    assert len(WordPiece(VOCABULARY).encode("garden " * 9, limit)) == limit


@given(text=st.text(max_size=80), limit=st.integers(2, 40))
def test_any_text_becomes_numbers_of_the_vocabulary(text: str, limit: int) -> None:
    numbers = WordPiece(VOCABULARY).encode(text, limit)

    assert 2 <= len(numbers) <= limit
    assert all(0 <= number < len(VOCABULARY) for number in numbers)
