"""Sentences that tell something lasting, or sound so, and what a later sentence does to an earlier one: labelled.

Several hands wrote them, a file a subject. A subject has threads: something a speaker says first, and what they say
later, which repeats it, adds to it, replaces, ends, corrects or takes it back, or merely sounds near. Whole subjects
are kept apart when something is fitted, for sentences of one subject resemble each other.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from talk_sets import CHANGES

DATA = Path(__file__).parent / "data/statements"
KINDS = (
    "identity",
    "attribute",
    "relation",
    "preference",
    "instruction",
    "decision",
    "convention",
    "plan",
    "possession",
    "event",
    "none",
)
ABOUT = ("self", "other", "project")
RELATIONS = ("same", "adds", "replaces", "ends", "corrects", "takes_back", "mention")
NEGATIVES = (
    "hypothetical",
    "quote",
    "third person",
    "idiom",
    "question",
    "joke",
    "request",
    "past",
    "chat",
    "news",
    "wish",
    "near",
    "doubt",
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """What somebody says; `negative` is why it changes nothing, though it sounds so."""

    text: str
    kind: str
    about: str
    negative: str | None = None


@dataclass(frozen=True, slots=True)
class Pair:
    """An earlier sentence, a later one, and what the later one does to it."""

    earlier: Sentence
    later: Sentence
    relation: str

    @property
    def changed(self) -> frozenset[str]:
        """Return the text of the earlier sentence where it no longer holds, else nothing."""
        return frozenset({self.earlier.text} if self.relation in CHANGES else ())


@dataclass(frozen=True, slots=True)
class Subject:
    """Sentences of one subject by one hand, in one language."""

    name: str
    hand: str
    domain: str
    language: str
    pairs: tuple[Pair, ...]
    alone: tuple[Sentence, ...]

    def sentences(self) -> Iterator[Sentence]:
        """Yield every sentence once."""
        yield from dict.fromkeys(pair.earlier for pair in self.pairs)
        yield from (pair.later for pair in self.pairs)
        yield from self.alone


def subjects(data: Path = DATA) -> list[Subject]:
    """Return all subjects, in the order of hands and names."""
    return [_subject(path) for path in sorted(data.glob("*/*.json"))]


def _subject(path: Path) -> Subject:
    record = json.loads(path.read_text("utf-8"))
    pairs = tuple(pair for thread in record["threads"] for pair in _pairs(thread))
    alone = tuple(_sentence(each, each) for each in record["alone"])
    return Subject(record["subject"], path.parent.name, record["domain"], record["language"], pairs, alone)


def _pairs(thread: Mapping[str, Any]) -> Iterator[Pair]:
    first = _sentence(thread["first"], thread["first"])
    for later in thread["later"]:
        yield Pair(first, _sentence(later, thread["first"]), later["relation"])


def _sentence(record: Mapping[str, Any], like: Mapping[str, Any]) -> Sentence:
    kind, about = record.get("kind", like["kind"]), record.get("about", like["about"])
    return Sentence(record["text"], kind, about, record.get("negative"))
