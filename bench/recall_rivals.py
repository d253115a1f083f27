"""What anybody would build first, measured beside Cairn's recall: plain BM25, and plain vectors."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import log

import numpy as np

from cairn.ground.ports import Embedder
from recall_sets import Text

_WORD = re.compile(r"\w+")
_SATURATION, _LENGTH = 1.2, 0.75

Rival = Callable[[str], list[str]]
"""Ranks the ids of texts by a question."""


def bm25(texts: Sequence[Text]) -> Rival:
    """Rank by BM25 over lower-case words as they stand, with the parameters that most use."""
    scored = bm25_scores(texts)
    return lambda question: [name for name, _ in scored(question)]


def bm25_scores(texts: Sequence[Text]) -> Callable[[str], list[tuple[str, float]]]:
    """Return what gives the ids of texts that share a word with a question, each with its score, the best first."""
    counts = [Counter(_words(text.said)) for text in texts]
    lengths = [counted.total() for counted in counts]
    mean = sum(lengths) / len(lengths)
    postings: defaultdict[str, dict[int, int]] = defaultdict(dict)
    for number, counted in enumerate(counts):
        for word, count in counted.items():
            postings[word][number] = count

    def ranked(question: str) -> list[tuple[str, float]]:
        scores = [0.0] * len(texts)
        for word in _words(question):
            found = postings.get(word, {})
            worth = log(1 + (len(texts) - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found.items():
                norm = _SATURATION * (1 - _LENGTH + _LENGTH * lengths[number] / mean)
                scores[number] += worth * count * (_SATURATION + 1) / (count + norm)
        order = sorted(range(len(texts)), key=lambda number: -scores[number])
        return [(texts[number].id, scores[number]) for number in order if scores[number] > 0]

    return ranked


def best_bm25(texts: Sequence[Text]) -> Callable[[str], float]:
    """Return what gives the best score that any text has for a question, 0 where none shares a word with it."""
    scored = bm25_scores(texts)
    return lambda question: next((score for _, score in scored(question)), 0.0)


def dense(texts: Sequence[Text], embedder: Embedder) -> Rival:
    """Rank by the cosine of the question's vector with each text's, both as they are put."""
    vectors = np.stack([embedder.embed(text.said) for text in texts])

    def ranked(question: str) -> list[str]:
        order = np.argsort(-(vectors @ embedder.embed(question)), kind="stable")
        return [texts[int(number)].id for number in order]

    return ranked


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
