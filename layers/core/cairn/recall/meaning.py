"""How near documents are to a question by their vectors: exactly, or where there are many exactly only the nearest.

Of many vectors the signs are compared with the question's first, bit by bit: the wider the angle between two vectors,
the more of their signs differ (Charikar 2002). What seems nearest is then compared exactly, and so is whatever a
feature is made of (decision 83). Nothing depends on the stretches that a log is in: a replay may find others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cairn.recall.corpus import (
    VECTOR_SCALE,
    Corpus,
    Mask,
    QueryVectors,
    Rows,
    Scores,
    StoredVectors,
    Vector,
    best,
    places,
)

Signs: TypeAlias = NDArray[np.uint64]
"""The signs of vectors, a bit each, of shape (words of 64 bits, rows)."""

FEW = 20_000
"""Fewer vectors than this are all compared exactly."""
NEAREST = 4_000
"""How many of each kind that seem nearest are compared exactly."""
# The error of a mean and a deviation of so many is 3 %.
_SAMPLE = 1_024
# 512 rows of 384 numbers in float32 are 768 KB, which the second cache of a core holds.
_BLOCK = 512
# With fewer vectors the mean of those known says little of the rest (decision 36).
_ENOUGH = 0.5
_LINE_DIGITS = 6
_DIGITS = 4
"""To which cosines are told: equal vectors are equal wherever they stand, though sums differ in their last bits."""


class Meaning:
    """The cosine of each document with a question: float32 of shape (rows,), some of them estimated.

    A document without a vector counts as the mean of the others: it is neither nearer nor farther.
    """

    def __init__(self, corpus: Corpus, asked: QueryVectors, allowed: Mask | None) -> None:
        """Compare all; of many exactly what seems nearest of each kind, of the `allowed` rows."""
        self._asked = asked
        self._parts = list(corpus.vectors(asked.embedder))
        rows = len(corpus.columns.length)
        self.scores = np.full(rows, np.nan, np.float32)
        self._estimated = np.zeros(rows, np.bool_)
        self._left_out: list[tuple[Mask, float]] = []
        for third_person in (False, True):
            self._compare([part for part in self._parts if part.third_person == third_person])
        known = np.isfinite(self.scores)
        having = np.count_nonzero(known)
        self.is_known = bool(rows) and having >= _ENOUGH * rows
        if self.is_known and having < rows:
            # Neither nearer nor farther than the others, or being new would count for or against a text.
            self.scores[~known] = self.scores[known].mean()
        if self._estimated.any():
            for kind in corpus.kinds:
                self.settle(self._nearest(kind, allowed))

    def deviation(self) -> np.floating:
        """Return the standard deviation of all cosines: that of what is told, with what the estimates leave out."""
        left_out = sum(variance * np.count_nonzero(self._estimated & rows) for rows, variance in self._left_out)
        return np.sqrt(self.scores.var() + left_out / len(self.scores))

    def settle(self, rows: NDArray[np.integer]) -> None:
        """Compare these rows exactly, as far as they are not; row -1 is none."""
        left = np.unique(rows[(rows >= 0) & self._estimated[rows]]).astype(np.int64)
        for part in self._parts if len(left) else ():
            here, at = places(part, left)
            if len(at):
                self.scores[left[here]] = self._exact(part, part.vectors[at])
        self._estimated[left] = False

    def _nearest(self, kind: slice, allowed: Mask | None) -> Rows:
        """Return which estimated rows of the kind seem nearest."""
        open_to = self._estimated[kind] if allowed is None else self._estimated[kind] & allowed[kind]
        rows = best(np.where(open_to, self.scores[kind], np.float32(-np.inf)), NEAREST)
        return kind.start + rows[open_to[rows]]

    def _exact(self, part: StoredVectors, vectors: NDArray[np.int8]) -> Scores:
        query = self._query(part)
        shift, scale, _ = self._asked.calibration
        return shift + scale * _cosines(vectors[:, : len(query)], query)

    def _compare(self, parts: Sequence[StoredVectors]) -> None:
        """Tell the cosines of all that is stated alike: exactly, or of many on a line by how many signs differ."""
        if sum(len(part.vectors) for part in parts) < FEW:
            for part in parts:
                self.scores[part.rows] = self._exact(part, part.vectors)
            return
        differing, having = np.zeros(len(self.scores), np.float32), np.zeros(len(self.scores), np.bool_)
        for part in parts:
            query = self._query(part)
            differing[part.rows] = _differing(part.signs(len(query)), query)
            having[part.rows] = True
        self._estimated |= having
        rows = np.flatnonzero(having)
        sample = rows[np.linspace(0, len(rows) - 1, _SAMPLE).astype(np.int64)]
        self.settle(sample)
        exact, told = self.scores[sample].astype(np.float64), differing[sample].astype(np.float64)
        # The line of least squares through the sample: of any number of estimates the mean is right.
        slope = float(((told - told.mean()) * exact).mean()) / max(1e-6, float(told.var()))
        level = float(exact.mean()) - slope * float(told.mean())
        left_out = float((level + slope * told - exact).var())
        # Rounded, as cosines are: where one of the sample's differs in its last digit, the line is the same mostly.
        line = np.float32(round(level, _DIGITS)) + np.float32(round(slope, _LINE_DIGITS)) * differing
        np.copyto(self.scores, line, where=self._estimated & having)
        self._left_out.append((having, round(left_out, _DIGITS)))

    def _query(self, part: StoredVectors) -> Vector:
        # A fact is stated in the third person, as the question was put: both ways to put it count half.
        asked = self._asked
        return np.float32(0.5) * (asked.first_person + asked.as_put) if part.third_person else asked.first_person


def meaning(corpus: Corpus, asked: QueryVectors, allowed: Mask | None = None) -> Meaning | None:
    """Return how near each document is to the question, None where fewer than half have a vector."""
    found = Meaning(corpus, asked, allowed)
    return found if found.is_known else None


def signs(vectors: NDArray[np.int8]) -> Signs:
    """Return which numbers of vectors, int8 of shape (rows, dimensions), are above 0."""
    size = -(-vectors.shape[1] // 64)
    # Word by word, so that counts of all rows are added up in one stride each.
    found = np.empty((size, len(vectors)), np.uint64)
    # Block by block, as cosines are.
    for start in range(0, len(vectors), _BLOCK):
        bits = np.packbits(vectors[start : start + _BLOCK] > 0, axis=1)
        whole = np.pad(bits, ((0, 0), (0, 8 * size - bits.shape[1])))
        found[:, start : start + _BLOCK] = whole.view(np.uint64).T
    return found


def _differing(stored: Signs, query: Vector) -> NDArray[np.uint16]:
    """Return in how many signs each vector differs from the question: of shape (rows,)."""
    count = np.zeros(stored.shape[1], np.uint16)
    for words, asked in zip(stored, signs(np.sign(query).astype(np.int8)[None])[:, 0], strict=True):
        count += np.bitwise_count(words ^ asked)
    return count


def _cosines(vectors: NDArray[np.int8], query: Vector) -> Scores:
    """Return the cosines block by block, so that they fit the processor's cache."""
    # The scale goes into the one vector, not into all of them.
    scaled = (query * VECTOR_SCALE).astype(np.float32)
    blocks = (vectors[start : start + _BLOCK] for start in range(0, len(vectors), _BLOCK))
    found = [block.astype(np.float32) @ scaled for block in blocks]
    return np.round(np.concatenate(found), _DIGITS) if found else np.zeros(0, np.float32)
