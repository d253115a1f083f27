"""Fit what tells statements and changes: the heads of cairn.statements, and how a change is linked to what it changes.

On stories (`bench/data/talk`), single sentences (`bench/data/statements`) and what people of whom something is believed
might say next (`bench/data/changes`), by several hands. It prints how well stories are read that were left out, a fifth
at a time: of units that tell something lasting how many are found where 1, 3 or 10 of 100 others are found too; and of
changes how many end the right statement, and how many end a wrong one. Then it writes the weights.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from cairn.models.minilm import MiniLm
from cairn.recall.corpus import Vector
from cairn.statements import heads as runtime
from cairn.statements.features import BUCKETS, Features, features, names
from cairn.statements.linking import Saying, Weights, evidence, expanded
from change_sets import Person, persons
from logistic import Model, Numbers, Sparse, auc, fit, found_beside
from statement_sets import Sentence, subjects
from talk_sets import Talk, changed, current, talks

PLACE = Path(runtime.__file__).parent
LEFT_OUT = 0
"""The fold that the reader is not trained on."""
_FOLDS = 5
_OF_STORIES, _OF_CHATS = 2.0, 1.0
"""How much a unit of a story counts beside a single sentence, since it is said as people talk to assistants; and one of
a chat among friends, where nearly nothing lasts that sounds so."""
_OTHERS = (0, 5, 20, 60)
"""How many statements of other stories are believed too when links are fitted: users tell much more than a story."""
_FARTHEST_SHIFT, _BISECTIONS = 4.0, 30
"""By how much log-odds may be off, and how often that is halved."""
_LEAST = 0.3
"""From how likely on that a unit lasts it is linked at all."""
_OF_MEANING, _OF_JUDGE = frozenset({"cosine", "margin"}), frozenset({"judged", "judged beside"})
_WITHOUT = {"words": _OF_MEANING | _OF_JUDGE, "meaning": _OF_JUDGE, "judged": frozenset[str]()}
"""Which features each kind of link does without."""


@dataclass(frozen=True, slots=True)
class Row:
    """A unit to fit on: the subject or story it is of, and what is true of it."""

    text: str
    group: str
    lasts: bool
    changes: bool
    kind: str
    of_project: bool
    is_of_story: bool
    worth: float = 1.0


def main() -> None:
    """Print the cross-validation and write the weights."""
    stories = talks()
    rows = [*of_persons(persons()), *sentences(), *units(stories)]
    found = [features(row.text) for row in rows]
    folds = folds_of([row.group for row in rows])
    truth = {name: np.array([is_so(row) for row in rows]) for name, is_so in _questions().items()}
    held = {name: cross_validated(found, truth[name], rows, folds) for name in ("lasts", "changes")}
    of_story = np.array([row.is_of_story for row in rows])
    for name, scores in held.items():
        print(name, *_found(truth[name][of_story], scores[of_story]), sep="\n  ")
    models = {
        name: _fitted(found, answers, rows, lasting_only=name in runtime.KINDS) for name, answers in truth.items()
    }
    _write(models)
    scored = {
        (row.group, row.text): Scored(row.text, int(fold), float(lasts), float(changes))
        for row, fold, lasts, changes in zip(rows, folds, held["lasts"], held["changes"], strict=True)
    }
    cases = [*_cases(stories, scored), *_cases_of_persons(scored)]
    _write_links({kind: links(cases, kind) for kind in ("meaning", "words")})


def _questions() -> Mapping[str, Callable[[Row], bool]]:
    kinds = {kind: partial(_is_of, kind) for kind in runtime.KINDS}
    of: dict[str, Callable[[Row], bool]] = {
        "lasts": lambda row: row.lasts,
        "changes": lambda row: row.changes,
        "project": lambda row: row.lasts and row.of_project,
    }
    return {**of, **kinds}


def _is_of(kind: str, row: Row) -> bool:
    return row.kind == kind


def sentences() -> Iterator[Row]:
    """Yield a row of each single sentence."""
    for subject in subjects():
        changing = {pair.later.text for pair in subject.pairs if pair.changed}
        yield from _rows(f"{subject.hand}/{subject.name}", subject.sentences(), changing)


def of_persons(people: Sequence[Person]) -> Iterator[Row]:
    """Yield a row of each sentence that is believed of a person, and of each that they might say next."""
    for person in people:
        changing = {each.sentence.text for each in person.said if each.changed}
        yield from _rows(person.name, (*person.believed, *(each.sentence for each in person.said)), changing)


def _rows(group: str, found: Iterable[Sentence], changing: Collection[str]) -> Iterator[Row]:
    for each in found:
        lasts, changes, of_project = each.kind != "none", each.text in changing, each.about == "project"
        yield Row(each.text, group, lasts, changes, each.kind, of_project, is_of_story=False)


def units(stories: Sequence[Talk]) -> Iterator[Row]:
    """Yield a row of each unit of the stories."""
    for story in stories:
        for said in story.said:
            of_project = said.about == "project"
            worth = _OF_CHATS if story.is_chat else _OF_STORIES
            what = said.lasts, said.changes, said.kind, of_project
            yield Row(said.text, story.name, *what, is_of_story=True, worth=worth)


def folds_of(groups: Sequence[str]) -> NDArray[np.int64]:
    """Return of each row's group the fifth it is in, the same whatever other groups there are."""
    return np.array([crc32(group.encode()) % _FOLDS for group in groups])


def _numbers(found: Sequence[Features]) -> tuple[Numbers, Sparse]:
    marks = np.array([each.marks for each in found], np.float64)
    return marks, Sparse.of([each.places for each in found], [each.share for each in found], BUCKETS)


def _fitted(found: Sequence[Features], answers: NDArray[np.bool_], rows: Sequence[Row], *, lasting_only: bool) -> Model:
    chosen = [place for place, row in enumerate(rows) if row.lasts or not lasting_only]
    worth = np.array([rows[place].worth for place in chosen])
    numbers = _numbers([found[place] for place in chosen])
    model = fit(*numbers, answers[chosen], worth)
    if lasting_only:
        return model
    # People whose next sentence was written to change something tell more than others do.
    of_story = np.array([rows[place].is_of_story for place in chosen])
    return replace(model, bias=model.bias + _shift(model.scores(*numbers)[of_story], answers[chosen][of_story]))


def _shift(scores: Numbers, answers: NDArray[np.bool_]) -> float:
    """Return what log-odds lack until as many answers are expected as there are, by bisection."""
    low, high = -_FARTHEST_SHIFT, _FARTHEST_SHIFT
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        expected = float((1 / (1 + np.exp(-(scores + middle)))).mean())
        low, high = (middle, high) if expected < answers.mean() else (low, middle)
    return (low + high) / 2


def cross_validated(
    found: Sequence[Features], answers: NDArray[np.bool_], rows: Sequence[Row], folds: NDArray[np.int64]
) -> Numbers:
    """Return log-odds of each row by what was fitted on the other folds, float64 of shape (rows,)."""
    scores = np.zeros(len(rows))
    for fold in range(_FOLDS):
        train: list[int] = np.flatnonzero(folds != fold).tolist()
        test: list[int] = np.flatnonzero(folds == fold).tolist()
        model = _fitted([found[at] for at in train], answers[train], [rows[at] for at in train], lasting_only=False)
        scores[test] = model.scores(*_numbers([found[at] for at in test]))
    return scores


def _found(answers: NDArray[np.bool_], scores: Numbers) -> Iterator[str]:
    yield f"AUC {auc(answers, scores):.4f} of {answers.sum()} among {len(answers)}"
    for share in (0.01, 0.03, 0.1):
        yield f"{100 * found_beside(answers, scores, share):.1f} % where {100 * share:.0f} % of others are"
    for chance in (0.3, 0.4, 0.5, 0.6, 0.7, 0.8):
        is_over = scores > np.log(chance / (1 - chance))
        shares = 100 * is_over[answers].mean(), 100 * is_over[~answers].mean()
        yield f"from {chance}: {shares[0]:.1f} %, and {shares[1]:.1f} % of others"


@dataclass(frozen=True, slots=True)
class Case:
    """A unit of a story with what is believed before it: the features of each pair, and whether it changes that one."""

    fold: int
    pairs: Sequence[tuple[Mapping[str, float], bool]]
    is_change: bool


class Pairing:
    """Makes cases: a unit, what holds before it, and statements of others beside, as users tell much more than that."""

    def __init__(self, stories: Sequence[Talk]) -> None:
        """Take the stories, whose statements are those of others to each other."""
        self._model = MiniLm(Path(sys.prefix, "share/cairn/model"))
        self._vectors: dict[str, Vector] = {}
        self._draw = random.Random(18)  # noqa: S311 - the same statements every time
        self._others: dict[str, list[str]] = {}
        for story in stories:
            self._others.setdefault(story.language, []).extend(said.text for said in story.said if said.lasts)

    def case(self, row: Scored, before: Sequence[str], changed: Collection[str], language: str) -> Case:
        """Return the unit of a row with what holds `before` it, of which it changes some or none."""
        believed = self.believed(row.text, before, language)
        pairs = evidence(row.text, row.lasts, row.changes, believed)
        return Case(row.fold, [(pair, believed[number].said in changed) for number, pair in pairs], bool(changed))

    def believed(self, text: str, before: Sequence[str], language: str) -> list[Saying]:
        """Return what is believed when a text is said: what holds `before` it, and statements of others around."""
        others = self._others.get(language, [])
        some = self._draw.sample(others, min(self._draw.choice(_OTHERS), len(others)))
        # Others are older and newer than what is of the story.
        at = self._draw.randint(0, len(some))
        mine = self._vector(text)
        return [Saying(each, float(mine @ self._vector(each))) for each in (*some[:at], *before, *some[at:])]

    def near(self, text: str, others: Sequence[str]) -> list[str]:
        """Return other texts, the nearest first."""
        mine = self._vector(text)
        return sorted(others, key=lambda each: -float(mine @ self._vector(each)))

    def _vector(self, text: str) -> Vector:
        if text not in self._vectors:
            self._vectors[text] = self._model.embed(text)
        return self._vectors[text]


@dataclass(frozen=True, slots=True)
class Scored:
    """A unit with what the heads say of it that did not see it."""

    text: str
    fold: int
    lasts: float
    changes: float


def _cases(stories: Sequence[Talk], scored: Mapping[tuple[str, str], Scored]) -> Iterator[Case]:
    pairing = Pairing(stories)
    for story in stories:
        for said, held in current(story):
            row = scored[story.name, said.text]
            if held and runtime.likely(row.lasts) >= _LEAST:
                yield pairing.case(row, [each.text for each in held], changed(said, held), story.language)


def _cases_of_persons(scored: Mapping[tuple[str, str], Scored]) -> Iterator[Case]:
    pairing = Pairing([])
    for person in persons():
        before = [each.text for each in person.believed]
        for each in person.said:
            row = scored[person.name, each.sentence.text]
            if runtime.likely(row.lasts) >= _LEAST:
                yield pairing.case(row, before, each.changed, person.language)


def links(cases: Sequence[Case], kind: str) -> Weights:
    """Return the weights of links by what the cases have, and print what they do to folds that were left out."""
    columns = [name for name in cases[0].pairs[0][0] if name not in _WITHOUT[kind]]
    held: list[tuple[Case, Numbers]] = []
    for fold in range(_FOLDS):
        weights = _weights([case for case in cases if case.fold != fold], columns)
        held += [(case, _scores(case, weights)) for case in cases if case.fold == fold]
    print(f"links by {kind}", *_linked(held), sep="\n  ")
    return _weights(cases, columns)


def _weights(cases: Sequence[Case], columns: Sequence[str]) -> Weights:
    pairs = [pair for case in cases for pair in case.pairs]
    numbers = np.array([[found[name] for name in columns] for found, _ in pairs])
    mean, deviation = numbers.mean(axis=0).tolist(), (numbers.std(axis=0) + 1e-9).tolist()
    rows = np.array([expanded(row, mean, deviation) for row in numbers.tolist()])
    answers = np.array([is_changed for _, is_changed in pairs])
    model = fit(rows, None, answers, np.ones(len(pairs)), penalty=2e-3)
    return Weights(columns, mean, deviation, model.dense.tolist(), model.bias)


def _scores(case: Case, weights: Weights) -> Numbers:
    return np.array([weights.score(found) for found, _ in case.pairs])


def _linked(held: Sequence[tuple[Case, Numbers]]) -> Iterator[str]:
    changes = sum(case.is_change for case, _ in held)
    right = sum(case.pairs[int(scores.argmax())][1] for case, scores in held)
    yield f"{changes} changes among {len(held)}; the right one first {100 * right / changes:.1f} %"
    for chance in (0.2, 0.25, 0.3, 0.4, 0.5, 0.6, 0.7):
        over = [(case, scores.argmax()) for case, scores in held if runtime.likely(float(scores.max())) > chance]
        ended = sum(case.pairs[int(best)][1] for case, best in over)
        kept = len(held) - changes
        wrongly = sum(not case.pairs[int(best)][1] for case, best in over)
        yield f"from {chance}: {100 * ended / changes:.1f} % ended, wrongly {wrongly}, of {kept} that change nothing"


def _write(models: Mapping[str, Model]) -> None:
    fitted: dict[str, dict[str, object]] = {}
    tables: list[bytes] = []
    for name, model in models.items():
        scale = float(np.abs(model.sparse).max()) / 127 or 1.0
        marks = [round(float(each), 4) for each in model.dense]
        fitted[name] = {"bias": round(model.bias, 4), "scale": scale, "marks": marks}
        tables.append(np.rint(model.sparse / scale).astype(np.int8).tobytes())
    (PLACE / "heads.bin").write_bytes(b"".join(tables))
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(each)}" for name, each in fitted.items())
    (PLACE / "heads.json").write_text(f"{{\n{lines}\n}}\n", "utf-8")
    print(f"{len(names())} marks, {len(tables)} heads, {sum(map(len, tables))} bytes")


def _write_links(weights: Mapping[str, Weights]) -> None:
    lines = ",\n".join(f" {json.dumps(kind)}: {json.dumps(rounded(of))}" for kind, of in weights.items())
    (PLACE / "links.json").write_text(f"{{\n{lines}\n}}\n", "utf-8")


def rounded(of: Weights) -> dict[str, object]:
    """Return weights as they are kept."""
    return {
        "columns": of.columns,
        "mean": [round(each, 4) for each in of.mean],
        "deviation": [round(each, 4) for each in of.deviation],
        "values": [round(each, 4) for each in of.values],
        "bias": round(of.bias, 4),
    }


if __name__ == "__main__":
    main()
