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
Codes = NDArray[np.uint8]

MOST = 32
PARTS = 8
BYTES = MOST * PARTS
"""How much is kept of each text."""
_FITTED = Path(__file__).with_name("codes.npz")


def projected(tokens: Tokens) -> Tokens:
    """Return an embedder's tokens as unit vectors of 64 dimensions."""
    projection, _ = _fitted()
    return _unit(tokens @ projection)


def coded(tokens: Tokens) -> Codes:
    """Return what is kept of a text's tokens; of a longer text runs of tokens count as one, of none nothing is like."""
    if not len(tokens):
        return np.zeros(BYTES, np.uint8)
    whole = _unit(tokens)
    if len(whole) > MOST:
        whole = np.add.reduceat(whole, np.linspace(0, len(whole), MOST + 1).astype(np.int64)[:-1])
    _, centroids = _fitted()
    parts = projected(whole).reshape(len(whole), PARTS, -1).swapaxes(0, 1)
    nearest = (parts @ centroids.swapaxes(1, 2) - (centroids**2).sum(axis=2)[:, None] / 2).argmax(axis=2)
    return nearest.T.astype(np.uint8)[np.arange(MOST) % len(whole)].reshape(BYTES)


def nearness(asked: Tokens, codes: Codes) -> Tokens:
    """Return for each token of a question, projected, and each text's codes how near the text's nearest token is."""
    _, centroids = _fitted()
    parts = asked.reshape(len(asked), PARTS, -1)
    near = np.einsum("qpd,pcd->pcq", parts, centroids)
    found = np.zeros((len(codes) * MOST, len(asked)), np.float32)
    for part, each in enumerate(codes.reshape(-1, PARTS).T):
        found += near[part][each]
    return found.reshape(len(codes), MOST, len(asked)).max(axis=1).T


def _unit(vectors: Tokens) -> Tokens:
    return vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.float32(1e-6))


@cache
def _fitted() -> tuple[Tokens, Tokens]:
    """Return the projection and the centroids that bench/fit_codes.py found."""
    with np.load(_FITTED) as file:
        return file["projection"].astype(np.float32), file["centroids"].astype(np.float32)
