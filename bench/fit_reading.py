"""Fit how words and the reader are weighed together, and write layers/core/cairn/statements/reading.json.

On stories by hands of whom neither has seen a word (`bench/data/talk_later`): each unit's log-odds by the heads of
bench/fit_statements.py and by the reader of bench/fit_reader.py, in one logistic regression for what lasts and one for
what changes something. It prints how many are found by words, by the reader and by both, where 3 or 10 of 100 others
are.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from cairn.models.statement_reader import StatementReader
from cairn.statements import heads, reading
from cairn.statements.features import features
from logistic import Numbers, fit, found_beside
from talk_sets import DATA, Said, talks

LATER = DATA.with_name("talk_later")
FITTED = Path(reading.__file__).with_name("reading.json")
_QUESTIONS = ("lasts", "changes")
_DIGITS = 3


def main() -> None:
    """Print what each way finds, and write the weights."""
    said = [each for talk in talks(LATER) for each in talk.said]
    scores = np.array(list(_scores(said)))
    fitted: dict[str, dict[str, float]] = {}
    for number, name in enumerate(_QUESTIONS):
        answers = np.array([getattr(each, name) for each in said])
        both = scores[:, number]
        model = fit(both, None, answers, np.ones(len(said)))
        fitted[name] = {
            "words": round(float(model.dense[0]), _DIGITS),
            "read": round(float(model.dense[1]), _DIGITS),
            "constant": round(model.bias, _DIGITS),
        }
        for way, found in (("words", both[:, 0]), ("reader", both[:, 1]), ("both", both @ model.dense)):
            print(name, way, *_found(answers, found))
    lines = ",\n".join(f" {json.dumps(name)}: {json.dumps(each)}" for name, each in fitted.items())
    FITTED.write_text(f"{{\n{lines}\n}}\n", "utf-8")


def _scores(said: list[Said]) -> Iterator[Numbers]:
    """Yield float64 of shape (2, 2): for what lasts and what changes, by words and by the reader."""
    reader, of = StatementReader(Path(sys.prefix, "share/cairn/model")), heads.heads()
    for each in said:
        by_words, read = features(each.text), reader.read(each.text)
        yield np.array([(of[name].score(by_words), read[number]) for number, name in enumerate(_QUESTIONS)])


def _found(answers: NDArray[np.bool_], scores: Numbers) -> Iterator[str]:
    for share in (0.03, 0.1):
        yield f"{100 * found_beside(answers, scores, share):.1f} % where {100 * share:.0f} % of others are"


if __name__ == "__main__":
    main()
