"""Fit the ranker's weights on Cairn's own conversations, and write layers/core/cairn/recall/weights.json.

Each text that answers a question competes with those that do not, and not with the others that do: the loss is the
cross-entropy of the softmax of their scores. It is convex, so that Newton's method ends at the one best set of weights,
the same every time. A question with several texts counts by the root of their number. Features are taken from the
engine's own recall and standardised; the weights are not.

They are fitted on copies with long replies too (long_replies.py), or a ranker takes a long text for a good one. No
feature tells a text's length: with one, the texts of the short conversations would say what is long.

Whom a question names is a strong sign, and at times it names the wrong one. So a fifth of the weight of a question
about one of two speakers goes to the same question about the other.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from itertools import chain
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cairn.recall.features import OF_QUESTION
from cairn.recall.filter import SearchMode
from cairn.recall.ranker import Tier
from long_replies import LONGEST, SHORTEST, SUFFIX, with_long_replies
from recall_engine import MODEL, CachingEmbedder, StoredConversation, stored
from recall_metrics import MEASURES, Answered, means, measured
from recall_sets import FITTED_ON, Conversation, Question, read
from report import Table

WEIGHTS = Path(__file__).parents[1] / "layers/core/cairn/recall/weights.json"
TIERS: Mapping[Tier, tuple[SearchMode, Sequence[str]]] = {
    "words": ("text", ()),
    "meaning": ("hybrid", ("tokens", "tokens_with_before")),
    "tokens": ("hybrid", ()),
}
"""How a tier's features are got, and those that it does without."""
PENALTY = 0.05
"""What a squared weight of a standardised feature costs, against the mean loss of a question."""
OTHER_SPEAKER = 0.2
BY_ASSISTANT = -3.0
"""What an assistant's reply weighs less where it is not asked for; about -1.5 would be fitted.

It repeats what the user said, and the more the longer it is. In our own conversations nothing that the user said is
found later for this, and all@10 gains a point.
"""
FOLDS = 4
_STEPS, _ENOUGH = 50, 1e-9
_SMALLEST_DEVIATION = 1e-3
_DIGITS = 4

Numbers = NDArray[np.float64]
Contest: TypeAlias = tuple[Numbers, float]
"""The features of a text that answers a question and, below, of those that do not; how much this counts."""


@dataclass(frozen=True, slots=True)
class Example:
    """A question with the features of the texts that may answer it, in the order of `ids`; `weight` is its share."""

    conversation: str
    question: Question
    ids: Sequence[str]
    names: Sequence[str]
    features: Numbers
    weight: float = 1.0

    @property
    def right(self) -> NDArray[np.bool_]:
        """Tell which texts answer it."""
        return np.array([each in self.question.evidence for each in self.ids], np.bool_)

    def ranked(self, weights: Numbers) -> Sequence[str]:
        """Return the ids, the best first, the newer first among equals."""
        order = np.lexsort((-np.arange(len(self.ids)), -(self.features @ weights)))
        return [self.ids[int(place)] for place in order]


def main() -> None:
    """Fit both tiers, print how well they do on conversations they were not fitted on, and write the weights."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--dry", action="store_true", help="print only, write nothing")
    given = options.parse_args()
    conversations = [*read(FITTED_ON), *with_long_replies(read(FITTED_ON))]
    found: dict[str, object] = {"fitted_on": provenance()}
    rows: list[Sequence[str | float]] = []
    with stored(conversations, CachingEmbedder(MODEL)) as engine:
        for tier, (mode, without) in TIERS.items():
            stories: dict[str, list[Example]] = {}
            for each in conversations:
                of_story = stories.setdefault(each.name.removesuffix(SUFFIX), [])
                of_story += _examples(engine[each.name], each, mode, without)
            rows += ((f"{tier}, {of}", *values) for of, values in _cross_validated(list(stories.values())))
            examples = list(chain.from_iterable(stories.values()))
            found[tier] = dict(zip(examples[0].names, np.round(fit(examples), _DIGITS).tolist(), strict=True))
    note = f"In {FOLDS} parts, each ranked by weights that were fitted on the conversations of the others."
    print(Table("Cross-validation, categories but adversarial", ("tier", *MEASURES), rows, note).text())
    if not given.dry:
        WEIGHTS.write_text(json.dumps(found, indent=1) + "\n", "utf-8")


def fit(examples: Sequence[Example]) -> Numbers:
    """Return the weights that put each text that answers a question before those that do not."""
    everything = np.concatenate([each.features for each in examples])
    mean, deviation = everything.mean(axis=0), everything.std(axis=0) + _SMALLEST_DEVIATION
    contests = [contest for each in examples for contest in _contests(each, mean, deviation)]
    weights = _minimum(contests, len(mean)) / deviation
    weights[list(examples[0].names).index("by_assistant")] = BY_ASSISTANT
    return weights


def _contests(example: Example, mean: Numbers, deviation: Numbers) -> Iterator[Contest]:
    features, right = (example.features - mean) / deviation, example.right
    for each in features[right]:
        yield np.vstack([each, features[~right]]), example.weight / float(np.sqrt(right.sum()))


def _minimum(contests: Sequence[Contest], size: int) -> Numbers:
    """Return where the penalised mean loss is least, by Newton's method with halved steps."""
    weights, total = np.zeros(size), sum(weight for _, weight in contests)
    loss = _loss(contests, weights, total)
    for _ in range(_STEPS):
        gradient, curvature = PENALTY * weights, PENALTY * np.eye(size)
        for features, weight in contests:
            likely = _softmax(features @ weights)
            expected = features.T @ likely
            gradient += weight / total * (expected - features[0])
            curvature += weight / total * ((features.T * likely) @ features - np.outer(expected, expected))
        step = np.linalg.solve(curvature, gradient)
        share = 1.0
        while (next_loss := _loss(contests, weights - share * step, total)) > loss and share > _ENOUGH:
            share /= 2
        weights = weights - share * step
        if loss - next_loss < _ENOUGH:
            break
        loss = next_loss
    return weights


def _loss(contests: Sequence[Contest], weights: Numbers, total: float) -> float:
    loss = 0.5 * PENALTY * float(weights @ weights)
    for features, weight in contests:
        scores = features @ weights
        highest = scores.max()
        loss += weight / total * float(highest + np.log(np.exp(scores - highest).sum()) - scores[0])
    return loss


def _softmax(scores: Numbers) -> Numbers:
    worth = np.exp(scores - scores.max())
    return worth / worth.sum()


def _examples(
    engine: StoredConversation, conversation: Conversation, mode: SearchMode, without: Sequence[str]
) -> Iterator[Example]:
    swap = swapping(conversation)
    for question in conversation.questions:
        other = swap(question.text)
        whole = _example(engine, conversation, question, mode, without)
        if other == question.text:
            yield whole
        else:
            yield replace(whole, weight=1 - OTHER_SPEAKER)
            about_other = _example(engine, conversation, replace(question, text=other), mode, without)
            yield replace(about_other, weight=OTHER_SPEAKER)


def _example(
    engine: StoredConversation, conversation: Conversation, question: Question, mode: SearchMode, without: Sequence[str]
) -> Example:
    with engine.answering(question, mode) as answer:
        hits = engine.texts(answer)
        places = [place for place, _ in hits]
        names = sorted(answer.ranking.features.keys() - {*without, *OF_QUESTION})
        features = np.stack([np.asarray(answer.ranking.features[name], np.float64)[places] for name in names], axis=1)
    order = sorted(range(len(hits)), key=lambda number: _position(hits[number][1]))
    return Example(conversation.name, question, [hits[number][1] for number in order], names, features[order])


def _position(name: str) -> tuple[int, ...]:
    return tuple(map(int, name.split(".")))


def swapping(conversation: Conversation) -> Callable[[str], str]:
    """Return what puts one speaker's name for the other's, where there are two with names."""
    speakers = list(dict.fromkeys(text.speaker for text in conversation.texts))
    if len(speakers) != 2 or "user" in speakers:  # noqa: PLR2004 - one and the other
        return lambda text: text
    one, other = speakers
    names = re.compile(rf"\b(?:{one}|{other})\b")
    return lambda text: names.sub(lambda name: other if name[0] == one else one, text)


def _cross_validated(examples: Sequence[Sequence[Example]]) -> Iterator[tuple[str, list[float]]]:
    """Yield the means over the conversations as they are and over the copies; a story's two are in the same part."""
    answers: list[Answered] = []
    for fold in range(FOLDS):
        weights = fit([each for number, seen in enumerate(examples) if number % FOLDS != fold for each in seen])
        answers += [
            Answered(each.conversation, each.question.kind, measured(each.ranked(weights), each.question.evidence))
            for each in chain.from_iterable(examples[fold::FOLDS])
            if each.weight > OTHER_SPEAKER and each.question.kind != "adversarial"
        ]
    for of, is_copy in (("as they are", False), ("long replies", True)):
        kept = [each for each in answers if each.conversation.endswith(SUFFIX) == is_copy]
        yield of, [round(100 * value, 1) for value in means(kept).values()]


def provenance() -> dict[str, object]:
    """Return what the weights are fitted on, and how."""
    files = sorted(FITTED_ON.glob("*.json"))
    digest = sha256(b"".join(sha256(path.read_bytes()).digest() for path in files)).hexdigest()
    return {
        "conversations": [path.name for path in files],
        "sha256": digest,
        "penalty": PENALTY,
        "other_speaker": OTHER_SPEAKER,
        "long_replies": [SHORTEST, LONGEST],
        "by_assistant": BY_ASSISTANT,
    }


if __name__ == "__main__":
    main()
