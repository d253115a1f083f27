"""Sketches of vectors: the sign of each number, by which many are told apart and few are compared nearly.

The wider the angle between two vectors, the more of their signs differ (Charikar, "Similarity estimation techniques
from rounding algorithms", 2002). A question's own numbers, added up by the signs of a vector, tell its cosine better
than signs alone do on both sides, as in product quantisation (Jegou et al. 2011).
"""

from __future__ import annotations

from math import pi, sqrt
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cairn.recall.corpus import Scores, Vector

Sketch: TypeAlias = NDArray[np.uint64]
"""The signs of vectors, a bit each, of shape (words of 64 bits, rows): 1 where a number is above 0."""

# 512 rows of 384 numbers fit the second cache of a core.
_BLOCK = 512
_BYTES = np.arange(256, dtype=np.uint8)[:, None]


def sketched(vectors: NDArray[np.int8]) -> Sketch:
    """Return the sketch of vectors, int8 of shape (rows, dimensions)."""
    words = -(-vectors.shape[1] // 64)
    # Word by word, so that counts of all rows are added up in one stride each.
    found = np.empty((words, len(vectors)), np.uint64)
    for start in range(0, len(vectors), _BLOCK):
        packed = np.packbits(vectors[start : start + _BLOCK] > 0, axis=1)
        whole = np.pad(packed, ((0, 0), (0, 8 * words - packed.shape[1])))
        found[:, start : start + _BLOCK] = whole.view(np.uint64).T
    return found


def unsigned(stored: NDArray[np.int8], dimensions: int) -> NDArray[np.int8]:
    """Return stored vectors without what their sketch tells: how far each of the first numbers is from 0."""
    return np.concatenate([np.abs(stored[:, :dimensions]), stored[:, dimensions:]], axis=1)


def signed(stored: NDArray[np.int8], sketch: Sketch, dimensions: int) -> NDArray[np.int8]:
    """Return what unsigned() was given, of these rows and their sketch."""
    above = np.unpackbits(_by_row(sketch), axis=1, count=dimensions).view(np.int8)
    return np.concatenate([stored[:, :dimensions] * (2 * above - 1), stored[:, dimensions:]], axis=1)


def differing(sketch: Sketch, other: Sketch) -> NDArray[np.uint16]:
    """Return in how many signs vectors differ from others, of the same shape or one: of shape (rows,)."""
    count = np.zeros(sketch.shape[1], np.uint16)
    for words, others in zip(sketch, other, strict=True):
        count += np.bitwise_count(words ^ others)
    return count


def alike(sketch: Sketch, other: Sketch, dimensions: int) -> Scores:
    """Return about the cosines of vectors with others, pair by pair: float32 of shape (rows,)."""
    return np.cos(np.float32(pi / dimensions) * differing(sketch, other))


def nearness(sketch: Sketch, query: Vector) -> Scores:
    """Return about the cosines of vectors with a question's: float32 of shape (rows,), right on average."""
    # What eight numbers of the question add up to, for each byte of signs: of shape (bytes, 256).
    signs = np.unpackbits(_BYTES, axis=1).astype(np.float32) * 2 - 1
    eights = np.pad(query, (0, 64 * len(sketch) - len(query))).reshape(-1, 8)
    sums = (eights @ signs.T).astype(np.float32)
    bytes_of = _by_row(sketch).astype(np.int64) + 256 * np.arange(len(sums))
    # A number of a unit vector is 0.8 deviations from 0 on average: the mean of a normal distribution's sizes.
    return sums.ravel()[bytes_of].sum(axis=1) * np.float32(1 / sqrt(len(query)) / sqrt(2 / pi))


def _by_row(sketch: Sketch) -> NDArray[np.uint8]:
    """Return a sketch's bytes row by row: of shape (rows, bytes)."""
    return np.ascontiguousarray(sketch.T).view(np.uint8)
