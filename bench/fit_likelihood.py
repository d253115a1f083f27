"""Fit how likely memory holds an answer on Cairn's own conversations, and write recall/likelihood.json.

Each conversation is a log, and so are sessions by themselves, halves of all conversations together, and copies with
long replies. A logistic model tells a log's own questions from those of other conversations, by few numbers of the
ranking. Both count the same in logs of each size, so that a probability means: of as many questions with an answer as
without.

About the wrong person is what a log's question becomes with the other speaker's name; it counts little, since at times
it has an answer all the same.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import exp
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cairn.recall.likelihood import evidence
from cairn.recall.ranker import Tier
from fit_ranker import FOLDS, WEIGHTS, provenance
from long_replies import with_long_replies
from notfound_metrics import area, rejected
from recall_engine import MODEL, CachingEmbedder, StoredConversation, stored
from recall_sets import FITTED_ON, Conversation, read
from report import Table
from unanswerable import Group, Log, Put, merged, put, sessions, whole

FOUND = Path(__file__).parents[1] / "layers/core/cairn/recall/likelihood.json"
WORTH: Mapping[Group, float] = {"answerable": 1, "another's": 0.8, "another's, renamed": 1.5, "wrong person": 0.2}
"""What a question of a group counts, before both sides are made equal."""
LIKELY, POSSIBLE = 0.95, 0.98
"""Which shares of the questions that can be answered the two thresholds keep."""
PENALTY = 3.0
MOST = 40
_STEPS, _ENOUGH = 50, 1e-6
_SMALLEST_DEVIATION = 1e-3
_DIGITS = 4

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Fitted:
    """What each number of the evidence adds to the logit, and the constant."""

    weights: Mapping[str, float]
    constant: float

    def probability(self, evidence: Mapping[str, float]) -> float:
        """Return the probability that something answers."""
        return 1 / (1 + exp(-self.constant - sum(weight * evidence[name] for name, weight in self.weights.items())))


@dataclass(frozen=True, slots=True)
class Case:
    """A question put to a log, and by tier the evidence that something there answers it."""

    put: Put
    evidence: Mapping[Tier, Mapping[str, float]]

    @property
    def is_answerable(self) -> bool:
        """Tell whether the log holds an answer."""
        return self.put.group == "answerable"


def main() -> None:
    """Fit all tiers, print how well they do on stories they were not fitted on, and write the numbers."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--dry", action="store_true", help="print only, write nothing")
    given = options.parse_args()
    conversations = read(FITTED_ON)
    found = list(cases(logs(conversations), conversations))
    written: dict[str, object] = {"fitted_on": fitted_on()}
    rows: list[Sequence[str | float]] = []
    for tier in ("words", "meaning", "tokens"):
        chances = _cross_validated(found, tier)
        rows += _told(tier, found, chances)
        kept = chances[[each.is_answerable for each in found]]
        fitted = fit(found, tier)
        written[tier] = {
            "weights": {name: round(weight, _DIGITS) for name, weight in fitted.weights.items()},
            "constant": round(fitted.constant, _DIGITS),
            "likely": round(float(np.quantile(kept, 1 - LIKELY)), _DIGITS),
            "possible": round(float(np.quantile(kept, 1 - POSSIBLE)), _DIGITS),
        }
    columns = ("tier", "unanswerable", "n", "AUC", "told at 95 % kept")
    note = f"In {FOLDS} parts, each by what was fitted on the stories of the others."
    print(Table("Unanswerable questions told, by cross-validation", columns, rows, note).text())
    if not given.dry:
        FOUND.write_text(json.dumps(written, indent=1) + "\n", "utf-8")


def fitted_on() -> dict[str, object]:
    """Return what the numbers are fitted on: the ranker's weights too, since scores are on their scale."""
    return {**provenance(), "weights": sha256(WEIGHTS.read_bytes()).hexdigest()}


def logs(conversations: Sequence[Conversation]) -> list[Log]:
    """Return the logs of every size that it is fitted on."""
    return [
        *whole(conversations),
        *whole(with_long_replies(conversations), "long replies"),
        *sessions(conversations, 4),
        merged(conversations[::2], "merged-one", "many conversations"),
        merged(conversations[1::2], "merged-other", "many conversations"),
    ]


def cases(logs: Sequence[Log], conversations: Sequence[Conversation], most: int = MOST) -> Iterator[Case]:
    """Store the logs and put questions to each: its own, and as many as `most` of other conversations."""
    with stored([log.conversation for log in logs], CachingEmbedder(MODEL)) as engine:
        for log in logs:
            share = max(1, most // 4) if log.size == "a session" else 2 * most if "many" in log.size else most
            for each in put(log, conversations, share):
                yield Case(each, weighed(engine[log.conversation.name], each))


def weighed(engine: StoredConversation, asked: Put) -> dict[Tier, Mapping[str, float]]:
    """Return the evidence of each tier."""
    with engine.answering(asked.question, "text") as answer:
        by_words = evidence(answer.ranking, answer.searched, "words")
    with engine.answering(asked.question, "hybrid") as answer:
        tiers: tuple[Tier, ...] = ("meaning", "tokens")
        return {"words": by_words, **{tier: evidence(answer.ranking, answer.searched, tier) for tier in tiers}}


def fit(cases: Sequence[Case], tier: Tier) -> Fitted:
    """Return the most likely logistic model of those cases that count."""
    counted = [each for each in cases if each.put.group in WORTH]
    names = list(counted[0].evidence[tier])
    numbers = _numbers(counted, tier)
    mean, deviation = numbers.mean(axis=0), numbers.std(axis=0) + _SMALLEST_DEVIATION
    answers = np.array([each.is_answerable for each in counted], np.float64)
    standard, worth = (numbers - mean) / deviation, _balanced(counted)
    fitted = _most_likely(standard, answers, worth)
    person = names.index("of_another")
    if fitted[person] > 0:
        # That another's words fit better is never a reason to believe that something answers.
        standard[:, person] = 0
        fitted = _most_likely(standard, answers, worth)
    weights = fitted[:-1] / deviation
    return Fitted(dict(zip(names, map(float, weights), strict=True)), float(fitted[-1] - weights @ mean))


def _balanced(cases: Sequence[Case]) -> Numbers:
    """Return what each question counts: of each size of log as much with an answer as without."""
    worth = np.array([WORTH[each.put.group] for each in cases])
    sides = [(each.put.log.size, each.is_answerable) for each in cases]
    sums = {side: sum(w for w, own in zip(worth, sides, strict=True) if own == side) for side in set(sides)}
    of_size = {size: np.mean([total for (each, _), total in sums.items() if each == size]) for size, _ in sums}
    return np.array([w * of_size[side[0]] / sums[side] for w, side in zip(worth, sides, strict=True)])


def _most_likely(numbers: Numbers, answers: Numbers, worth: Numbers) -> Numbers:
    """Return the weights of standardised numbers, the constant last, by Newton's method with halved steps."""
    columns = np.column_stack([numbers, np.ones(len(numbers))])
    penalty = np.full(columns.shape[1], PENALTY)
    penalty[-1] = 0

    def loss(weights: Numbers) -> float:
        logits = columns @ weights
        missed = float((worth * (np.logaddexp(0, logits) - answers * logits)).sum())
        return missed + 0.5 * float(penalty @ weights**2)

    weights = np.zeros(columns.shape[1])
    now = loss(weights)
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-columns @ weights))
        gradient = columns.T @ (worth * (chances - answers)) + penalty * weights
        curvature = (columns.T * (worth * chances * (1 - chances))) @ columns + np.diag(penalty)
        step, share = np.linalg.solve(curvature, gradient), 1.0
        while (then := loss(weights - share * step)) > now and share > _ENOUGH:
            share /= 2
        weights = weights - share * step
        if now - then < _ENOUGH:
            break
        now = then
    return weights


def _cross_validated(cases: Sequence[Case], tier: Tier) -> Numbers:
    """Return the probability of each case by what was fitted without its story; of many stories, without their part."""
    stories = sorted({story for each in cases for story in each.put.log.stories if len(each.put.log.stories) == 1})
    part = {frozenset({story}): number % FOLDS for number, story in enumerate(stories)}
    parts = np.array([part.get(each.put.log.stories, len(each.put.log.conversation.name) % FOLDS) for each in cases])
    chances = np.zeros(len(cases))
    for fold in range(FOLDS):
        of_others = fit([each for each, its in zip(cases, parts, strict=True) if its != fold], tier)
        for place in map(int, np.flatnonzero(parts == fold)):
            chances[place] = of_others.probability(cases[place].evidence[tier])
    return chances


def _numbers(cases: Sequence[Case], tier: Tier) -> Numbers:
    return np.array([list(each.evidence[tier].values()) for each in cases])


def _told(tier: Tier, cases: Sequence[Case], chances: Numbers) -> Iterator[Sequence[str | float]]:
    right = chances[[each.is_answerable for each in cases]]
    for group in ("another's", "another's, renamed", "wrong person", "adversarial"):
        wrong = chances[[each.put.group == group for each in cases]]
        if len(wrong):
            yield tier, group, len(wrong), round(area(right, wrong), 3), round(100 * rejected(right, wrong, LIKELY), 1)


if __name__ == "__main__":
    main()
