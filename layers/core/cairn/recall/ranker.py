"""The linear model that ranks texts by their features, and can explain its ranking."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import log
from pathlib import Path
from typing import Literal

import numpy as np

from cairn.ground.explanation import Explanation
from cairn.log import pages
from cairn.recall.corpus import Corpus, Mask, QueryVectors, Rows, Scores, best
from cairn.recall.features import WIDE, Features
from cairn.recall.filter import SearchMode
from cairn.recall.question import Question

Tier = Literal["words", "meaning", "tokens"]
_FITTED = Path(__file__).with_name("weights.json")
FINALISTS = 64
"""How many texts of each kind of a long log are weighed by all that is known of them."""

SIGNALS: Mapping[str, Sequence[str]] = {
    "words": (
        *("words", "words_of_best", "words_z", "word_rank", "words_by_length"),
        *("pairs", "coverage", "rarest"),
    ),
    "meaning": ("meaning", "meaning_z", "meaning_rank", "agree", "tokens"),
    "what was said around it": (
        *("words_before", "words_after", "words_two_before", "words_two_after", "words_around", "coverage_around"),
        *(
            "coverage_before",
            "asked_before",
            "meaning_before",
            "meaning_after",
            "meaning_around",
            "meaning_with_before",
            "tokens_with_before",
        ),
    ),
    "its session": ("words_of_session", "meaning_of_session", "meaning_of_session_mean"),
    "who said it": (
        *("by_the_asked", "by_another", "asked_of_two", "calls_by_name", "says_i"),
        "by_assistant",
    ),
    "time": ("date", "time_for_when"),
    "form": ("asks", "short", "number_for_how_many"),
}
"""The features by what they look at."""


@dataclass(frozen=True, slots=True)
class Weights:
    """A weight for each feature; a text's score is the sum of its features, each times its weight.

    `values` are float32 of shape (features,), in the order of `names`.
    """

    names: Sequence[str]
    values: Scores

    def __iter__(self) -> Iterator[tuple[str, np.float32]]:
        """Yield each feature's name and weight."""
        return zip(self.names, self.values, strict=True)

    def score(self, found: Mapping[str, Scores], count: int) -> Scores:
        """Return the score of each of `count` texts: float32 of shape (count,), as is each feature."""
        return (
            np.stack([found[name] for name in self.names], axis=1) @ self.values if count else np.zeros(0, np.float32)
        )


@dataclass(frozen=True, slots=True)
class Ranking:
    """The texts that may answer a question, the best first, whether they match it or not.

    What is `related` has to do with the question by a word or by meaning. `rows` are int64, `scores` float32, `related`
    and `matched` bool, each feature float32, all of shape (found,).
    """

    rows: Rows
    scores: Scores
    related: Mask
    matched: Mask
    features: Mapping[str, Scores]
    weights: Weights
    document_frequency: Mapping[str, int] = field(default_factory=dict[str, int])
    """In how many texts each term of the question stands."""

    def with_the_nearly_best(self, of: Mask) -> Ranking:
        """Return it so that `of` these rows what is at least a hundredth as likely as the best matches too.

        `of` is bool of shape (rows,) of the corpus.
        """
        is_near = self.scores >= self.scores.max(initial=-np.inf) - _NEARLY
        return replace(self, matched=self.related | (is_near & of[self.rows]))

    def shares(self) -> Scores:
        """Return how likely each that matches is the answer, as the model was fitted: softmax of their scores.

        float32 of shape (found,), 0 for what does not match.
        """
        if not self.matched.any():
            return np.zeros(len(self.scores), np.float32)
        # The best becomes 1: no score is too large for exp, and shares stay the same.
        worth = np.exp(self.scores - self.scores[self.matched].max()) * self.matched
        return (worth / worth.sum()).astype(np.float32)

    def explanation(self, place: int) -> Explanation:
        """Return why a text stands where it does; ranks are those among all that match."""
        added = {name: self.features[name] * weight for name, weight in self.weights}
        signals = {signal: sum(added.get(name, 0.0) for name in names) for signal, names in SIGNALS.items()}
        present = {signal: np.broadcast_to(each, self.scores.shape) for signal, each in signals.items()}
        # A linear model without a signal is the score without its terms: nothing is ranked twice.
        without = {signal: self.scores - each for signal, each in present.items()}
        features = {name: float(each[place]) for name, each in added.items()}
        return Explanation(
            rank=1 + int(self.matched[:place].sum()),
            signals={signal: float(each[place]) for signal, each in present.items()},
            rank_without={
                signal: 1 + int((self.matched & (each > each[place])).sum()) for signal, each in without.items()
            },
            features=dict(sorted(features.items(), key=lambda each: -abs(each[1]))),
        )


@cache
def fitted(name: Tier) -> Weights:
    """Return the weights that bench/fit_ranker.py found."""
    weights: dict[str, float] = json.loads(_FITTED.read_text(encoding="utf-8"))[name]
    return Weights(list(weights), np.array(list(weights.values()), np.float32))


def rank(
    corpus: Corpus,
    question: Question,
    query_vectors: QueryVectors | None = None,
    allowed: Mask | None = None,
    mode: SearchMode = "hybrid",
) -> Ranking:
    """Rank the `allowed` texts of a corpus by how likely they answer the question; the newer first among equals.

    What is related matches.
    """
    features = Features(corpus, question, query_vectors, allowed)
    if len(corpus.columns.length) < pages.LONG:
        rows = features.pool()
    else:
        rough = features.roughly(wide := features.pool(WIDE))
        rows = _finalists(corpus, wide, _weights(rough, mode).score(rough, len(wide)))
    found = features.of(rows)
    weights = _weights(found, mode)
    scores = weights.score(found, len(rows))
    # The last key counts first: the score, then the newer row.
    order = np.lexsort((-rows, -scores))
    ordered = {name: values[order] for name, values in found.items()}
    related = _related(ordered, mode)
    return Ranking(rows[order], scores[order], related, related, ordered, weights, features.document_frequency)


def _finalists(corpus: Corpus, rows: Rows, scores: Scores) -> Rows:
    """Return the best of each kind of these rows, ascending, with what is kept of them at hand."""
    of_kinds = [np.flatnonzero((rows >= kind.start) & (rows < kind.stop)) for kind in corpus.kinds]
    chosen = np.sort(np.concatenate([rows[each[best(scores[each], FINALISTS)]] for each in of_kinds]))
    columns = corpus.columns
    around = np.unique(np.concatenate([chosen, columns.before[chosen], columns.after[chosen]], dtype=np.int64))
    corpus.fetch(around[around >= 0])
    return chosen


def _weights(found: Mapping[str, Scores], mode: SearchMode) -> Weights:
    return _MEANING if mode == "semantic" and "meaning" in found else fitted(tier(found))


def tier(found: Mapping[str, Scores]) -> Tier:
    """Return by how much there is to go by."""
    return "tokens" if "tokens" in found else "meaning" if "meaning" in found else "words"


def _related(found: Mapping[str, Scores], mode: SearchMode) -> Mask:
    """Return which texts have to do with the question at all, by a word of their own or around them, or by meaning."""
    # An answer may hold no word of the question where the text beside it does.
    by_words = found["words_around"] > 0
    if "meaning" not in found:
        return by_words
    by_meaning = found["meaning"] > _UNRELATED
    return by_meaning if mode == "semantic" else by_words | by_meaning


_UNRELATED = 0.25
"""Cosine up to which two texts have nothing to do with each other: nine of ten unrelated pairs are below it."""
_NEARLY = log(100)
"""How far below the best score a text is a hundredth as likely as the best."""
_MEANING = Weights(["meaning"], np.array([20.0], np.float32))
"""Softmax of cosines needs a temperature; 0.05 is usual."""
_NONE = np.zeros(0, np.bool_)
NOTHING = Ranking(
    np.zeros(0, np.int64), np.zeros(0, np.float32), _NONE, _NONE, {}, Weights([], np.zeros(0, np.float32))
)
"""What is found where there is nothing to find."""
