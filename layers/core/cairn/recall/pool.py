"""A pool of texts that are weighed for one question, each with what was said around it, and scores within it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cairn.recall.corpus import Columns, Rows, Scores

Spread: TypeAlias = tuple[np.floating, np.floating]
"""The mean and the standard deviation of the scores of all texts."""
# Ten better ones halve it: ranks tell most among the first ten.
_HEAD = 10.0


class Near:
    """The pool, and the rows before and after each of its rows."""

    def __init__(self, columns: Columns, rows: Rows) -> None:
        """Find the neighbours of these rows, int64 of shape (pool,), ascending."""
        self.columns = columns
        self.rows = rows
        self.before = columns.before[rows]
        self.after = columns.after[rows]

    @property
    def all(self) -> Rows:
        """Return all of them, row -1 for none: int64 of shape (3 * pool,)."""
        return np.concatenate([self.rows, self.before, self.after], dtype=np.int64)

    def at(self, values: Scores, neighbours: NDArray[np.int32]) -> Scores:
        """Return the values, float32 of shape (rows,), of these neighbours, int32 of shape (pool,); 0 for row -1."""
        # Row -1 is the last one to numpy: what it yields there is thrown away.
        return np.where(neighbours >= 0, values[neighbours], np.float32(0))

    def of_session(self, values: Scores) -> Scores:
        """Return the value of each row's session; `values` are of shape (sessions,)."""
        return values[self.columns.session[self.rows]]


def step(onward: NDArray[np.int32], from_rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return where this column leads from each of these rows, row -1 for none: int32 of shape (pool,)."""
    return np.where(from_rows >= 0, onward[from_rows], np.int32(-1))


def standardised(scores: Scores, rows: Rows, spread: Callable[[], Spread]) -> Scores:
    """Return how many deviations the scores of these rows are from the mean of all."""
    if not len(rows):
        return np.zeros(0, np.float32)
    mean, deviation = spread()
    return ((scores[rows] - mean) / (deviation + 1e-6)).astype(np.float32)


def ranked(scores: Scores) -> Scores:
    """Return 1 for the best, less and less for those after it, the same for equals."""
    # How many are strictly better: the same for equals, and 0 for the best.
    better = np.searchsorted(np.sort(-scores), -scores)
    return (_HEAD / (_HEAD + better)).astype(np.float32)
