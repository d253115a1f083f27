from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from cairn.files.passages import PASSAGE_BYTES, Passages


@given(before=st.integers(0, 2 * PASSAGE_BYTES), filler=st.sampled_from(["ab ", "\u8c46 ", "abcdefghij "]))
def test_a_word_is_found_wherever_it_stands_in_a_long_line(before: int, filler: str) -> None:
    passages = Passages()
    passages.add_text("notes", f"{filler * (before // len(filler))}maize {filler * 300}".encode())

    (found,) = passages.best("maize", 5)

    assert "maize" in found.content


def test_a_word_longer_than_a_passage_is_cut_between_characters() -> None:
    passages = Passages()
    passages.add_text("notes", ("\u00e9" * PASSAGE_BYTES + " maize").encode())

    assert [each.content[-5:] for each in passages.best("maize", 5)] == ["maize"]
