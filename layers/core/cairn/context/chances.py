"""How likely each candidate is evidence, and what a token of a context must bring: fitted on our own conversations."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from functools import cache
from math import exp, log
from pathlib import Path
from typing import Any, Literal, NamedTuple

Tier = Literal["words", "meaning", "tokens"]
_FITTED = Path(__file__).with_name("fitted.json")
# exp of more overflows nothing and differs from 0 or 1 by nothing that is compared.
_FAR = 30.0


class Fit(NamedTuple):
    """What bench/fit_context.py found: the log odds of being evidence are the sum of these, each times its number."""

    share: float
    rank: float
    flat: float
    constant: float


class Chances:
    """Tells how likely a score is that of evidence, beside the scores of all of its kind.

    Three numbers say so: the log of its share in the softmax of all, the log of its rank, and the entropy of the
    shares: how flat they are.
    """

    def __init__(self, scores: Sequence[float], fit: Fit, likelihood: float = 1.0) -> None:
        """Take the raw scores of all, the best first; each chance is multiplied by the likelihood."""
        self._fit = fit
        self._likelihood = likelihood
        self._rising = [-score for score in scores]
        self._best = scores[0] if scores else 0.0
        worth = [exp(score - self._best) for score in scores]
        self._log_total = log(sum(worth)) if worth else -_FAR
        logs = [score - self._best - self._log_total for score in scores]
        self._flat = -sum(each * exp(each) for each in logs)

    def of(self, score: float, *, is_stated: bool = False) -> float:
        """Return the chance of what has this score; `is_stated` where it holds a statement that still stands."""
        share, rank = score - self._best - self._log_total, 1 + bisect_left(self._rising, -score)
        fit = self._fit
        odds = fit.share * share + fit.rank * log(rank) + fit.flat * self._flat + fit.constant
        # People ask for what lasts.
        odds += _fitted()["stated"] if is_stated else 0.0
        return self._likelihood / (1 + exp(-max(-_FAR, min(_FAR, odds))))


def fit_of(tier: Tier) -> Fit:
    """Return what was fitted for rankings by words alone, by meaning too, or by the meaning of tokens too."""
    return Fit(**_fitted()["chances"][tier])


def price_of(mean: float) -> float:
    """Return the price of a token at which contexts took so many on the mean, of our own conversations.

    Between the prices that were measured it is interpolated, and beyond them continued, on logarithmic scales.
    """
    measured: Sequence[tuple[float, float]] = [(log(size), log(price)) for size, price in _fitted()["prices"]]
    wanted = log(max(1.0, mean))
    at = min(max(1, bisect_left(measured, (wanted, 0.0))), len(measured) - 1)
    (low, dear), (high, cheap) = measured[at - 1], measured[at]
    return exp(dear + (cheap - dear) * (wanted - low) / (high - low))


@cache
def _fitted() -> Mapping[str, Any]:
    return json.loads(_FITTED.read_text(encoding="utf-8"))
