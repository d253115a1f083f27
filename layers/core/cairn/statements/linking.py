"""Tell which of the things believed a statement changes, if any.

Cosines find what a later sentence is about; whether it changes that, or only mentions it, words and cues tell, and a
judge that has read both sentences together.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from math import log
from operator import mul
from pathlib import Path
from typing import Any, Final, NamedTuple

from cairn.ground.errors import EmbeddingFailed
from cairn.language.terms import terms
from cairn.statements.features import cues
from cairn.statements.heads import likely
from cairn.statements.units import asks

NEAREST: Final = 8
"""How many of what is believed are looked at, those nearest to the statement."""
OUTDATES: Final = 0.4
"""From how likely on a statement outdates what is believed: to end what still holds is the worse error."""
SURE: Final = 0.7
"""From how likely on it ends a clean value that a rule read, too."""
LEFT_OUT: Final = 0.5
"""From how likely on what it outdates is left out of contexts: what is wrongly left out nobody sees, a fact that ended
stands in its history."""
PERHAPS: Final = 0.35
"""From how likely on both stand, the older marked."""
JUDGED: Final = 3
"""About how many of what is believed the judge may be asked, the likeliest; each costs some 4 ms."""
WORTH_JUDGING: Final = 0.05
"""How likely words and meaning have to make a change for the judge to be asked. Half of the pairs are not, and as many
facts end rightly, and wrongly, as if all were."""
Judge = Callable[[str, str], float]
"""Returns the log-odds that what the newer of two texts says changes what the older one does, or EmbeddingFailed."""
_NAME = re.compile(r"(?<=[^\W_,;:] )[A-ZÀ-Þ][^\W\d_]+")
_NUMBER = re.compile(r"\d[\d.,:/-]*")
_STEM = 5
_FARTHEST = 4.0
_ALONE, _UNLIKELY = -4.0, -3.0
"""What the judge would say of others where there are none, and about what it says where it is not worth asking."""
_FITTED, _JUDGED = (Path(__file__).with_name(name) for name in ("links.json", "reading.json"))


class Saying(NamedTuple):
    """Something believed: its words, and the cosine of their vector with the statement's, None where unknown."""

    said: str
    cosine: float | None


class Pair(NamedTuple):
    """A statement with something believed, by number: their features, and the log-odds that it changes that."""

    number: int
    features: Mapping[str, float]
    score: float


class Link(NamedTuple):
    """Which of what is believed a statement is about, by number, and how likely it changes that."""

    number: int
    likelihood: float


def links(
    said: str, lasts: float, changes: float, believed: Sequence[Saying], judge: Judge | None = None
) -> list[Link]:
    """Return what a statement may change, of what is believed in the order it was said, the likeliest first.

    `lasts` and `changes` are the log-odds that it was read with. Without vectors, or where the `judge` fails, words
    decide alone.
    """
    found = likeliest(said, lasts, changes, believed)
    if judge is not None and _has_vectors(believed):
        with suppress(EmbeddingFailed):
            found = [_scored("judged", *each) for each in judged(said, believed, found, judge)]
    each = (Link(pair.number, likely(pair.score)) for pair in found)
    return sorted(each, key=lambda link: link.likelihood, reverse=True)


def likeliest(said: str, lasts: float, changes: float, believed: Sequence[Saying]) -> list[Pair]:
    """Return the statement with what it most likely changes, without a judge the likeliest first."""
    by = "meaning" if _has_vectors(believed) else "words"
    pairs = [_scored(by, *each) for each in evidence(said, lasts, changes, believed)]
    return sorted(pairs, key=lambda pair: pair.score, reverse=True)[:JUDGED]


def judged(
    said: str, believed: Sequence[Saying], found: Sequence[Pair], judge: Judge
) -> list[tuple[int, Mapping[str, float]]]:
    """Return features with what the judge says of each pair that may well be a change, and how that stands out."""
    says = [
        judge(said, believed[pair.number].said) if likely(pair.score) >= WORTH_JUDGING else _UNLIKELY for pair in found
    ]
    others = [max((each for at, each in enumerate(says) if at != place), default=_ALONE) for place in range(len(says))]
    return [
        (pair.number, {**pair.features, "judged": own, "judged beside": own - other})
        for pair, own, other in zip(found, says, others, strict=True)
    ]


def _scored(by: str, number: int, features: Mapping[str, float]) -> Pair:
    return Pair(number, features, fitted()[by].score(features))


def evidence(
    said: str, lasts: float, changes: float, believed: Sequence[Saying]
) -> list[tuple[int, Mapping[str, float]]]:
    """Return the features of the statement with each of the nearest things believed."""
    near = _nearest(said, believed)
    mine, names, values = _stems(said), set(_NAME.findall(said)), _values(said)
    cosines = [believed[number].cosine or 0.0 for number in near]
    stems = [_stems(believed[number].said) for number in near]
    found: list[tuple[int, Mapping[str, float]]] = []
    for place, number in enumerate(near):
        other = believed[number].said
        theirs, best = stems[place], max((each for at, each in enumerate(cosines) if at != place), default=0.0)
        both = len(mine & theirs)
        alone = (mine & theirs).difference(*(each for at, each in enumerate(stems) if at != place))
        of_words = {
            "changes": changes,
            "lasts": lasts,
            "of the older": both / max(1, len(theirs)),
            "of the newer": both / max(1, len(mine)),
            "any word": float(both > 0),
            "names": min(2, len(names & set(_NAME.findall(other)))),
            "newer ones": log(1 + len(believed) - 1 - number) / 3,
            "how many": log(len(believed)) / 3,
            "place": place / NEAREST,
            "first": float(place == 0),
            "words of it alone": min(3, len(alone)) / 3,
            "of the other": both / max(1, min(len(theirs), len(mine))),
            "asks": float(asks(said)),
        }
        of_meaning = {
            "cosine": cosines[place],
            "margin": cosines[place] - best,
        }
        found.append((number, {**of_words, **_compared(values, _values(other)), **of_meaning}))
    return found


class _Values(NamedTuple):
    """What sorts of values a text holds, its names and numbers, and how many words it has."""

    types: frozenset[str]
    things: frozenset[str]
    words: int


def _values(text: str) -> _Values:
    things = frozenset((*_NAME.findall(text), *_NUMBER.findall(text)))
    return _Values(_types(text), things, len(text.split()))


def _compared(newer: _Values, older: _Values) -> Mapping[str, float]:
    """Return what sorts of values both hold, how long they are, and what of the older the newer does not name."""
    return {
        "types of both": len(newer.types & older.types) / 2,
        "types of one": len(newer.types ^ older.types) / 2,
        "length of the newer": log(1 + newer.words) / 3,
        "length of the older": log(1 + older.words) / 3,
        "left of the older": min(4, len(older.things - newer.things)) / 2,
    }


@dataclass(frozen=True, slots=True)
class Weights:
    """A weight for each feature, then for each product of two of them, standardised before."""

    columns: Sequence[str]
    mean: Sequence[float]
    deviation: Sequence[float]
    values: Sequence[float]
    bias: float

    def score(self, found: Mapping[str, float]) -> float:
        """Return the log-odds of features."""
        numbers = expanded([found[name] for name in self.columns], self.mean, self.deviation)
        return self.bias + sum(map(mul, numbers, self.values))


def expanded(numbers: Sequence[float], mean: Sequence[float], deviation: Sequence[float]) -> list[float]:
    """Return numbers in standard deviations from their mean, at most 4, then squares and products of each two."""
    standard = [
        max(-_FARTHEST, min(_FARTHEST, (each - middle) / spread))
        for each, middle, spread in zip(numbers, mean, deviation, strict=True)
    ]
    return [*standard, *(one * other for one, other in combinations_with_replacement(standard, 2))]


@cache
def fitted() -> Mapping[str, Weights]:
    """Return the weights that bench/fit_statements.py found, with vectors and by words alone, and those with a judge.

    The latter are of bench/fit_reading.py.
    """
    weights: dict[str, dict[str, Any]] = json.loads(_FITTED.read_text("utf-8"))
    weights["judged"] = json.loads(_JUDGED.read_text("utf-8"))["links"]
    return {name: Weights(**each) for name, each in weights.items()}


def _nearest(said: str, believed: Sequence[Saying]) -> list[int]:
    mine = _stems(said)

    def worth(number: int) -> tuple[float, int]:
        each = believed[number]
        shared = len(mine & _stems(each.said)) if each.cosine is None else 0
        return (each.cosine or 0.0) + shared, number

    return sorted(range(len(believed)), key=worth, reverse=True)[:NEAREST]


_TYPES = {
    "money": re.compile(r"[$€£¥]|\b(?:euros?|dollars?|pounds?|bucks|usd|eur|zł|reais|pesos)\b", re.IGNORECASE),
    "time": re.compile(r"\b\d{1,2}(?::\d\d|\s?(?:am|pm|uhr|h)\b)", re.IGNORECASE),
    "date": re.compile(r"\b\d{1,2}(?:st|nd|rd|th|\.)?\s+(?:of )?[^\W\d_]{3,}|[^\W\d_]{3,}\s+\d{1,2}(?:st|nd|rd|th)?\b"),
    "number": re.compile(r"\d"),
    "version": re.compile(r"\bv?\d+\.\d+"),
    "name": _NAME,
}


def _types(text: str) -> frozenset[str]:
    """Return what sorts of values a text holds."""
    dated = () if cues()["dated"].isdisjoint(text.casefold().split()) else ("weekday",)
    return frozenset((*(name for name, pattern in _TYPES.items() if pattern.search(text)), *dated))


def _has_vectors(believed: Sequence[Saying]) -> bool:
    return all(each.cosine is not None for each in believed)


def _stems(text: str) -> frozenset[str]:
    return frozenset(term[:_STEM] for term in terms(text))
