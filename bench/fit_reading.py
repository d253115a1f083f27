"""Fit how words and the reader are weighed together, and write layers/core/cairn/statements/reading.json.

On stories by hands of whom neither has seen a word (`bench/data/talk_later`): each unit's log-odds by the heads of
bench/fit_statements.py and by the reader of bench/fit_reader.py, in one logistic regression for what lasts and one for
what changes something. It prints how many are found by words, by the reader and by both, where 3 or 10 of 100 others
are. Then it fits how a change is linked to what it changes where the reader judges pairs: on these stories, on the
pairs of single sentences and on people that the reader was not trained on, and on people who are long at work on one
thing and tell of their progress (`bench/data/changes_later`). It prints how many changes end the right statement, and
how many statements end wrongly, in folds that were left out, without the judge and with it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from cairn.models.statement_reader import StatementReader
from cairn.statements import heads, reading
from cairn.statements.features import features
from cairn.statements.linking import Saying, Weights, judged, likeliest
from cairn.statements.units import asks
from change_sets import Person, persons
from fit_statements import (
    LEFT_OUT,
    Case,
    Pairing,
    cross_validated,
    folds_of,
    links,
    of_persons,
    rounded,
    sentences,
    units,
)
from logistic import Model, Numbers, fit, found_beside
from statement_sets import Subject, subjects
from talk_sets import DATA, Talk, changed, current, talks

LATER, NEXT_LATER = DATA.with_name("talk_later"), DATA.with_name("changes_later")
FITTED = Path(reading.__file__).with_name("reading.json")
_QUESTIONS = ("lasts", "changes")
_DIGITS = 3


Scores: TypeAlias = Mapping[tuple[str, str], tuple[float, float]]
"""By group and text its log-odds by words that were fitted on others."""


@dataclass(frozen=True, slots=True)
class Told:
    """Something said: of which story or subject, its log-odds by words, what is believed then, and what it changes."""

    group: str
    text: str
    by_words: tuple[float, float]
    believed: Sequence[Saying]
    changed: frozenset[str]


def main() -> None:
    """Print what each way finds, and write the weights."""
    reader, stories = StatementReader(Path(sys.prefix, "share/cairn/model")), talks(LATER)
    said = [each for story in stories for each in story.said]
    scores = np.array([(by_words(each.text), reader.read(each.text)[: len(_QUESTIONS)]) for each in said])
    asking = np.array([asks(each.text) for each in said], np.float64)
    models = {
        name: weighed(name, np.column_stack([scores[:, :, number], asking]), np.array([getattr(e, name) for e in said]))
        for number, name in enumerate(_QUESTIONS)
    }
    scored = _by_other_words()
    told = [
        *of_stories(stories),
        *of_sentences(subjects(), scored),
        *of_next(persons(), scored),
        *of_next(persons(NEXT_LATER)),
    ]
    fitted = {name: _recorded(model) for name, model in models.items()}
    fitted["links"] = rounded(linked(told, reader, list(models.values())))
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(each)}" for name, each in fitted.items())
    FITTED.write_text(f"{{\n{lines}\n}}\n", "utf-8")


def by_words(text: str) -> tuple[float, float]:
    """Return by its words the log-odds that a text lasts, and that it changes something."""
    found, of = features(text), heads.heads()
    return of["lasts"].score(found), of["changes"].score(found)


def weighed(name: str, both: Numbers, answers: NDArray[np.bool_]) -> Model:
    """Return how log-odds by words, by the reader, and whether a unit asks are weighed, and print what that finds.

    They are of shape (units, 3).
    """
    model = fit(both, None, answers, np.ones(len(answers)))
    for way, found in (("words", both[:, 0]), ("reader", both[:, 1]), ("both", both @ model.dense)):
        print(name, way, *_found(answers, found))
    return model


def _recorded(model: Model) -> dict[str, object]:
    words, read, asking = (round(float(each), _DIGITS) for each in model.dense)
    return {"words": words, "read": read, "asks": asking, "constant": round(model.bias, _DIGITS)}


def _found(answers: NDArray[np.bool_], scores: Numbers) -> Iterator[str]:
    for share in (0.03, 0.1):
        yield f"{100 * found_beside(answers, scores, share):.1f} % where {100 * share:.0f} % of others are"


def of_stories(stories: Sequence[Talk]) -> Iterator[Told]:
    """Yield each unit before which something was believed, of stories that the heads have not seen."""
    pairing = Pairing(stories)
    for story in stories:
        for said, held in current(story):
            if held:
                believed = pairing.believed(said.text, [each.text for each in held], story.language)
                yield Told(story.name, said.text, by_words(said.text), believed, changed(said, held))


def of_sentences(found: Sequence[Subject], scored: Scores) -> Iterator[Told]:
    """Yield each later sentence of the subjects that the reader has not seen, with the earlier one, which lasts."""
    pairing = Pairing([])
    for subject in found:
        group = f"{subject.hand}/{subject.name}"
        for pair in subject.pairs:
            if (group, pair.later.text) in scored and pair.earlier.kind != "none":
                believed = pairing.believed(pair.later.text, [pair.earlier.text], subject.language)
                yield Told(group, pair.later.text, scored[group, pair.later.text], believed, pair.changed)


def of_next(found: Sequence[Person], scored: Scores | None = None) -> Iterator[Told]:
    """Yield what each person whom the reader has not seen might say next, with what is believed of them.

    Those who are not `scored` neither words nor reader have seen.
    """
    pairing = Pairing([])
    for person in found:
        before = [each.text for each in person.believed]
        for each in person.said:
            text = each.sentence.text
            words = by_words(text) if scored is None else scored.get((person.name, text))
            if words is not None:
                believed = pairing.believed(text, before, person.language)
                yield Told(person.name, text, words, believed, each.changed)


def _by_other_words() -> Scores:
    """Return the log-odds of the fold that is left out, by words of the others alone."""
    rows = [*of_persons(persons()), *sentences(), *units(talks())]
    folds, found = folds_of([row.group for row in rows]), [features(row.text) for row in rows]
    held = [cross_validated(found, np.array([getattr(row, name) for row in rows]), rows, folds) for name in _QUESTIONS]
    left_out: list[int] = np.flatnonzero(folds == LEFT_OUT).tolist()
    return {(rows[at].group, rows[at].text): (float(held[0][at]), float(held[1][at])) for at in left_out}


def linked(told: Sequence[Told], reader: StatementReader, models: Sequence[Model]) -> Weights:
    """Return the weights of links with a judge."""
    folds = folds_of([each.group for each in told])
    cases: list[Case] = []
    for each, fold in zip(told, folds, strict=True):
        read = reader.read(each.text)[: len(_QUESTIONS)]
        lasts, changes = (
            float(np.dot(model.dense, (own, other, asks(each.text)))) + model.bias
            for model, own, other in zip(models, each.by_words, read, strict=True)
        )
        if reading.is_worth_holding(each.text, lasts, changes) and heads.likely(changes) >= reading.CHANGES:
            found = likeliest(each.text, lasts, changes, each.believed)
            pairs = judged(each.text, each.believed, found, reader.judge)
            right = [(of, each.believed[number].said in each.changed) for number, of in pairs]
            cases.append(Case(int(fold), right, bool(each.changed)))
    links(cases, "meaning")
    return links(cases, "judged")


if __name__ == "__main__":
    main()
