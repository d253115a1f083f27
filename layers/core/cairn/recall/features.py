"""Compute how a question and a text are related, as numbers that a linear model weighs.

Words count by BM25 (language.bm25), meaning by the cosine of embeddings; either also of the texts around it and of its
whole session, since an answer rarely repeats what was asked.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

import numpy as np
from numpy.typing import NDArray

from cairn.language import bm25
from cairn.language.traits import Trait
from cairn.recall.corpus import Columns, Corpus, Mask, QueryVectors, Rows, Scores, best, picked, token_nearness
from cairn.recall.meaning import Meaning, meaning
from cairn.recall.question import Question
from cairn.recall.token_vectors import Tokens

POOL = 150
"""How many texts are weighed for their words, and as many for their meaning, each with its neighbours."""
# The idf of a term that one text of 4,500 has, for one that none has: a question with unknown words matches less well.
_UNKNOWN_TERM = 8.0
_MOST_SLIPS = 6
# A text that repeats a whole question is no better an answer than one that shares three pairs with it.
_MOST_PAIRS = 3
OF_QUESTION = ("known", "asks_when", "names_one")
"""What is the same for all texts: the ranker cannot weigh it, but it tells how likely any of them answers."""
# Ten better ones halve it: ranks tell most among the first ten.
_HEAD = 10.0


@dataclass(frozen=True, slots=True)
class _Hit:
    """A term of the question: how often it stands there, in which rows of texts and how often in each, its idf."""

    count: int
    rows: Rows
    counts: Scores
    idf: float


def features(
    corpus: Corpus, question: Question, query_vectors: QueryVectors | None, allowed: Mask | None
) -> tuple[Rows, dict[str, Scores]]:
    """Return the rows that may answer the question, and each feature of theirs by name.

    Without what is meant it goes by words alone; of the `allowed` rows only, None for all. Rows are int64 of shape
    (found,), ascending; each feature is float32 of the same shape, as everything here that is made of a pool.
    """
    columns = corpus.columns
    words = _Words(corpus, question)
    means = None if query_vectors is None else meaning(corpus, query_vectors, allowed)
    # Scores of all texts are cheap. The other features are made for the pool alone.
    rows = _pool(corpus, [words.scores, *([] if means is None else [means.scores])], allowed)
    near = _Near(columns, rows)
    found = words.features(near) | _people(columns, rows, question, corpus) | _form(near, question)
    found |= {
        "known": np.full(len(rows), words.known(allowed), np.float32),
        "asks_when": np.full(len(rows), question.asks_when, np.float32),
        "names_one": np.full(len(rows), bool(question.names) and len(question.speakers) == 1, np.float32),
    }
    found["date"] = _dates(columns, rows, question)
    if query_vectors is not None and means is not None:
        found |= _meaning(corpus, near, means, query_vectors)
        found["agree"] = found["word_rank"] * found["meaning_rank"]
        if query_vectors.tokens is not None:
            found |= _tokens(corpus, near, query_vectors, query_vectors.tokens)
    return rows, found


class _Near:
    """The pool, and the rows before and after each of its rows."""

    def __init__(self, columns: Columns, rows: Rows) -> None:
        self.columns = columns
        self.rows = rows
        self.before = columns.before[rows]
        self.after = columns.after[rows]

    def at(self, values: Scores, neighbours: NDArray[np.int32]) -> Scores:
        """Return the values, float32 of shape (rows,), of these neighbours, int32 of shape (pool,); 0 for row -1."""
        # Row -1 is the last one to numpy: what it yields there is thrown away.
        return np.where(neighbours >= 0, values[neighbours], np.float32(0))

    def of_session(self, values: Scores) -> Scores:
        """Return the value of each row's session; `values` are of shape (sessions,)."""
        return values[self.columns.session[self.rows]]


class _Words:
    """Scores all texts by the words of a question."""

    def __init__(self, corpus: Corpus, question: Question) -> None:
        self._columns = columns = corpus.columns
        self._question = question
        self._corpus = corpus
        self._size = len(columns.length)
        # Not 0, by which lengths are divided, where there are texts without any term.
        self._mean = max(1e-6, float(columns.length.mean())) if self._size else 1.0
        found = {term: corpus.postings(term) for term in question.counts}
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

    def features(self, near: _Near) -> dict[str, Scores]:
        """Return what the words say of the pool."""
        scores, rows = self.scores, near.rows
        # A term gains less than k1 + 1 times its weight: the most that all of the question's could.
        most = np.float32(self._total * (bm25.K1 + 1))
        before, after = near.at(scores, near.before) / most, near.at(scores, near.after) / most
        own = scores[rows] / most
        by_length = self._bm25(rows, bm25.K1_BY_LENGTH, bm25.B_BY_LENGTH)
        found = {
            "words": own,
            "words_of_best": scores[rows] / max(1e-6, float(scores.max(initial=0))),
            "words_before": before,
            "words_after": after,
            "words_two_before": near.at(scores, _step(near.columns.before, near.before)) / most,
            "words_two_after": near.at(scores, _step(near.columns.after, near.after)) / most,
            "words_around": np.maximum.reduce([own, before, after]),
            "words_of_session": near.of_session(self._sessions()),
            "words_z": _standardised(scores, rows, scores.std) * np.float32(0.125),
            "word_rank": _ranked(scores[rows]) * (scores[rows] > 0),
            "words_by_length": by_length / np.float32(self._total * (bm25.K1_BY_LENGTH + 1)),
            "pairs": self._pairs(rows),
        }
        return found | self._coverage(near)

    def known(self, allowed: Mask | None) -> float:
        """Return how much of the question stands anywhere in what is allowed, by rarity."""
        seen = [hit.idf for hit in self._hits if allowed is None or allowed[hit.rows].any()]
        return sum(seen) / self._total

    def _coverage(self, near: _Near) -> dict[str, Scores]:
        """Return how much of the question stands in a text, and in it and those around it, by rarity."""
        weights = np.array([hit.idf for hit in self._hits], np.float32)
        if not len(weights):
            return dict.fromkeys(
                ("coverage", "coverage_around", "coverage_before", "rarest"), near.rows * np.float32(0)
            )
        own, before, after = (self._stands(rows) for rows in (near.rows, near.before, near.after))
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

    def _sessions(self) -> Scores:
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

    def _pairs(self, rows: Rows) -> Scores:
        """Return how many pairs of terms a text shares with the question, at most 3, as a share of that."""
        wanted = np.array(self._question.pairs, np.uint32)
        places = np.flatnonzero(self.scores[rows] > 0) if len(wanted) else np.zeros(0, np.int64)
        hashes, counts = self._corpus.pairs(rows[places])
        # The hashes of all places lie end to end: each is marked with its place, and hits are counted by place.
        shared = np.bincount(np.repeat(places, counts), np.isin(hashes, wanted), len(rows))
        return (np.minimum(shared, _MOST_PAIRS) / _MOST_PAIRS).astype(np.float32)


def _meaning(corpus: Corpus, near: _Near, means: Meaning, query_vectors: QueryVectors) -> dict[str, Scores]:
    rows, columns = near.rows, near.columns
    means.settle(np.concatenate([rows, near.before, near.after]))
    meaning = means.scores
    own, before, after = meaning[rows], near.at(meaning, near.before), near.at(meaning, near.after)
    nearest, mean = _of_sessions(columns, rows, meaning)
    together = _with_before(corpus, near, query_vectors, own, before)
    return {
        "meaning": own,
        "meaning_before": before,
        "meaning_after": after,
        "meaning_around": np.maximum.reduce([own, before, after]),
        "meaning_with_before": together,
        "meaning_of_session": near.of_session(nearest),
        "meaning_of_session_mean": near.of_session(mean),
        "meaning_z": _standardised(meaning, rows, means.deviation) * np.float32(0.25),
        "meaning_rank": _ranked(own),
    }


def _of_sessions(columns: Columns, rows: Rows, meaning: Scores) -> tuple[Scores, Scores]:
    """Return the greatest cosine in each session and their mean, of shape (sessions,), where it has any of the rows."""
    is_meant = np.zeros(columns.sessions, np.bool_)
    is_meant[columns.session[rows]] = True
    # Of a long log few sessions are in the pool.
    of_them = np.flatnonzero(is_meant[columns.session])
    session, told = columns.session[of_them], meaning[of_them]
    nearest = np.full(columns.sessions, -1, np.float32)
    # Unlike nearest[session] = ..., which would keep the last of several in a session.
    np.maximum.at(nearest, session, told)
    sums = np.bincount(session, told, columns.sessions)
    return nearest, (sums / np.maximum(1, np.bincount(session, minlength=columns.sessions))).astype(np.float32)


def _with_before(corpus: Corpus, near: _Near, query_vectors: QueryVectors, own: Scores, before: Scores) -> Scores:
    """Return the question's cosine with a text and the one before it taken together: the sum of their vectors."""
    vectors = picked(corpus, np.concatenate([near.rows, np.maximum(near.before, 0)]), query_vectors)
    mine, earlier = np.split(vectors, 2)
    together = np.einsum("ij,ij->i", mine, earlier)
    # The length of a sum of unit vectors: |a + b|² = 2 + 2 a·b. Rounded vectors may say a little less than 0.
    length = np.sqrt(np.maximum(1e-6, 2 + 2 * together))
    return np.where(near.before >= 0, (own + before) / length, own).astype(np.float32)


def _tokens(corpus: Corpus, near: _Near, query_vectors: QueryVectors, asked: Tokens) -> dict[str, Scores]:
    """Return how near the tokens of a text come to those of the question, and those of it and the one before it."""
    rows = np.unique(np.concatenate([near.rows, near.before[near.before >= 0].astype(np.int64)]))
    nearest = token_nearness(corpus, rows, query_vectors, asked)
    own = nearest[:, np.searchsorted(rows, near.rows)]
    # A row without one before it finds place 0, and is left out by the next line.
    before = nearest[:, np.minimum(np.searchsorted(rows, near.before), len(rows) - 1)]
    with_before = np.where(near.before >= 0, np.maximum(own, before), own)
    return {"tokens": own.mean(axis=0), "tokens_with_before": with_before.mean(axis=0)}


def _people(columns: Columns, rows: Rows, question: Question, corpus: Corpus) -> dict[str, Scores]:
    """Return whether a text is by whom the question is about, and whether it calls someone by name."""
    asked = len(question.speakers)
    by_them = np.isin(columns.speaker[rows], list(question.speakers)) if asked else np.zeros(len(rows), np.bool_)
    called = np.zeros(len(rows), np.bool_)
    for term, speaker in question.names.items():
        by_others = (columns.speaker[rows] >= 0) & (columns.speaker[rows] != speaker)
        called |= np.isin(rows, corpus.postings(term).rows) & by_others
    return {
        "by_the_asked": by_them.astype(np.float32) * (asked == 1),
        "by_another": (~by_them & (columns.speaker[rows] >= 0)).astype(np.float32) * (asked == 1),
        "asked_of_two": np.full(len(rows), asked > 1, np.float32),
        "calls_by_name": called.astype(np.float32),
    }


def _form(near: _Near, question: Question) -> dict[str, Scores]:
    columns, rows = near.columns, near.rows

    def shows(trait: Trait, rows: NDArray[np.integer] = rows) -> Scores:
        return (columns.traits[rows] & trait > 0).astype(np.float32)

    of_assistant = any(columns.speakers[number] == "assistant" for number in question.speakers)
    unasked = shows(Trait.BY_ASSISTANT) * np.float32(question.is_english and not of_assistant)
    return {
        "asks": shows(Trait.ASKS),
        "asked_before": shows(Trait.ASKS, near.before) * (near.before >= 0),
        "says_i": shows(Trait.SAYS_I),
        "short": shows(Trait.IS_SHORT),
        "by_assistant": unasked,
        "time_for_when": shows(Trait.NAMES_A_TIME) * np.float32(question.asks_when),
        "number_for_how_many": shows(Trait.COUNTS) * np.float32(question.asks_how_many),
    }


def _dates(columns: Columns, rows: Rows, question: Question) -> Scores:
    """Return how well the day of a text fits the days that the question speaks of."""
    if not question.spans:
        return np.zeros(len(rows), np.float32)
    # Few days, many rows: spans are asked once a day.
    days, which = np.unique(columns.day[rows], return_inverse=True)
    fits = [max(span.score(date.fromordinal(int(day))) for span in question.spans) for day in days]
    return np.array(fits, np.float32)[which]


def _pool(corpus: Corpus, scores: list[Scores], allowed: Mask | None) -> Rows:
    """Return the rows of each kind that are best by any of the scores, and their neighbours: int64, ascending.

    Scores and mask are of shape (rows,).
    """
    columns = corpus.columns
    held_back = None if allowed is None or allowed.all() else ~allowed
    open_to = [each if held_back is None else np.where(held_back, np.float32(-np.inf), each) for each in scores]
    # The order within the pool does not matter, since features are sorted by score later.
    found = [kind.start + best(each[kind], POOL) for each in open_to for kind in corpus.kinds]
    chosen = np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
    around = np.unique(np.concatenate([chosen, columns.before[chosen], columns.after[chosen]]))
    return around[(around >= 0) & (True if allowed is None else allowed[around])].astype(np.int64)


def _found_in(hit: _Hit, rows: NDArray[np.integer]) -> tuple[Mask, Rows]:
    """Return in which of these rows a term stands, bool of shape (rows,), and at which of its places."""
    # Behind the last of the rows is none: compared with the last it differs, being larger.
    places = np.minimum(np.searchsorted(hit.rows, rows), len(hit.rows) - 1)
    here = hit.rows[places] == rows
    return here, places[here]


def _step(onward: NDArray[np.int32], from_rows: NDArray[np.int32]) -> NDArray[np.int32]:
    return np.where(from_rows >= 0, onward[from_rows], np.int32(-1))


def _standardised(scores: Scores, rows: Rows, deviation: Callable[[], np.floating]) -> Scores:
    """Return how many deviations the scores of these rows are from the mean of all."""
    if not len(rows):
        return np.zeros(0, np.float32)
    return ((scores[rows] - scores.mean()) / (deviation() + 1e-6)).astype(np.float32)


def _ranked(scores: Scores) -> Scores:
    """Return 1 for the best, less and less for those after it, the same for equals."""
    # How many are strictly better: the same for equals, and 0 for the best.
    better = np.searchsorted(np.sort(-scores), -scores)
    return (_HEAD / (_HEAD + better)).astype(np.float32)
