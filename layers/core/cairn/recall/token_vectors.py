"""A question and a text compared token by token: the mean of how near the text's nearest is to each of the question's.

That is late interaction (ColBERT; Khattab and Zaharia 2020). Of a text up to 32 tokens are kept, 8 bytes each: which of
256 centroids is the nearest in each eighth of its 64 dimensions (product quantisation; Jegou et al. 2011).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

Tokens = NDArray[np.float32]
"""Vectors of tokens, of shape (tokens, dimensions): as the embedder has them, or 64 once projected."""
Codes = NDArray[np.uint8]
"""What is kept of the tokens of texts, of shape (BYTES,) or (texts, BYTES)."""

# Chosen with the codes (decision 38): 256 bytes a text, beside 384 of its vector.
MOST = 32
PARTS = 8
BYTES = MOST * PARTS
"""How much is kept of each text."""
_FITTED = Path(__file__).with_name("codes.npz")


def projected(tokens: Tokens) -> Tokens:
    """Return an embedder's tokens as at most 32 unit vectors of 64 dimensions; of more, runs of tokens count as one."""
    projection, _ = _fitted()
    if len(tokens) > MOST:
        # Of a longer text each of the 32 is the sum of a run of tokens; made a unit vector it is their mean.
        tokens = np.add.reduceat(_unit(tokens), np.arange(MOST) * len(tokens) // MOST)
    return _unit(tokens @ projection)


def coded(tokens: Tokens) -> Codes:
    """Return what is kept of a text's tokens; where there are none, something that hardly any token is like."""
    if not len(tokens):
        return np.zeros(BYTES, np.uint8)
    _, centroids = _fitted()
    whole = projected(tokens)
    # From (tokens, 64) to (8 parts, tokens, 8): each part is looked up among its own 256 centroids.
    parts = whole.reshape(len(whole), PARTS, -1).swapaxes(0, 1)
    # The nearest centroid c to p: |p - c|² is least where p·c - |c|²/2 is greatest.
    nearest = (parts @ centroids.swapaxes(1, 2) - (centroids**2).sum(axis=2)[:, None] / 2).argmax(axis=2)
    # Tokens repeat until there are 32: a maximum over them is the same, and all codes have one length.
    return nearest.T.astype(np.uint8)[np.arange(MOST) % len(whole)].reshape(BYTES)


def nearness(asked: Tokens, codes: Codes) -> Tokens:
    """Return for each token of a question, projected, and each text's codes how near the text's nearest token is.

    float32 of shape (asked, texts), of (asked, 64) and (texts, BYTES).
    """
    _, centroids = _fitted()
    # (8 parts, 256 centroids, asked): the product of each centroid with each token of the question, made once.
    near = centroids @ asked.reshape(len(asked), PARTS, -1).transpose(1, 2, 0)
    found = np.zeros((len(codes) * MOST, len(asked)), np.float32)
    of_part = np.empty_like(found)
    # The products of a token's eight centroids add up to that of the whole token, nearly.
    for each, part in zip(near, codes.reshape(-1, PARTS).T, strict=True):
        found += np.take(each, part, axis=0, out=of_part, mode="clip")  # without "clip" it would copy once more
    return found.reshape(len(codes), MOST, len(asked)).max(axis=1).T


def _unit(vectors: Tokens) -> Tokens:
    # Not by 0: a token whose vector is zero stays zero.
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-6))


@cache
def _fitted() -> tuple[Tokens, Tokens]:
    """Return the projection and the centroids that bench/fit_codes.py found.

    float32 of shape (384, 64), and of shape (8 parts, 256 centroids, 8 dimensions).
    """
    with np.load(_FITTED) as file:
        return file["projection"].astype(np.float32), file["centroids"].astype(np.float32)
