"""Lexical search: BM25 over one index or several at once, as if they were one."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from heapq import nsmallest
from math import log
from typing import Generic, Protocol, TypeVar

_K1 = 0.9
_B = 0.4

Doc = TypeVar("Doc", bound=Hashable)


class Index(Protocol[Doc]):
    """An inverted index: which documents have a term, how often, and how long they are."""

    def __len__(self) -> int:
        """Return how many documents there are."""
        ...

    @property
    def total_length(self) -> int:
        """Return how many terms all documents have together, repeats included."""
        ...

    def matches(self, term: str) -> Collection[tuple[Doc, int]]:
        """Return the documents that have the term, each with how often."""
        ...

    def length(self, doc: Doc) -> int:
        """Return how many terms a document has, repeats included."""
        ...

    def age(self, doc: Doc) -> int:
        """Return a number that is greater the later a document was added."""
        ...


class Corpus(Generic[Doc]):
    """An index in memory, kept up to date as documents come and go."""

    def __init__(self) -> None:
        """Start empty."""
        self._postings: defaultdict[str, dict[Doc, int]] = defaultdict(dict)
        self._documents: dict[Doc, tuple[int, int, frozenset[str]]] = {}
        self._total_length = 0
        self._added = 0

    def __len__(self) -> int:
        """Return how many documents there are."""
        return len(self._documents)

    @property
    def total_length(self) -> int:
        """Return how many terms all documents have together, repeats included."""
        return self._total_length

    def matches(self, term: str) -> Collection[tuple[Doc, int]]:
        """Return the documents that have the term, each with how often."""
        return self._postings[term].items() if term in self._postings else ()

    def length(self, doc: Doc) -> int:
        """Return how many terms a document has, repeats included."""
        return self._documents[doc][0]

    def age(self, doc: Doc) -> int:
        """Return a number that is greater the later a document was added."""
        return self._documents[doc][1]

    def postings(self) -> Iterator[tuple[str, Sequence[Doc], Sequence[int]]]:
        """Yield each term, in their order, with the documents that have it and how often."""
        for term, counts in sorted(self._postings.items()):
            yield term, list(counts), list(counts.values())

    def add(self, doc_id: Doc, terms: Sequence[str]) -> None:
        """Index a document under its terms; one of the same id is replaced and counts as new."""
        self.remove(doc_id)
        counts = Counter(terms)
        for term, count in counts.items():
            self._postings[term][doc_id] = count
        self._documents[doc_id] = (len(terms), self._added, frozenset(counts))
        self._total_length += len(terms)
        self._added += 1

    def remove(self, doc_id: Doc) -> None:
        """Forget a document; an unknown id is fine."""
        length, _, distinct = self._documents.pop(doc_id, (0, 0, frozenset[str]()))
        self._total_length -= length
        for term in distinct:
            del self._postings[term][doc_id]
            if not self._postings[term]:
                del self._postings[term]


def search(
    indexes: Sequence[Index[Doc]],
    terms: Sequence[str],
    *,
    limit: int,
    allowed: Callable[[int, Doc], bool] | None = None,
) -> list[tuple[int, Doc, float]]:
    """Return up to `limit` (number of the index, document, score), best first, the newer first among equals.

    Later indexes hold newer documents. Only documents with at least one of the terms count, and of those only the
    allowed ones. Scores are BM25 over all indexes together (Robertson and Zaragoza 2009, idf as Lucene has it;
    k1 = 0.9, b = 0.4), so that they do not depend on how documents are spread over indexes.
    """
    documents = sum(len(index) for index in indexes)
    mean_length = sum(index.total_length for index in indexes) / documents if documents else 0.0
    scores: list[defaultdict[Doc, float]] = [defaultdict(float) for _ in indexes]
    for term in dict.fromkeys(terms):
        matches = [index.matches(term) for index in indexes]
        frequency = sum(map(len, matches))
        weight = log(1 + (documents - frequency + 0.5) / (frequency + 0.5))
        for index, found, score in zip(indexes, matches, scores, strict=True):
            for doc, count in found:
                saturation = _K1 * (1 - _B + _B * index.length(doc) / mean_length)
                score[doc] += weight * count / (count + saturation)
    hits = [
        (number, doc, value)
        for number, score in enumerate(scores)
        for doc, value in score.items()
        if allowed is None or allowed(number, doc)
    ]
    return nsmallest(limit, hits, key=lambda hit: (-hit[2], -hit[0], -indexes[hit[0]].age(hit[1])))
