"""Fit what codes tokens, and write layers/core/cairn/recall/codes.npz: a projection and centroids.

The projection is onto the main directions of the tokens of Cairn's own conversations, turned at random so that each
eighth holds about as much; the centroids of each eighth are found by k-means. Seeded: the same every time.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cairn.recall import token_vectors as tokens
from recall_engine import MODEL
from recall_sets import FITTED_ON, read

CODES = Path(tokens.__file__).with_name("codes.npz")
DIMENSIONS, CENTROIDS = 64, 256
SAMPLE, ROUNDS, SEED = 40_000, 12, 0

Numbers = NDArray[np.float32]


def main() -> None:
    """Fit and write."""
    chance = np.random.default_rng(SEED)
    said = [text.said for conversation in read(FITTED_ON) for text in conversation.texts]
    seen = _unit(np.concatenate([MODEL.embed_with_tokens(text).tokens for text in said]))
    seen = seen[chance.permutation(len(seen))[:SAMPLE]]
    _, directions = np.linalg.eigh(seen.T @ seen)
    turned, _ = np.linalg.qr(chance.normal(size=(DIMENSIONS, DIMENSIONS)))
    projection = (directions[:, ::-1][:, :DIMENSIONS] @ turned).astype(np.float16)
    parts = _unit(seen @ projection.astype(np.float32)).reshape(len(seen), tokens.PARTS, -1)
    centroids = np.stack([_means(parts[:, part], chance) for part in range(tokens.PARTS)]).astype(np.float16)
    np.savez(CODES, projection=projection, centroids=centroids)
    print(f"{len(said):,} texts; the projection keeps {_kept(seen, projection):.0%} of the tokens' length squared")


def _means(points: Numbers, chance: np.random.Generator) -> Numbers:
    """Return the centroids that k-means finds (Lloyd's algorithm)."""
    centroids = points[chance.choice(len(points), CENTROIDS, replace=False)].copy()
    for _ in range(ROUNDS):
        nearest = (points @ centroids.T - (centroids**2).sum(axis=1) / 2).argmax(axis=1)
        counts = np.bincount(nearest, minlength=CENTROIDS)
        sums = np.zeros_like(centroids)
        np.add.at(sums, nearest, points)
        centroids[counts > 0] = sums[counts > 0] / counts[counts > 0, None]
    return centroids


def _kept(seen: Numbers, projection: NDArray[np.float16]) -> float:
    return float(((seen @ projection.astype(np.float32)) ** 2).sum() / (seen**2).sum())


def _unit(vectors: Numbers) -> Numbers:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


if __name__ == "__main__":
    main()
