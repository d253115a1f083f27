"""BM25, the formula that scores texts by their words, and an in-memory index that is searched with it.

Robertson and Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond", 2009; idf as Lucene has it, with 1
added inside the logarithm, so that a term of most documents counts little and never against them. A score is the sum
of gain() over the terms of a question. The formula takes numbers and NumPy arrays alike and imports no NumPy itself.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from heapq import nsmallest
from math import log
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from numpy.typing import NDArray

Number = TypeVar("Number", float, "NDArray[Any]")
"""A count, or an array of counts of shape (documents,), which the formula goes over element by element."""

K1, B = 0.9, 0.4
"""How slowly repeats of a term cease to count, and how much length counts: for short texts, as Anserini's defaults."""
K1_BY_LENGTH, B_BY_LENGTH = 1.2, 0.75
"""The same where repeats and length are to count more, as of whole sessions: Lucene's defaults."""


def idf(documents: int, having: int) -> float:
    """Return what a term is worth that so many of the documents have."""
    return log(1 + (documents - having + 0.5) / (having + 0.5))


def norm(length: Number, mean: float, k1: float, b: float) -> Number:
    """Return how often a term stands in a document of this length, both in terms, for half of what it can gain."""
    return k1 * (1 - b + b * length / mean)


def gain(weight: float, count: Number, norms: Number) -> Number:
    """Return what a term of this weight that stands `count` times adds to a document's score, less than the weight."""
    return weight * count / (count + norms)


class Index:
    """Indexes documents by their terms, numbered from 0 in the order in which they are added."""

    def __init__(self) -> None:
        """Start empty."""
        self._postings: dict[str, list[tuple[int, int]]] = {}
        self._lengths: list[int] = []

    def add(self, terms: Sequence[str]) -> None:
        """Add a document under its terms."""
        for term, count in Counter(terms).items():
            self._postings.setdefault(term, []).append((len(self._lengths), count))
        self._lengths.append(len(terms))

    def search(self, terms: Sequence[str], limit: int) -> list[tuple[int, float]]:
        """Return up to `limit` documents with their scores, best first, the newer first among equals.

        Only documents with at least one of the terms count.
        """
        documents = len(self._lengths)
        mean = sum(self._lengths) / max(1, documents)
        scores: defaultdict[int, float] = defaultdict(float)
        for term in dict.fromkeys(terms):
            found = self._postings.get(term, ())
            weight = idf(documents, len(found))
            for number, count in found:
                scores[number] += gain(weight, float(count), norm(float(self._lengths[number]), mean, K1, B))
        return nsmallest(limit, scores.items(), key=lambda hit: (-hit[1], -hit[0]))
