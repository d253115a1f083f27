"""Weigh a unit's features: small linear heads that bench/fit_statements.py fitted, without a language model.

Logistic regression on words and pairs of words by hash (feature hashing; Weinberger et al. 2009), cues and form.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp
from pathlib import Path
from typing import Final

from cairn.statements.features import BUCKETS, Features

KINDS: Final = (
    *("identity", "attribute", "relation", "preference", "instruction"),
    *("decision", "convention", "plan", "possession", "event"),
)
"""What a lasting statement may tell."""
_FITTED = Path(__file__).with_name("heads.json")
_TABLE = Path(__file__).with_name("heads.bin")


@dataclass(frozen=True, slots=True)
class Head:
    """The weights of one question; `table` has one for each place, each worth `scale`."""

    bias: float
    marks: Sequence[float]
    scale: float
    table: Sequence[int]

    def score(self, found: Features) -> float:
        """Return the log-odds that the answer is yes."""
        said = sum(map(self.table.__getitem__, found.places)) * self.scale * found.share
        return self.bias + said + sum(mark * weight for mark, weight in zip(found.marks, self.marks, strict=True))


@cache
def heads() -> Mapping[str, Head]:
    """Return the heads by name: "lasts", "changes", "project", and one for each kind."""
    fitted: dict[str, dict[str, float | list[float]]] = json.loads(_FITTED.read_text("utf-8"))
    table = memoryview(_TABLE.read_bytes()).cast("b")
    return {
        name: Head(each["bias"], each["marks"], each["scale"], table[number * BUCKETS : (number + 1) * BUCKETS])  # pyright: ignore[reportArgumentType]  as it was written
        for number, (name, each) in enumerate(fitted.items())
    }


def likely(score: float) -> float:
    """Return log-odds as a probability."""
    return 1 / (1 + exp(-max(-30.0, min(30.0, score))))
