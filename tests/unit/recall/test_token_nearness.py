"""Texts and questions compared token by token."""

from __future__ import annotations

import numpy as np
import pytest

from cairn.recall.token_vectors import BYTES, MOST, Tokens, coded, nearness, projected

WIDTH = 384


def some(count: int, seed: int) -> Tokens:
    return np.random.default_rng(seed).normal(size=(count, WIDTH)).astype(np.float32)


@pytest.mark.parametrize("count", [0, 1, MOST - 1, MOST, MOST + 1, 254])
def test_every_text_takes_the_same_room(count: int) -> None:
    assert coded(some(count, 0)).shape == (BYTES,)


def test_a_text_is_nearest_to_the_tokens_that_it_has() -> None:
    texts = [some(20, seed) for seed in range(5)]
    codes = np.stack([coded(text) for text in texts])

    for number, text in enumerate(texts):
        near = nearness(projected(text[:5]), codes)
        assert near.shape == (5, len(texts))
        assert (near.argmax(axis=1) == number).all()


def test_it_does_not_matter_where_in_a_text_a_token_stands() -> None:
    text, asked = some(12, 1), projected(some(4, 2))

    assert np.allclose(nearness(asked, coded(text)[None]), nearness(asked, coded(text[::-1])[None]))


def test_more_tokens_make_a_text_no_farther() -> None:
    text, asked = some(MOST, 1), projected(some(4, 2))

    few, all_of_them = nearness(asked, coded(text[:9])[None]), nearness(asked, coded(text)[None])

    assert (all_of_them >= few - 1e-6).all()


def test_a_long_question_counts_no_more_tokens_than_a_text() -> None:
    long, other = some(3 * MOST, 1), some(9, 2)
    asked = projected(long)

    assert asked.shape == (MOST, 64)
    assert nearness(asked, coded(long)[None]).mean() > nearness(asked, coded(other)[None]).mean()
