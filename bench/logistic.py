"""Logistic regression by L-BFGS (Liu and Nocedal 1989), over dense columns and sparse rows, with numpy alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
_KEPT, _HALVINGS = 10, 20
_ENOUGH = 1e-7


@dataclass(frozen=True, slots=True)
class Sparse:
    """Rows with few places that are not 0: `starts` says where each row begins; values are of shape (places,)."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    values: Numbers
    width: int

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]], shares: Sequence[float], width: int) -> Sparse:
        """Return rows that have the same value at each of their places, of which each row has some."""
        counts = np.array([len(row) for row in rows])
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]]).astype(np.int64)
        return cls(starts, np.concatenate([np.array(row, np.int64) for row in rows]), np.repeat(shares, counts), width)

    def times(self, weights: Numbers) -> Numbers:
        """Return the rows times weights of shape (width,)."""
        return np.add.reduceat(self.values * weights[self.columns], self.starts)

    def turned(self, of_rows: Numbers) -> Numbers:
        """Return the transposed times a number of each row."""
        each = np.repeat(of_rows, np.diff(np.append(self.starts, len(self.columns))))
        return np.bincount(self.columns, self.values * each, self.width).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Model:
    """A weight for each dense column, one for each sparse, and the bias."""

    dense: Numbers
    sparse: Numbers
    bias: float

    def scores(self, dense: Numbers, sparse: Sparse | None = None) -> Numbers:
        """Return the log-odds of each row."""
        return dense @ self.dense + self.bias + (0 if sparse is None else sparse.times(self.sparse))


def fit(  # noqa: PLR0913, PLR0917 - rows, their answers and worth, and what large weights cost
    dense: Numbers,
    sparse: Sparse | None,
    answers: NDArray[np.bool_],
    worth: Numbers,
    penalty: float = 3e-4,
    steps: int = 150,
) -> Model:
    """Return the weights under which the answers are likeliest, rows by their worth, less what large weights cost.

    Sparse columns count by how rare they are; those of one row alone not at all.
    """
    worth, size = worth / worth.sum(), dense.shape[1]
    rarity = _rarity(sparse, len(answers)) if sparse else np.zeros(0)

    def loss(weights: Numbers) -> tuple[float, Numbers]:
        scores = dense @ weights[:size] + weights[-1]
        if sparse:
            scores = scores + sparse.times(weights[size:-1] * rarity)
        surprise = worth * (1 / (1 + np.exp(-scores)) - answers)
        by_place = sparse.turned(surprise) * rarity if sparse else rarity
        slope = np.concatenate([dense.T @ surprise, by_place, [surprise.sum()]])
        slope[:-1] += penalty * weights[:-1]
        cost = worth @ (np.logaddexp(0, scores) - answers * scores) + penalty / 2 * (weights[:-1] @ weights[:-1])
        return float(cost), slope

    found = minimum(loss, np.zeros(size + len(rarity) + 1), steps)
    return Model(found[:size], found[size:-1] * rarity, float(found[-1]))


def minimum(loss: Callable[[Numbers], tuple[float, Numbers]], start: Numbers, steps: int) -> Numbers:
    """Return where a convex loss, which returns its value and slope, is least."""
    at, (value, slope) = start, loss(start)
    moves: list[tuple[Numbers, Numbers]] = []
    for _ in range(steps):
        way = _descent(slope, moves)
        length = 1.0 if moves else min(1.0, 1 / float(np.abs(slope).sum() + 1e-12))
        for _ in range(_HALVINGS):
            there = at + length * way
            new, new_slope = loss(there)
            if new <= value + 1e-4 * length * float(slope @ way):
                break
            length /= 2
        else:
            return at
        moved, turned = there - at, new_slope - slope
        if moved @ turned > 0:
            moves = [*moves, (moved, turned)][-_KEPT:]
        is_done = value - new < _ENOUGH * max(1.0, abs(value))
        at, value, slope = there, new, new_slope
        if is_done:
            break
    return at


def _descent(slope: Numbers, moves: Sequence[tuple[Numbers, Numbers]]) -> Numbers:
    way, shares = -slope, list[float]()
    for moved, turned in reversed(moves):
        share = float(moved @ way) / float(moved @ turned)
        way = way - share * turned
        shares.append(share)
    if moves:
        moved, turned = moves[-1]
        way = way * (float(moved @ turned) / float(turned @ turned))
    for (moved, turned), share in zip(moves, reversed(shares), strict=True):
        way = way + moved * (share - float(turned @ way) / float(moved @ turned))
    return way


def _rarity(sparse: Sparse, rows: int) -> Numbers:
    having = np.bincount(sparse.columns, minlength=sparse.width)
    return np.where(having > 1, np.log(1 + rows / (1 + having)), 0.0)


def auc(answers: NDArray[np.bool_], scores: NDArray[np.floating]) -> float:
    """Return how often what is so scores above what is not."""
    order = np.argsort(np.argsort(scores)) + 1.0
    yes, no = int(answers.sum()), int((~answers).sum())
    return float((order[answers].sum() - yes * (yes + 1) / 2) / (yes * no))


def found_beside(answers: NDArray[np.bool_], scores: NDArray[np.floating], share: float) -> float:
    """Return which share of what is so scores above all but this share of what is not."""
    return float((scores[answers] > np.quantile(scores[~answers], 1 - share)).mean())
