"""How likely something that was weighed answers the question at all: a probability, calibrated (decision 51).

Shares of results add up to 1 also where nothing fits, while raw scores are on one scale for all questions. A logistic
model weighs the best one's, with what few numbers of the question and the whole log add to it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import exp, log
from pathlib import Path

import numpy as np

from cairn.recall.corpus import Scores
from cairn.recall.ranker import Ranking, Tier, fitted
from cairn.recall.ranker import tier as tier_of

FAR_BETTER = 1.5
"""From which difference of raw scores another's words tell that a question has the wrong person in it.

29 of 30 questions of our own conversations that name the right one stay below.
"""
_NEARLY = log(5)
"""How far below the best raw score a text is a fifth as likely as the best."""
_WHO = ("by_the_asked", "by_another", "calls_by_name")
_MOST_APART = 3.0
_FITTED = Path(__file__).with_name("likelihood.json")


@dataclass(frozen=True, slots=True)
class Calibration:
    """What a number of evidence adds to the logit, and which probabilities keep 95 and 98 % of what can be answered."""

    weights: Mapping[str, float]
    constant: float
    likely: float
    possible: float

    def probability(self, evidence: Mapping[str, float]) -> float:
        """Return the probability that something answers."""
        logit = self.constant + sum(weight * evidence[name] for name, weight in self.weights.items())
        return 1 / (1 + exp(-logit))


@dataclass(frozen=True, slots=True)
class Likelihood:
    """How likely something that was weighed answers, and, if it is, how many texts are nearly as likely as the best.

    `is_likely` keeps 95 % of the questions that can be answered, `is_possible` 98 %: below that, nothing fits.
    `by_another` tells that the question names somebody, and somebody else's words fit it far better.
    """

    value: float = 0.0
    texts: int = 0
    is_likely: bool = False
    is_possible: bool = False
    by_another: bool = False


def likelihood(ranking: Ranking, size: int) -> Likelihood:
    """Return how likely something of the ranking answers, of a log of so many documents; 0 where nothing is related."""
    if not ranking.related.any():
        return Likelihood()
    tier = tier_of(ranking.features)
    calibration, found = calibrated(tier), evidence(ranking, size, tier)
    value = calibration.probability(found)
    is_likely = value >= calibration.likely
    texts = int((_scores(ranking, tier) >= found["best"] - _NEARLY).sum()) if is_likely else 0
    by_another = found["of_another"] >= FAR_BETTER
    return Likelihood(value, texts, is_likely, value >= calibration.possible, by_another)


def evidence(ranking: Ranking, size: int, tier: Tier) -> dict[str, float]:
    """Return the numbers that tell whether something of a ranking, not empty, answers."""
    features, scores = ranking.features, _scores(ranking, tier)
    best = float(scores.max())
    found = {
        "best": best,
        "flat": _entropy(scores),
        "words": float(features["words"].max()),
        "known": float(features["known"][0]),
        "asks_when": float(features["asks_when"][0]),
        "size": log(max(1, size)),
        "of_another": _of_another(ranking, scores, tier),
    }
    by_meaning = () if tier == "words" else ("meaning", "tokens") if tier == "tokens" else ("meaning",)
    return found | {name: float(features[name].max()) for name in by_meaning}


def _entropy(scores: Scores) -> float:
    """Return how flat the shares of the scores are: 0 where one has all, the logarithm of their count where all tie."""
    shares = np.exp(scores.astype(np.float64) - scores.max())
    shares /= shares.sum()
    return float(-(shares * np.log(shares + 1e-12)).sum())


def _of_another(ranking: Ranking, scores: Scores, tier: Tier) -> float:
    """Return how much better another's words fit than those of the one whom the question names, were names no matter.

    0 where it names nobody, or where theirs fit best.
    """
    features, weights = ranking.features, dict(fitted(tier))
    theirs, others = features["by_the_asked"] > 0, features["by_another"] > 0
    if not features["names_one"][0] or not theirs.any() or not others.any():
        return 0.0
    plain = scores - sum(features[name] * weights[name] for name in _WHO)
    return float(np.clip(plain[others].max() - plain[theirs].max(), 0, _MOST_APART))


def _scores(ranking: Ranking, tier: Tier) -> Scores:
    """Return the scores by the fitted weights, which are not those that it is ranked by where meaning alone decides."""
    weights = fitted(tier)
    return ranking.scores if ranking.weights is weights else weights.score(ranking.features, len(ranking.rows))


@cache
def calibrated(tier: Tier) -> Calibration:
    """Return what bench/fit_likelihood.py found."""
    found = json.loads(_FITTED.read_text(encoding="utf-8"))[tier]
    return Calibration(found["weights"], found["constant"], found["likely"], found["possible"])
