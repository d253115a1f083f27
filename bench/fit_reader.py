"""Fit the reader, and write layers/model/reader.npz: MiniLM's six layers trained on to tell what is said.

On stories (`bench/data/talk`) and single sentences (`bench/data/statements`) by several hands, then on what people
might say next (`bench/data/changes`) as well, a fifth left out of each. After each epoch it prints how well what was
left out is read: the AUC of what lasts and what changes something, of how many changes the statement that is changed
comes first of those believed, and how many end it where 2, 5 or 10 of 100 others end something. It takes about 80
minutes on two cores, and needs what nothing else here does, so that it has an environment of its own:

    python3.11 -m venv .cache/reader
    .cache/reader/bin/pip install --require-hashes --requirement bench/fit_reader.txt
    .cache/reader/bin/python layers/model/build_model.py .cache/reader/share/cairn/model
    PYTHONPATH=layers/core:tools:bench:layers/model .cache/reader/bin/python bench/fit_reader.py
"""

from __future__ import annotations

import json
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from build_model import TUNED, read, weights
from cairn.language.wordpiece import WordPiece
from cairn.statements.heads import KINDS
from cairn.statements.linking import NEAREST
from change_sets import Person, persons
from fit_statements import LEFT_OUT, Pairing, Row, folds_of, of_persons, sentences, units
from logistic import auc
from reader_net import PAIR, Batch, Floats, Pieces, Training, packed
from reviewed import VOCABULARY_SHA256, WEIGHTS_SHA256, checked
from statement_sets import subjects
from talk_sets import DATA, Said, Talk, changed, current, talks

_BATCH = 48
_STAGES: tuple[tuple[Callable[[], list[Person]], int], ...] = ((list, 1), (persons, 2))
"""Whom it learns from beside stories and sentences, and for how many epochs: at first from nobody."""
_PIECES, _PIECES_OF_PAIR = 48, 56
"""How many pieces of a text count, and of each of a pair."""
_SORTED_TOGETHER = 20
"""Of how many batches the texts are sorted by length, so that little is filled up."""
_OF_OTHERS = 0.25
"""Which share of what neither lasts nor is a trap is paired with what is believed."""
_WRONG_OF_CHANGE, _WRONG_OF_OTHER = 3, 2
"""How many of the nearest that are not changed are trained on, beside one of the farther."""
_LARGEST = 127

_Each = TypeVar("_Each")


@dataclass(frozen=True, slots=True)
class Case:
    """Something said, what is believed nearest to it, and which of all that is believed it changes, if any."""

    text: str
    near: Sequence[str]
    changed: frozenset[str]


@dataclass(frozen=True, slots=True)
class Pair:
    """A unit, something believed, and whether the unit changes that."""

    newer: str
    older: str
    is_changed: bool


@dataclass(frozen=True, slots=True)
class Part:
    """What is trained on, or what is left out."""

    rows: Sequence[Row]
    cases: Sequence[Case]


class Cutter:
    """Cuts texts into pieces."""

    def __init__(self, vocabulary: str) -> None:
        """Take the vocabulary, a piece a line."""
        self._pieces = WordPiece(vocabulary.splitlines())

    def single(self, row: Row) -> Pieces:
        """Return the pieces of a text."""
        numbers = self._pieces.encode(row.text, _PIECES)
        return Pieces(numbers, len(numbers))

    def pair(self, pair: Pair) -> Pieces:
        """Return the pieces of the newer text, then of the older."""
        newer, older = (self._pieces.encode(each, _PIECES_OF_PAIR) for each in (pair.newer, pair.older))
        return Pieces([*newer, *older[1:]], len(newer))


def main() -> None:
    """Train, print how well what was left out is read, and write the weights."""
    with tempfile.TemporaryDirectory() as scratch:
        source = weights(Path(scratch))
        cutter = Cutter(checked(source / "vocab.txt", VOCABULARY_SHA256).decode())
        base = read(checked(source / "model.safetensors", WEIGHTS_SHA256))
    training = Training(base)
    for people, count in _STAGES:
        trained_on, left_out = parts(people())
        epochs = [batches(trained_on, cutter, epoch) for epoch in range(count)]
        training.begin(sum(map(len, epochs)))
        for epoch in epochs:
            losses = [training.step(batch) for batch in epoch]
            print(f"an epoch of {len(epoch)} steps: loss {np.mean([float(each) for each in losses]):.3f}")
            print(*measured(training, left_out, cutter), sep="\n", flush=True)
    write(training.trained(), TUNED)


def parts(people: Sequence[Person]) -> tuple[Part, Part]:
    """Return what is trained on and what is left out: no subject, no story and no person is in both."""
    stories = talks()
    rows = [*of_persons(people), *sentences(), *units(stories)]
    folds = folds_of([row.group for row in rows])
    out = {row.group for row, fold in zip(rows, folds, strict=True) if fold == LEFT_OUT}
    cases = [*_cases(stories), *_cases_of_sentences(), *_cases_of_persons(people)]
    return (
        Part([row for row in rows if row.group not in out], [case for group, case in cases if group not in out]),
        Part([row for row in rows if row.group in out], [case for group, case in cases if group in out]),
    )


def _cases(stories: Sequence[Talk]) -> Iterator[tuple[str, Case]]:
    """Yield cases, each with the story it is of."""
    draw = random.Random(18)  # noqa: S311 - the same units every time
    pairing = Pairing(stories)
    for story in stories:
        traps = _traps(story)
        for said, held in current(story):
            is_trap = any(quote in said.text or said.text in quote for quote in traps)
            if held and (said.lasts or is_trap or draw.random() < _OF_OTHERS):
                yield story.name, _case(said, held, pairing, story.language)


def _cases_of_sentences() -> Iterator[tuple[str, Case]]:
    """Yield each later sentence of a subject with the earlier one that it was written for."""
    for subject in subjects():
        for pair in subject.pairs:
            if pair.earlier.kind != "none":
                yield f"{subject.hand}/{subject.name}", Case(pair.later.text, [pair.earlier.text], pair.changed)


def _cases_of_persons(people: Sequence[Person]) -> Iterator[tuple[str, Case]]:
    """Yield what each person might say next with what is believed of them."""
    pairing = Pairing([])
    for person in people:
        believed = [each.text for each in person.believed]
        for each in person.said:
            near = pairing.near(each.sentence.text, believed)
            yield person.name, Case(each.sentence.text, near, each.changed)


def _traps(story: Talk) -> list[str]:
    """Return what sounds in a story as if it told something lasting."""
    record = json.loads((DATA / f"{story.name}.json").read_text("utf-8"))
    return [trap["quote"] for trap in record.get("traps", [])]


def _case(said: Said, held: Sequence[Said], pairing: Pairing, language: str) -> Case:
    believed = pairing.believed(said.text, [each.text for each in held], language)
    near = sorted(believed, key=lambda each: -(each.cosine or 0.0))[:NEAREST]
    return Case(said.text, [each.said for each in near], changed(said, held))


def batches(part: Part, cutter: Cutter, epoch: int) -> list[Batch]:
    """Return what is learnt from in an epoch: each batch of texts that are about as long, in an order of its own."""
    draw = random.Random(epoch)  # noqa: S311 - the same order every time
    singles = [(cutter.single(row), row) for row in part.rows]
    pairs = [(cutter.pair(pair), pair) for pair in _pairs(part.cases)]
    found = [_of_rows(batch) for batch in _batched(singles, draw)]
    found += [_of_pairs(batch) for batch in _batched(pairs, draw)]
    draw.shuffle(found)
    return found


def _pairs(cases: Sequence[Case]) -> Iterator[Pair]:
    draw = random.Random(7)  # noqa: S311 - the same pairs every time
    for case in cases:
        for each in sorted(case.changed):
            yield Pair(case.text, each, is_changed=True)
        wrong = [each for each in case.near if each not in case.changed]
        nearest = _WRONG_OF_CHANGE if case.changed else _WRONG_OF_OTHER
        farther = [draw.choice(wrong[nearest:])] if len(wrong) > nearest else []
        for each in (*wrong[:nearest], *farther):
            yield Pair(case.text, each, is_changed=False)


def _batched(texts: list[tuple[Pieces, _Each]], draw: random.Random) -> Iterator[list[tuple[Pieces, _Each]]]:
    """Yield full batches of texts that are about as long; what is left over waits for another epoch."""
    draw.shuffle(texts)
    for start in range(0, len(texts), _BATCH * _SORTED_TOGETHER):
        some = sorted(texts[start : start + _BATCH * _SORTED_TOGETHER], key=lambda text: len(text[0].numbers))
        for at in range(0, len(some) - _BATCH + 1, _BATCH):
            yield some[at : at + _BATCH]


def _of_rows(batch: Sequence[tuple[Pieces, Row]]) -> Batch:
    rows = [row for _, row in batch]
    answers: dict[str, NDArray[Any]] = {
        "lasts": _numbers(rows, lambda row: row.lasts),
        "changes": _numbers(rows, lambda row: row.changes),
        "project": _numbers(rows, lambda row: row.of_project),
        "worth": _numbers(rows, lambda row: row.worth),
        "kind": np.array([KINDS.index(row.kind) if row.lasts else 0 for row in rows], np.int32),
    }
    return Batch("single", {**packed([pieces for pieces, _ in batch]), **answers})


def _of_pairs(batch: Sequence[tuple[Pieces, Pair]]) -> Batch:
    answers = _numbers([pair for _, pair in batch], lambda pair: pair.is_changed)
    return Batch("pair", {**packed([pieces for pieces, _ in batch]), "is_changed": answers})


def _numbers(of: Sequence[_Each], number: Callable[[_Each], float]) -> Floats:
    return np.array([number(each) for each in of], np.float32)


def measured(training: Training, part: Part, cutter: Cutter) -> Iterator[str]:
    """Yield how well single texts are read, and the changes among pairs."""
    logits = _read(training, [cutter.single(row) for row in part.rows])
    for place, name in enumerate(("lasts", "changes")):
        answers = np.array([bool(getattr(row, name)) for row in part.rows])
        yield f"  {name}: AUC {auc(answers, logits[:, place]):.4f} of {answers.sum()} among {len(answers)}"
    asked = [Pair(case.text, each, each in case.changed) for case in part.cases for each in case.near]
    scores = _read(training, [cutter.pair(pair) for pair in asked])[:, PAIR]
    is_changed = np.array([pair.is_changed for pair in asked])
    yield f"  pairs: AUC {auc(is_changed, scores):.4f} of {is_changed.sum()} among {len(asked)}"
    each_score = iter(scores.tolist())
    best = [max((next(each_score), each in case.changed) for each in case.near) for case in part.cases]
    changes = [found for found, case in zip(best, part.cases, strict=True) if case.changed]
    others = sorted(score for (score, _), case in zip(best, part.cases, strict=True) if not case.changed)
    first = sum(is_right for _, is_right in changes)
    yield f"  of {len(changes)} changes {100 * first / len(changes):.1f} % find the right statement first"
    for share in (0.02, 0.05, 0.1):
        least = others[int(len(others) * (1 - share))]
        right = sum(is_right and score > least for score, is_right in changes)
        yield f"  {100 * right / len(changes):.1f} % of them where {100 * share:.0f} % of others end something"


def _read(training: Training, texts: Sequence[Pieces]) -> Floats:
    """Return log-odds of shape (texts, PAIR + 1)."""
    order = sorted(range(len(texts)), key=lambda place: len(texts[place].numbers))
    found = np.zeros((len(texts), PAIR + 1), np.float32)
    for start in range(0, len(order), _BATCH):
        places = order[start : start + _BATCH]
        # Every batch is as large, or another would be compiled for the last.
        filled = [*places, *places[:1] * (_BATCH - len(places))]
        found[places] = training.logits([texts[place] for place in filled])[: len(places)]
    return found


def write(trained: Mapping[str, Floats], path: Path) -> None:
    """Write what was trained, the matrices of layers as integers of 8 bits with a scale for each row."""
    stored: dict[str, NDArray[Any]] = {}
    for name, values in trained.items():
        if values.ndim == 1 or name.startswith("heads."):
            stored[name] = values
        else:
            scale = (np.abs(values).max(axis=1) / _LARGEST).astype(np.float32)
            rounded = np.rint(values / scale[:, None])
            stored[name], stored[name + ".scale"] = np.clip(rounded, -_LARGEST, _LARGEST).astype(np.int8), scale
    np.savez_compressed(path, allow_pickle=False, **stored)
    print(
        f"{path.name} is written: in layers/model/reviewed.py TUNED_SHA256 is {sha256(path.read_bytes()).hexdigest()}"
    )
    print(
        "READER_SHA256 there and READER in cairn/models/lazy_model.py are to be set to what build_model.py then makes"
    )


if __name__ == "__main__":
    main()
