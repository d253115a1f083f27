"""How well rankings hold the texts that answer: shares of questions, and intervals over conversations."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2
from statistics import fmean

MEASURES = ("any@5", "any@10", "any@20", "all@10", "MRR", "nDCG@10", "session R@5")
_RESAMPLES = 1000
_MRR_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Answered:
    """One question's ranking, measured."""

    conversation: str
    kind: str
    values: Mapping[str, float]


def measured(ranked: Sequence[str], evidence: frozenset[str]) -> dict[str, float]:
    """Return each measure of one ranking of text ids, the best first; a session is what stands before an id's dot."""
    places = [place for place, each in enumerate(ranked) if each in evidence]
    first = places[0] if places else None
    gain = sum(1 / log2(place + 2) for place in places if place < 10)  # noqa: PLR2004 - nDCG@10
    ideal = sum(1 / log2(place + 2) for place in range(min(10, len(evidence))))
    sessions = list(dict.fromkeys(each.partition(".")[0] for each in ranked))[:5]
    wanted = {each.partition(".")[0] for each in evidence}
    return {
        **{f"any@{depth}": float(first is not None and first < depth) for depth in (5, 10, 20)},
        "all@10": float(sum(place < 10 for place in places) == len(evidence)),  # noqa: PLR2004 - all@10
        "MRR": 1 / (first + 1) if first is not None and first < _MRR_DEPTH else 0.0,
        "nDCG@10": gain / ideal,
        "session R@5": float(not wanted.isdisjoint(sessions)),
    }


def means(answers: Iterable[Answered]) -> dict[str, float]:
    """Return the mean of each measure."""
    found = list(answers)
    return {name: fmean(answer.values[name] for answer in found) for name in MEASURES}


def interval(answers: Sequence[Answered], name: str, seed: int = 0) -> tuple[float, float]:
    """Return the 95 % interval of a measure's mean by resampling whole conversations (cluster bootstrap)."""
    by_conversation: dict[str, list[float]] = {}
    for answer in answers:
        by_conversation.setdefault(answer.conversation, []).append(answer.values[name])
    groups = list(by_conversation.values())
    chance = random.Random(seed)  # noqa: S311 - a bootstrap, no secret
    drawn = sorted(
        fmean(v for group in chance.choices(groups, k=len(groups)) for v in group) for _ in range(_RESAMPLES)
    )
    return drawn[round(0.025 * _RESAMPLES)], drawn[round(0.975 * _RESAMPLES) - 1]
