"""Compute how a question and a text are related, as numbers that a linear model weighs.

Words count by BM25 (language.bm25), meaning by the cosine of embeddings; either also of the texts around it and of its
whole session, since an answer rarely repeats what was asked.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial

import numpy as np
from numpy.typing import NDArray

from cairn.language.traits import Trait
from cairn.recall.corpus import Columns, Corpus, Mask, QueryVectors, Rows, Scores, best, picked, token_nearness
from cairn.recall.meaning import Meaning, meaning
from cairn.recall.pool import Near, ranked, standardised
from cairn.recall.question import Question
from cairn.recall.token_vectors import Tokens
from cairn.recall.words import Words

POOL = 150
"""How many texts are weighed for their words, and as many for their meaning, each with its neighbours."""
WIDE = 400
"""How many of a long log, where most are weighed roughly."""
OF_QUESTION = ("known", "asks_when", "names_one")
"""What is the same for all texts: the ranker cannot weigh it, but it tells how likely any of them answers."""


class Features:
    """Computes features of a corpus's rows for one question, of the `allowed` rows only, None for all.

    Without what is meant it goes by words alone. Each feature is float32 of the shape of the rows it is asked for, as
    everything here that is made of a pool.
    """

    def __init__(
        self, corpus: Corpus, question: Question, query_vectors: QueryVectors | None, allowed: Mask | None
    ) -> None:
        """Score all texts, which is cheap; other features are made for few."""
        self._corpus = corpus
        self._question = question
        self._allowed = allowed
        self._words = Words(corpus, question)
        self.document_frequency = self._words.document_frequency
        self._query_vectors = query_vectors
        self._means = None if query_vectors is None else meaning(corpus, query_vectors, allowed)
        self._in_sessions: Rows | None = None

    def pool(self, size: int = POOL) -> Rows:
        """Return the rows that may answer the question, `size` by each score: int64 of shape (found,), ascending."""
        scores = [self._words.scores, *([] if self._means is None else [self._means.scores])]
        return _pool(self._corpus, scores, self._allowed, size)

    def roughly(self, rows: Rows) -> dict[str, Scores]:
        """Return each feature of these rows by name, as far as it is told without what may be kept in pages.

        Nothing is known of pairs, and vectors are compared by their sketches.
        """
        near = Near(self._corpus.columns, rows)
        found = self._told(near) | {"pairs": np.zeros(len(rows), np.float32)}
        if self._query_vectors is not None and self._means is not None:
            self._means.refine(near.all)
            found |= self._meant(near, self._means, self._means.alike, found["word_rank"])
        return found

    def of(self, rows: Rows) -> dict[str, Scores]:
        """Return each feature of these rows, int64 of shape (found,), ascending, by name."""
        near, query_vectors = Near(self._corpus.columns, rows), self._query_vectors
        found = self._told(near) | {"pairs": self._words.pairs(rows)}
        if query_vectors is not None and self._means is not None:
            self._means.settle(near.all)
            products = partial(_products, self._corpus, query_vectors)
            found |= self._meant(near, self._means, products, found["word_rank"])
            if query_vectors.tokens is not None:
                found |= _tokens(self._corpus, near, query_vectors, query_vectors.tokens)
        return found

    def _meant(
        self, near: Near, means: Meaning, alike: Callable[[Rows, Rows], Scores], word_rank: Scores
    ) -> dict[str, Scores]:
        found = _meaning(near, means, self._all_of_sessions(near.rows), alike)
        return found | {"agree": word_rank * found["meaning_rank"]}

    def _all_of_sessions(self, rows: Rows) -> Rows:
        """Return all rows of these rows' sessions: of a long log few, and in a second step some of the first's."""
        session = self._corpus.columns.session
        is_meant = np.zeros(self._corpus.columns.sessions, np.bool_)
        is_meant[session[rows]] = True
        within = self._in_sessions
        found = np.flatnonzero(is_meant[session]) if within is None else within[is_meant[session[within]]]
        self._in_sessions = found
        return found

    def _told(self, near: Near) -> dict[str, Scores]:
        corpus, question, rows = self._corpus, self._question, near.rows
        found = self._words.features(near) | _people(corpus.columns, rows, question, corpus) | _form(near, question)
        return found | {
            "known": np.full(len(rows), self._words.known(self._allowed), np.float32),
            "asks_when": np.full(len(rows), question.asks_when, np.float32),
            "names_one": np.full(len(rows), bool(question.names) and len(question.speakers) == 1, np.float32),
            "date": _dates(corpus.columns, rows, question),
        }


def _meaning(near: Near, means: Meaning, in_sessions: Rows, alike: Callable[[Rows, Rows], Scores]) -> dict[str, Scores]:
    """Return what vectors say of the pool; `in_sessions` are all rows of its sessions.

    `alike` returns the cosine of each of some rows with another.
    """
    rows, columns, meaning = near.rows, near.columns, means.scores
    own, before, after = meaning[rows], near.at(meaning, near.before), near.at(meaning, near.after)
    nearest, mean = _of_sessions(columns, in_sessions, meaning)
    together = _with_before(near, alike, own, before)
    return {
        "meaning": own,
        "meaning_before": before,
        "meaning_after": after,
        "meaning_around": np.maximum.reduce([own, before, after]),
        "meaning_with_before": together,
        "meaning_of_session": near.of_session(nearest),
        "meaning_of_session_mean": near.of_session(mean),
        "meaning_z": standardised(meaning, rows, lambda: means.spread) * np.float32(0.25),
        "meaning_rank": ranked(own),
    }


def _of_sessions(columns: Columns, rows: Rows, meaning: Scores) -> tuple[Scores, Scores]:
    """Return the greatest cosine in each session and their mean, of shape (sessions,); `rows` are all of theirs."""
    session, told = columns.session[rows], meaning[rows]
    nearest = np.full(columns.sessions, -1, np.float32)
    # Unlike nearest[session] = ..., which would keep the last of several in a session.
    np.maximum.at(nearest, session, told)
    sums = np.bincount(session, told, columns.sessions)
    return nearest, (sums / np.maximum(1, np.bincount(session, minlength=columns.sessions))).astype(np.float32)


def _products(corpus: Corpus, query_vectors: QueryVectors, rows: Rows, others: Rows) -> Scores:
    """Return the product of each of these rows' vectors with another's: float32 of shape (rows,)."""
    mine, theirs = np.split(picked(corpus, np.concatenate([rows, others]), query_vectors), 2)
    return np.einsum("ij,ij->i", mine, theirs)


def _with_before(near: Near, alike: Callable[[Rows, Rows], Scores], own: Scores, before: Scores) -> Scores:
    """Return the question's cosine with a text and the one before it taken together: the sum of their vectors."""
    together = alike(near.rows, np.maximum(near.before, 0))
    # The length of a sum of unit vectors: |a + b|² = 2 + 2 a·b. Rounded vectors may say a little less than 0.
    length = np.sqrt(np.maximum(1e-6, 2 + 2 * together))
    return np.where(near.before >= 0, (own + before) / length, own).astype(np.float32)


def _tokens(corpus: Corpus, near: Near, query_vectors: QueryVectors, asked: Tokens) -> dict[str, Scores]:
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


def _form(near: Near, question: Question) -> dict[str, Scores]:
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


def _pool(corpus: Corpus, scores: list[Scores], allowed: Mask | None, size: int) -> Rows:
    """Return the rows of each kind that are best by any of the scores, and their neighbours: int64, ascending.

    Scores and mask are of shape (rows,).
    """
    columns = corpus.columns
    held_back = None if allowed is None or allowed.all() else ~allowed
    open_to = [each if held_back is None else np.where(held_back, np.float32(-np.inf), each) for each in scores]
    # The order within the pool does not matter, since features are sorted by score later.
    found = [kind.start + best(each[kind], size) for each in open_to for kind in corpus.kinds]
    chosen = np.unique(np.concatenate(found)) if found else np.zeros(0, np.int64)
    around = np.unique(np.concatenate([chosen, columns.before[chosen], columns.after[chosen]]))
    return around[(around >= 0) & (True if allowed is None else allowed[around])].astype(np.int64)
