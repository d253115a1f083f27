"""Score all texts by the words of a question, and tell of a few what their words say."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from cairn.language import bm25
from cairn.recall.corpus import Corpus, Mask, Rows, Scores
from cairn.recall.pool import Near, Spread, ranked, standardised, step
from cairn.recall.question import Question

# The idf of a term that one text of 4,500 has, for one that none has: a question with unknown words matches less well.
_UNKNOWN_TERM = 8.0
_MOST_SLIPS = 6
# A text that repeats a whole question is no better an answer than one that shares three pairs with it.
_MOST_PAIRS = 3


@dataclass(frozen=True, slots=True)
class _Hit:
    """A term of the question: how often it stands there, in which rows of texts and how often in each, its idf."""

    count: int
    rows: Rows
    counts: Scores
    idf: float


class Words:
    """Scores all texts by the words of a question."""

    def __init__(self, corpus: Corpus, question: Question) -> None:
        """Look up where the question's terms stand, and score all texts by BM25."""
        self._columns = columns = corpus.columns
        self._question = question
        self._corpus = corpus
        self._size = len(columns.length)
        # Not 0, by which lengths are divided, where there are texts without any term.
        self._mean = max(1e-6, float(columns.length.mean())) if self._size else 1.0
        found = {term: corpus.postings(term) for term in question.counts}
        self.document_frequency = {term: len(postings.rows) for term, postings in found.items()}
        """In how many texts each term of the question stands."""
        # Where many words are unknown the text is no question: the look-ups are not worth their time.
        missing = [term for term, postings in found.items() if not len(postings.rows)]
        if len(missing) <= _MOST_SLIPS:
            found |= {term: corpus.slipped(term) for term in missing}
        self._hits = [
            _Hit(question.counts[term], postings.rows, postings.counts, bm25.idf(self._size, len(postings.rows)))
            for term, postings in found.items()
            if len(postings.rows)
        ]
        unknown = sum(not len(postings.rows) for postings in found.values())
        # The total divides: 1 where the question has no terms.
        self._total = sum(hit.idf for hit in self._hits) + _UNKNOWN_TERM * unknown or 1.0
        self.scores = self._bm25(None, bm25.K1, bm25.B)

    def features(self, near: Near) -> dict[str, Scores]:
        """Return what the words say of the pool."""
        scores, rows = self.scores, near.rows
        # A term gains less than k1 + 1 times its weight: the most that all of the question's could.
        most = np.float32(self._total * (bm25.K1 + 1))
        before, after = near.at(scores, near.before) / most, near.at(scores, near.after) / most
        own = scores[rows] / most
        by_length = self._bm25(rows, bm25.K1_BY_LENGTH, bm25.B_BY_LENGTH)
        found = {
            "words": own,
            "words_of_best": scores[rows] / self._best,
            "words_before": before,
            "words_after": after,
            "words_two_before": near.at(scores, step(near.columns.before, near.before)) / most,
            "words_two_after": near.at(scores, step(near.columns.after, near.after)) / most,
            "words_around": np.maximum.reduce([own, before, after]),
            "words_of_session": near.of_session(self._of_sessions),
            "words_z": standardised(scores, rows, lambda: self._spread) * np.float32(0.125),
            "word_rank": ranked(scores[rows]) * (scores[rows] > 0),
            "words_by_length": by_length / np.float32(self._total * (bm25.K1_BY_LENGTH + 1)),
        }
        return found | self._coverage(near)

    @cached_property
    def _best(self) -> float:
        return max(1e-6, float(self.scores.max(initial=0)))

    @cached_property
    def _spread(self) -> Spread:
        return self.scores.mean(), self.scores.std()

    def known(self, allowed: Mask | None) -> float:
        """Return how much of the question stands anywhere in what is allowed, by rarity."""
        seen = [hit.idf for hit in self._hits if allowed is None or allowed[hit.rows].any()]
        return sum(seen) / self._total

    def _coverage(self, near: Near) -> dict[str, Scores]:
        """Return how much of the question stands in a text, and in it and those around it, by rarity."""
        weights = np.array([hit.idf for hit in self._hits], np.float32)
        if not len(weights):
            return dict.fromkeys(
                ("coverage", "coverage_around", "coverage_before", "rarest"), near.rows * np.float32(0)
            )
        own, before, after = np.split(self._stands(np.concatenate([near.rows, near.before, near.after])), 3)
        total = weights.sum()
        return {
            "coverage": (own * weights).sum(axis=1) / total,
            "coverage_around": ((own | before | after) * weights).sum(axis=1) / total,
            "coverage_before": (before * weights).sum(axis=1) / total,
            "rarest": (own * weights).max(axis=1) / 8,
        }

    def _stands(self, rows: NDArray[np.integer]) -> Mask:
        """Return which terms stand in which of these rows, bool of shape (rows, terms); in row -1 stands none."""
        found = np.zeros((len(rows), len(self._hits)), np.bool_)
        for number, hit in enumerate(self._hits):
            found[:, number], _ = _found_in(hit, rows)
        return found

    def _bm25(self, rows: Rows | None, k1: float, b: float) -> Scores:
        """Return the BM25 score of these rows or of all, times k1 + 1 as it was published: Lucene leaves that out.

        float32 of shape (rows,).
        """
        length = self._columns.length
        scores = np.zeros(self._size if rows is None else len(rows), np.float32)
        # One norm for each length that there is, in float32: texts are many, and lengths few.
        lengths: NDArray[np.int64] = np.arange(1 + int(length.max(initial=0)), dtype=np.int64)
        norms = bm25.norm(lengths, self._mean, k1, b).astype(np.float32)
        for hit in self._hits:
            weight = hit.count * hit.idf * (k1 + 1)
            if rows is None:
                scores[hit.rows] += bm25.gain(weight, hit.counts, norms[length[hit.rows]])
            else:
                here, at = _found_in(hit, rows)
                scores[here] += bm25.gain(weight, hit.counts[at], norms[length[rows[here]]])
        return scores

    @cached_property
    def _of_sessions(self) -> Scores:
        """Return the BM25 score of each session as one text, as a share of the best: float32 of shape (sessions,)."""
        session, sessions = self._columns.session, self._columns.sessions
        lengths = self._columns.session_length
        mean = max(1e-6, float(lengths.mean()) if sessions else 0.0)
        norms = bm25.norm(lengths, mean, bm25.K1_BY_LENGTH, bm25.B_BY_LENGTH)
        scores = np.zeros(sessions, np.float64)
        for hit in self._hits:
            # The texts of a session added up, term by term: no second index is needed.
            all_counts = np.bincount(session[hit.rows], hit.counts, sessions)
            having = np.flatnonzero(all_counts > 0)
            weight = hit.count * bm25.idf(sessions, len(having))
            scores[having] += bm25.gain(weight, all_counts[having], norms[having])
        return (scores / max(1e-6, float(scores.max(initial=0)))).astype(np.float32)

    def pairs(self, rows: Rows) -> Scores:
        """Return how many pairs of terms a text shares with the question, at most 3, as a share of that."""
        wanted = np.array(self._question.pairs, np.uint32)
        places = np.flatnonzero(self.scores[rows] > 0) if len(wanted) else np.zeros(0, np.int64)
        hashes, counts = self._corpus.pairs(rows[places])
        # The hashes of all places lie end to end: each is marked with its place, and hits are counted by place.
        shared = np.bincount(np.repeat(places, counts), np.isin(hashes, wanted), len(rows))
        return (np.minimum(shared, _MOST_PAIRS) / _MOST_PAIRS).astype(np.float32)


def _found_in(hit: _Hit, rows: NDArray[np.integer]) -> tuple[Mask, Rows]:
    """Return in which of these rows a term stands, bool of shape (rows,), and at which of its places."""
    # Behind the last of the rows is none: compared with the last it differs, being larger.
    places = np.minimum(np.searchsorted(hit.rows, rows), len(hit.rows) - 1)
    here = hit.rows[places] == rows
    return here, places[here]
