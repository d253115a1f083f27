"""A sketch holds the signs of vectors: enough to tell about how near they are, and with the rest to give them back."""

from __future__ import annotations

import numpy as np
import pytest

from cairn.recall.corpus import VECTOR_SCALE, quantized
from cairn.recall.sketch import alike, differing, nearness, signed, sketched, unsigned

_ROWS, _DIMENSIONS = 700, 384


def vectors(dimensions: int = _DIMENSIONS) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Return unit vectors, each near the one before it."""
    chance = np.random.default_rng(7)
    each = np.cumsum(chance.normal(size=(_ROWS, dimensions)), axis=0)
    return (each / np.linalg.norm(each, axis=1, keepdims=True)).astype(np.float32)


def test_signs_of_any_number_of_dimensions_are_compared_word_by_word() -> None:
    one = np.array([[1] * 70, [-1] * 70, [1] * 69 + [-1]], np.int8)

    words = sketched(one)

    assert words.shape == (2, 3)
    assert differing(words, words[:, :1]).tolist() == [0, 70, 1]


@pytest.mark.parametrize("dimensions", [64, 70, 384])
def test_numbers_without_their_signs_and_the_sketch_give_back_what_was_stored(dimensions: int) -> None:
    chance = np.random.default_rng(1)
    stored = chance.integers(-127, 128, (_ROWS, dimensions + 5), np.int8)

    without = unsigned(stored, dimensions)

    assert without[:, :dimensions].min() == 0
    assert (without[:, dimensions:] == stored[:, dimensions:]).all()
    assert (signed(without, sketched(stored[:, :dimensions]), dimensions) == stored).all()


def test_cosines_with_a_question_are_told_right_on_average() -> None:
    stored = np.stack([quantized(each) for each in vectors()])
    query = vectors()[_ROWS // 2]
    exact = stored.astype(np.float32) @ query * np.float32(VECTOR_SCALE)

    told = nearness(sketched(stored), query)

    assert np.abs(told - exact).mean() < 0.06
    assert np.corrcoef(told, exact)[0, 1] > 0.99


def test_cosines_of_pairs_are_told_by_how_many_signs_differ() -> None:
    stored = np.stack([quantized(each) for each in vectors()])
    sketch, exact = sketched(stored), (vectors()[1:] * vectors()[:-1]).sum(axis=1)

    assert np.abs(alike(sketch[:, 1:], sketch[:, :-1], _DIMENSIONS) - exact).mean() < 0.06
