"""Fit what a context is chosen by, on Cairn's own conversations, and write layers/core/cairn/context/fitted.json.

First the chance that a text is evidence, from the log of its share in the softmax of all scores, the log of its rank
and the entropy of the shares: a logistic regression for each tier of the ranker. Then the price of a token: how many
tokens contexts take on the mean at each of some prices. Run it after bench/fit_ranker.py, whose scores it reads.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from cairn.context import chances
from cairn.context.chances import Fit
from cairn.context.offering import DEEP
from cairn.conversation import token_count as tokens
from cairn.recall.filter import SearchMode
from cairn.recall.ranker import Tier, fitted
from cairn.turns import before_turn
from cairn.turns.model import PreparedTurn
from fit_ranker import TIERS, provenance
from recall_engine import MODEL, CachingEmbedder, StoredConversation, stored
from recall_sets import FITTED_ON, Conversation, read
from report import Table

FITTED = Path(__file__).parents[1] / "layers/core/cairn/context/fitted.json"
PRICES = (1e-2, 2e-3, 4e-4, 1.6e-4, 8e-5, 6e-5, 4e-5, 1e-5)
_STEPS, _ENOUGH, _RIDGE = 50, 1e-9, 1e-3
_DIGITS = 4
_STATED = 2.0
"""Log-odds that a text gains by holding a statement which still stands. A logistic regression on the questions of the
development stories of bench/truth gave 1.6 beside a slope of a half; these conversations hold no statements."""

Numbers = NDArray[np.float64]
Judged = Sequence[tuple[float, bool]]
"""The scores of a question's texts, the best first, and whether each is evidence."""


def main() -> None:
    """Fit, print how well chances hold, and write both."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--dry", action="store_true", help="print only, write nothing")
    given = options.parse_args()
    conversations = read(FITTED_ON)
    with stored(conversations, CachingEmbedder(MODEL)) as engines:
        found: dict[str, object] = {"fitted_on": provenance()["conversations"], "chances": {}}
        kept: dict[str, object] = {}
        for tier, (mode, _) in TIERS.items():
            judged = [each for one in conversations for each in judgements(engines[one.name], one, tier, mode)]
            fit = fit_chances(judged)
            kept[tier] = {name: round(value, _DIGITS) for name, value in fit._asdict().items()}
            print(held(tier, judged, fit).text())
        prices = list(_prices(engines, conversations, Fit(**kept["tokens"])))  # pyright: ignore[reportCallIssue, reportArgumentType]
        found |= {"chances": kept, "stated": _STATED, "prices": prices}
    if not given.dry:
        FITTED.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def judgements(
    engine: StoredConversation, conversation: Conversation, tier: Tier, mode: SearchMode
) -> Iterator[Judged]:
    """Yield the scores of every question's texts, as this tier gives them."""
    for question in conversation.questions:
        with engine.answering(question, mode) as answer:
            features, weights = answer.ranking.features, fitted(tier)
            # A question that no vector is asked for has the features of a lower tier.
            if not set(weights.names) <= features.keys():
                continue
            scores = weights.score(features, len(answer.ranking.rows))
            texts = [(float(scores[place]), name in question.evidence) for place, name in engine.texts(answer)]
        yield sorted(texts, key=lambda each: -each[0])


def fit_chances(judged: Sequence[Judged]) -> Fit:
    """Return the logistic regression of being evidence, of the first texts of each question, by Newton's method."""
    numbers, right = _numbers(judged)
    weights = np.array([1.0, 0.0, 0.0, 0.0])
    for _ in range(_STEPS):
        likely = 1 / (1 + np.exp(-np.clip(numbers @ weights, -30, 30)))
        curvature = (numbers.T * (likely * (1 - likely))) @ numbers + _RIDGE * np.eye(len(weights))
        step = np.linalg.solve(curvature, numbers.T @ (likely - right) + _RIDGE * weights)
        # Half a unit at most: far from the minimum a whole step may go beyond it.
        weights = weights - step * min(1.0, 0.5 / float(np.abs(step).max()))
        if np.abs(step).max() < _ENOUGH:
            break
    return Fit(*map(float, weights))


def held(tier: str, judged: Sequence[Judged], fit: Fit) -> Table:
    """Return how many texts are evidence of those that are given each chance."""
    numbers, right = _numbers(judged)
    likely = 1 / (1 + np.exp(-np.clip(numbers @ np.array(fit), -30, 30)))
    edges = (0, 0.003, 0.01, 0.03, 0.1, 0.3, 0.6, 1.01)
    rows: list[Sequence[str | float]] = []
    for low, high in pairwise(edges):
        chosen = (likely >= low) & (likely < high)
        if chosen.any():
            rows.append((f"{low} to {min(1, high)}", int(chosen.sum()), *_percent(likely[chosen], right[chosen])))
    return Table(f"Chances by {tier}", ("chance", "texts", "said, %", "so, %"), rows, str(fit))


def _percent(*found: Numbers) -> Iterator[float]:
    return (round(100 * float(each.mean()), 1) for each in found)


def _numbers(judged: Sequence[Judged]) -> tuple[Numbers, Numbers]:
    """Return share, rank, flatness and 1 of the first texts, float64 of shape (texts, 4), and which are right."""
    rows: list[Numbers] = []
    right: list[bool] = []
    for texts in judged:
        scores = np.array([score for score, _ in texts])
        shares = scores - scores[0] - np.log(np.exp(scores - scores[0]).sum())
        flat = -float((shares * np.exp(shares)).sum())
        shares = shares[:DEEP]
        ranks = np.log(np.arange(1, len(shares) + 1))
        rows.append(np.stack([shares, ranks, np.full(len(shares), flat), np.ones(len(shares))], axis=1))
        right += [is_right for _, is_right in texts[:DEEP]]
    return np.concatenate(rows), np.array(right, np.float64)


def _prices(
    engines: Mapping[str, StoredConversation], conversations: Sequence[Conversation], fit: Fit
) -> Iterator[tuple[int, float]]:
    """Yield how many tokens policy and memory block take on the mean at each price, the dearest first."""
    asked = [(engines[one.name], question) for one in conversations for question in one.questions]
    with patch.object(chances, "fit_of", return_value=fit):
        for price in PRICES:
            with patch.object(before_turn, "price_of", return_value=price):
                yield round(fmean(size_of(engine.prepared(question)) for engine, question in asked)), price


def size_of(turn: PreparedTurn) -> int:
    """Return the tokens of policy and block: in a new conversation all but the question."""
    return turn.token_count - tokens.count_items(turn.items[-1:])


if __name__ == "__main__":
    main()
