"""Turn a unit into what the heads weigh: its words and pairs of words, cues in them, and its form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import pairwise
from math import sqrt
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from cairn.statements.units import asks

BUCKETS = 1 << 15
"""Among how many places the hashes of words and pairs are spread."""
_CUES = Path(__file__).with_name("cues.json")
_TOKEN = re.compile(r"[^\W_]+(?:'[^\W\d_]+)*|[?!:,…]")
_NAME = re.compile(r"(?<=[^\W\d_,;] )[A-ZÀ-Þ][^\W\d_]+")
_CODE = re.compile(r"[{}=;<>]|\w\(|`|::|->|\w_\w")
_BEGINNING = "<s>"
_LONGEST_CUE = 3
_FEW, _MANY = 5, 25
_FORMS = ("words", "few words", "many words", "number", "names", "many commas", "exclaims", "asks at the end", "code")


class Features(NamedTuple):
    """What stands in a unit: the places of its words and pairs, each worth `share`, and its cues and form by number."""

    places: Sequence[int]
    share: float
    marks: Sequence[float]


def names() -> tuple[str, ...]:
    """Return what each of the marks is."""
    return (*cues(), *_FORMS)


def features(said: str) -> Features:
    """Return the features of a unit; its straight apostrophes are part of its words."""
    tokens = [_BEGINNING, *(_token(each) for each in _TOKEN.findall(said)), "</s>"]
    places = sorted({crc32(gram.encode()) % BUCKETS for gram in (*tokens, *map(" ".join, pairwise(tokens)))})
    return Features(places, 1 / sqrt(len(places)), (*_cued(tokens), *_form(said, len(tokens) - 2)))


@cache
def cues() -> Mapping[str, frozenset[str]]:
    """Return by name the words and phrases that hint at something, of several languages together."""
    found: dict[str, list[str]] = json.loads(_CUES.read_text("utf-8"))
    return {name: frozenset(map(_phrase, phrases)) for name, phrases in found.items()}


def _phrase(cue: str) -> str:
    """Return a cue as it is compared; one that begins with <s> stands at the beginning."""
    rest = cue.removeprefix(_BEGINNING)
    return " ".join([*([_BEGINNING] if rest != cue else []), *map(_token, _TOKEN.findall(rest))])


def _token(word: str) -> str:
    """Return a word as it is compared: in small letters, a number as such, whatever it is."""
    return "0" if word.isdecimal() else "0x" if word[0].isdecimal() else word.casefold()


def _cued(tokens: Sequence[str]) -> Iterator[float]:
    phrases = {" ".join(tokens[at : at + size]) for size in range(1, _LONGEST_CUE + 1) for at in range(len(tokens))}
    return (float(not said.isdisjoint(phrases)) for said in cues().values())


def _form(said: str, count: int) -> Iterator[float]:
    yield min(count, 40) / 20
    yield float(count < _FEW)
    yield float(count > _MANY)
    yield float(any(map(str.isdecimal, said)))
    yield min(len(_NAME.findall(said)), 4) / 2
    yield float(said.count(",") > 1)
    yield float(said.endswith("!"))
    yield float(asks(said))
    yield float(_CODE.search(said) is not None)
