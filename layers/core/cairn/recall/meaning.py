"""How near documents are to a question by their vectors: exactly, or where there are many exactly only the nearest.

Of many vectors the signs are compared first (recall.sketch): those of all with the question's, then those of what seems
nearest with its numbers. What may answer is compared exactly at last (decisions 83 and 89). Nothing depends on the
stretches that a log is in: a replay may find others.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from cairn.log import pages
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
from cairn.recall.sketch import Sketch, alike, differing, nearness, sketched

NEAREST = 4_000
"""How many of each kind that seem nearest are compared nearly."""
# The error of a mean and a deviation of so many is 3 %.
_SAMPLE = 1_024
# 512 rows of 384 numbers in float32 are 768 KB, which the second cache of a core holds.
_BLOCK = 512
# With fewer vectors the mean of those known says little of the rest (decision 36).
_ENOUGH = 0.5
_LINE_DIGITS = 6
_DIGITS = 4
"""To which cosines are told: equal vectors are equal wherever they stand, though sums differ in their last bits."""
_EXACT: Final = np.uint8(0)
_NEARLY: Final = np.uint8(1)
_BY_SIGNS: Final = np.uint8(2)


class Meaning:
    """The cosine of each document with a question: float32 of shape (rows,), some of them estimated.

    A document without a vector counts as the mean of the others: it is neither nearer nor farther.
    """

    def __init__(self, corpus: Corpus, asked: QueryVectors, allowed: Mask | None) -> None:
        """Compare all; of many nearly what seems nearest of each kind, of the `allowed` rows."""
        self._asked = asked
        self._parts = list(corpus.vectors(asked.embedder))
        rows = len(corpus.columns.length)
        self.scores = np.full(rows, np.nan, np.float32)
        self._known_by = np.full(rows, _EXACT)
        self._left_out: list[tuple[Mask, float]] = []
        for third_person in (False, True):
            self._compare([part for part in self._parts if part.third_person == third_person])
        known = np.isfinite(self.scores)
        having = np.count_nonzero(known)
        self.is_known = bool(rows) and having >= _ENOUGH * rows
        if self.is_known and having < rows:
            # Neither nearer nor farther than the others, or being new would count for or against a text.
            self.scores[~known] = self.scores[known].mean()
        if self._known_by.any():
            for kind in corpus.kinds:
                self.refine(self._nearest(kind, allowed))

    @cached_property
    def spread(self) -> tuple[np.floating, np.floating]:
        """Return the mean and the standard deviation of all cosines as they are known when it is first asked for.

        The deviation is that of what is told, with what the estimates leave out.
        """
        by_signs = self._known_by == _BY_SIGNS
        left_out = sum(variance * np.count_nonzero(by_signs & rows) for rows, variance in self._left_out)
        return self.scores.mean(), np.sqrt(self.scores.var() + left_out / len(self.scores))

    def refine(self, rows: NDArray[np.integer]) -> None:
        """Compare these rows' signs with the question's numbers, as far as signs with signs were; row -1 is none."""
        for part, of, at in self._left(rows, _NEARLY):
            query = self._query(part)
            self.scores[of] = self._calibrated(nearness(part.sketch(len(query))[:, at], query))

    def settle(self, rows: NDArray[np.integer]) -> None:
        """Compare these rows exactly, as far as they are not; row -1 is none."""
        for part, of, at in self._left(rows, _EXACT):
            self.scores[of] = self._exact(part, part.taken(at))

    def alike(self, rows: Rows, others: Rows) -> Scores:
        """Return about the cosine of each of these rows with another, float32; 0 where one of them has no vector."""
        dimensions = len(self._asked.as_put)
        mine, theirs = (self._sketches(each, dimensions) for each in (rows, others))
        having = mine.any(axis=0) & theirs.any(axis=0)
        return np.where(having, alike(mine, theirs, dimensions), np.float32(0))

    def _sketches(self, rows: Rows, dimensions: int) -> Sketch:
        found = np.zeros((-(-dimensions // 64), len(rows)), np.uint64)
        for part in self._parts:
            here, at = places(part, rows)
            if len(at):
                found[:, here] = part.sketch(dimensions)[:, at]
        return found

    def _left(self, rows: NDArray[np.integer], known_by: np.uint8) -> list[tuple[StoredVectors, Rows, Rows]]:
        """Return those of these rows that are not known so well, as rows and places of each part, and note them so."""
        left = np.unique(rows[(rows >= 0) & (self._known_by[rows] > known_by)]).astype(np.int64)
        self._known_by[left] = known_by
        found = ((part, *places(part, left)) for part in (self._parts if len(left) else ()))
        return [(part, left[here], at) for part, here, at in found if len(at)]

    def _nearest(self, kind: slice, allowed: Mask | None) -> Rows:
        """Return which rows of the kind seem nearest, of those of which only the signs were compared."""
        by_signs = self._known_by[kind] == _BY_SIGNS
        open_to = by_signs if allowed is None else by_signs & allowed[kind]
        rows = best(np.where(open_to, self.scores[kind], np.float32(-np.inf)), NEAREST)
        return kind.start + rows[open_to[rows]]

    def _exact(self, part: StoredVectors, vectors: NDArray[np.int8]) -> Scores:
        query = self._query(part)
        return self._calibrated(_cosines(vectors[:, : len(query)], query))

    def _calibrated(self, cosines: Scores) -> Scores:
        shift, scale, _ = self._asked.calibration
        return shift + scale * np.round(cosines, _DIGITS)

    def _compare(self, parts: Sequence[StoredVectors]) -> None:
        """Tell the cosines of all that is stated alike: exactly, or of many on a line by how many signs differ."""
        if sum(part.size for part in parts) < pages.LONG:
            for part in parts:
                self.scores[part.rows] = self._exact(part, part.taken(slice(None)))
            return
        differs, having = np.zeros(len(self.scores), np.float32), np.zeros(len(self.scores), np.bool_)
        for part in parts:
            query = self._query(part)
            asked = sketched(np.sign(query).astype(np.int8)[None])
            differs[part.rows] = differing(part.sketch(len(query)), asked)
            having[part.rows] = True
        self._known_by[having] = _BY_SIGNS
        rows = np.flatnonzero(having)
        sample = rows[np.linspace(0, len(rows) - 1, _SAMPLE).astype(np.int64)]
        self.refine(sample)
        nearly, told = self.scores[sample].astype(np.float64), differs[sample].astype(np.float64)
        # The line of least squares through the sample: of any number of estimates the mean is right.
        slope = float(((told - told.mean()) * nearly).mean()) / max(1e-6, float(told.var()))
        level = float(nearly.mean()) - slope * float(told.mean())
        left_out = float((level + slope * told - nearly).var())
        # Rounded, as cosines are: where one of the sample's differs in its last digit, the line is the same mostly.
        line = np.float32(round(level, _DIGITS)) + np.float32(round(slope, _LINE_DIGITS)) * differs
        np.copyto(self.scores, line, where=(self._known_by == _BY_SIGNS) & having)
        self._left_out.append((having, round(left_out, _DIGITS)))

    def _query(self, part: StoredVectors) -> Vector:
        # A fact is stated in the third person, as the question was put: both ways to put it count half.
        asked = self._asked
        return np.float32(0.5) * (asked.first_person + asked.as_put) if part.third_person else asked.first_person


def meaning(corpus: Corpus, asked: QueryVectors, allowed: Mask | None = None) -> Meaning | None:
    """Return how near each document is to the question, None where fewer than half have a vector."""
    found = Meaning(corpus, asked, allowed)
    return found if found.is_known else None


def _cosines(vectors: NDArray[np.int8], query: Vector) -> Scores:
    """Return the cosines block by block, so that they fit the processor's cache."""
    # The scale goes into the one vector, not into all of them.
    scaled = (query * VECTOR_SCALE).astype(np.float32)
    blocks = (vectors[start : start + _BLOCK] for start in range(0, len(vectors), _BLOCK))
    found = [block.astype(np.float32) @ scaled for block in blocks]
    return np.concatenate(found) if found else np.zeros(0, np.float32)
