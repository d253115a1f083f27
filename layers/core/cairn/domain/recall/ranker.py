"""The linear model that weighs what a question and a text have to do with each other, and can say why."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from cairn.domain.recall.corpus import Corpus, Rows, Scores
from cairn.domain.recall.features import Mask, features
from cairn.domain.recall.question import Question

Tier = Literal["words", "meaning"]
_FITTED = Path(__file__).with_name("weights.json")


@dataclass(frozen=True, slots=True)
class Weights:
    """A weight for each feature; a text's score is the sum of its features, each times its weight."""

    names: Sequence[str]
    values: Scores

    def score(self, found: Mapping[str, Scores], count: int) -> Scores:
        """Return the score of each of `count` texts."""
        return (
            np.stack([found[name] for name in self.names], axis=1) @ self.values if count else np.zeros(0, np.float32)
        )


@dataclass(frozen=True, slots=True)
class Ranking:
    """The texts that may answer a question, the best first."""

    rows: Rows
    scores: Scores
    matched: Mask
    features: Mapping[str, Scores]
    weights: Weights


@cache
def fitted(tier: Tier) -> Weights:
    """Return the weights that bench/fit_ranker.py found."""
    weights: dict[str, float] = json.loads(_FITTED.read_text(encoding="utf-8"))[tier]
    return Weights(list(weights), np.array(list(weights.values()), np.float32))


def rank(corpus: Corpus, question: Question, query: Scores | None = None, allowed: Mask | None = None) -> Ranking:
    """Rank the `allowed` texts of a corpus by how likely they answer the question; the newer first among equals."""
    if not len(corpus.columns.length):
        return Ranking(np.zeros(0, np.int64), np.zeros(0, np.float32), np.zeros(0, np.bool_), {}, fitted("words"))
    rows, found = features(corpus, question, query, allowed)
    weights = fitted("meaning" if "meaning" in found else "words")
    scores = weights.score(found, len(rows))
    order = np.lexsort((-rows, -scores))
    ordered = {name: values[order] for name, values in found.items()}
    return Ranking(rows[order], scores[order], _matched(ordered), ordered, weights)


def _matched(found: Mapping[str, Scores]) -> Mask:
    """Return which texts have to do with the question at all, by a word of their own or around them, or by meaning."""
    by_words = found["words_around"] > 0
    return by_words | (found["meaning"] > _UNRELATED) if "meaning" in found else by_words


_UNRELATED = 0.25
"""Cosine up to which two texts have nothing to do with each other: nine of ten unrelated pairs are below it."""
