"""Lexical search over one user's texts, kept up to date as they come and go."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from heapq import nsmallest
from math import log

_K1 = 0.9
_B = 0.4


class Corpus:
    """An inverted index with BM25 scores (Robertson and Zaragoza 2009, idf as Lucene has it; k1 = 0.9, b = 0.4)."""

    def __init__(self) -> None:
        """Start empty."""
        self._postings: defaultdict[str, dict[str, int]] = defaultdict(dict)
        self._documents: dict[str, tuple[int, int, frozenset[str]]] = {}
        self._total_length = 0
        self._added = 0

    def __len__(self) -> int:
        """Return how many documents there are."""
        return len(self._documents)

    def add(self, doc_id: str, terms: Sequence[str]) -> None:
        """Index a document under its terms; one of the same id is replaced and counts as new."""
        self.remove(doc_id)
        counts = Counter(terms)
        for term, count in counts.items():
            self._postings[term][doc_id] = count
        self._documents[doc_id] = (len(terms), self._added, frozenset(counts))
        self._total_length += len(terms)
        self._added += 1

    def remove(self, doc_id: str) -> None:
        """Forget a document; an unknown id is fine."""
        length, _, distinct = self._documents.pop(doc_id, (0, 0, frozenset[str]()))
        self._total_length -= length
        for term in distinct:
            del self._postings[term][doc_id]
            if not self._postings[term]:
                del self._postings[term]

    def search(
        self, terms: Sequence[str], *, limit: int, allowed: Callable[[str], bool] | None = None
    ) -> list[tuple[str, float]]:
        """Return up to `limit` (doc_id, score), best first, the newer first among equals.

        Only documents with at least one of the terms count, and of those only the allowed ones.
        """
        scores: defaultdict[str, float] = defaultdict(float)
        mean_length = self._total_length / len(self._documents) if self._documents else 0.0
        for term in dict.fromkeys(terms):
            matches = self._postings.get(term, {})
            weight = log(1 + (len(self._documents) - len(matches) + 0.5) / (len(matches) + 0.5))
            for doc_id, count in matches.items():
                saturation = _K1 * (1 - _B + _B * self._documents[doc_id][0] / mean_length)
                scores[doc_id] += weight * count / (count + saturation)
        found = [(doc_id, score) for doc_id, score in scores.items() if allowed is None or allowed(doc_id)]
        return nsmallest(limit, found, key=lambda hit: (-hit[1], -self._documents[hit[0]][1]))
