"""The greatest of many scores are found by a sample, and are the greatest whatever the sample says."""

from __future__ import annotations

import numpy as np
import pytest

from cairn.recall.corpus import Scores, best

_SIZE = 30_000


def _random() -> Scores:
    return np.random.default_rng(3).normal(size=_SIZE).astype(np.float32)


def _greatest_in_the_sample_alone() -> Scores:
    scores = np.full(_SIZE, 0.5, np.float32)
    scores[::64] = 1
    return scores


def _least_in_the_sample() -> Scores:
    scores = _random()
    scores[::64] = -9
    return scores


@pytest.mark.parametrize(
    "scores",
    [
        _random(),
        np.zeros(_SIZE, np.float32),
        _greatest_in_the_sample_alone(),
        _least_in_the_sample(),
        np.full(_SIZE, -np.inf, np.float32),
        _random()[:40],
    ],
)
@pytest.mark.parametrize("count", [1, 150, 4_000])
def test_none_that_is_left_out_is_greater(scores: Scores, count: int) -> None:
    rows = best(scores, count)

    assert len(set(rows.tolist())) == len(rows) == min(count, len(scores))
    assert sorted(scores[rows].tolist()) == sorted(scores.tolist())[-len(rows) :]


def test_of_no_scores_none_is_the_greatest() -> None:
    assert best(np.zeros(0, np.float32), 5).tolist() == []
