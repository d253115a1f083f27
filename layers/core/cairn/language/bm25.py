"""Lexical search: BM25 over an index in memory."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from heapq import nsmallest
from math import log

_K1 = 0.9
_B = 0.4


class Index:
    """Documents under their terms, numbered from 0 in the order in which they are added."""

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

        Only documents with at least one of the terms count. Scores are BM25 (Robertson and Zaragoza 2009, idf as
        Lucene has it; k1 = 0.9, b = 0.4).
        """
        documents, total_length = len(self._lengths), sum(self._lengths)
        scores: defaultdict[int, float] = defaultdict(float)
        for term in dict.fromkeys(terms):
            found = self._postings.get(term, ())
            weight = log(1 + (documents - len(found) + 0.5) / (len(found) + 0.5))
            for number, count in found:
                saturation = _K1 * (1 - _B + _B * self._lengths[number] * documents / total_length)
                scores[number] += weight * count / (count + saturation)
        return nsmallest(limit, scores.items(), key=lambda hit: (-hit[1], -hit[0]))
