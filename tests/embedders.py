"""An embedder for tests: texts that share words are near each other, and it counts what it is asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from hashlib import sha256

import numpy as np

from cairn.ground.calibration import Calibration
from cairn.ground.errors import EmbeddingFailed
from cairn.language.terms import words
from cairn.recall.corpus import Vector


class ToyEmbedder:
    """Each word is a direction of its own, told by its hash; words that are `alike` share one, others are apart.

    Vectors have 256 numbers, so that those of texts without a common word are nearly at right angles.
    """

    def __init__(self, name: str = "toy", alike: Mapping[str, str] | None = None) -> None:
        self.name = name
        self.calibration = Calibration()
        self.alike = alike or {}
        self.asked: list[str] = []
        self.fails = False
        self.fails_at: str | None = None

    def embed(self, text: str) -> Vector:
        self.asked.append(text)
        if self.fails or text == self.fails_at:
            raise EmbeddingFailed("no vector")
        directions = np.stack([_direction(self.alike.get(word, word)) for word in words(text) or [""]])
        together = directions.sum(axis=0)
        return np.asarray(together / max(1e-6, float(np.linalg.norm(together))), np.float32)


@cache
def _direction(word: str) -> Vector:
    bits = np.unpackbits(np.frombuffer(sha256(word.encode()).digest(), np.uint8))
    return bits.astype(np.float32) * 2 - 1
