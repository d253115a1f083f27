"""What is believed of people, and what each of them might say next: labelled, by several hands, a file a person.

What a person might say is independent of the rest they might say. Half of it changes one or two of the things believed,
mostly without a word of change and in other words than before; the rest only sounds so.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from statement_sets import Sentence

DATA = Path(__file__).parent / "data/changes"


@dataclass(frozen=True, slots=True)
class Next:
    """What somebody might say next, and the texts of what is believed that no longer holds then."""

    sentence: Sentence
    changed: frozenset[str]


@dataclass(frozen=True, slots=True)
class Person:
    """What is believed of somebody, in the order it was said, and what they might say next."""

    name: str
    language: str
    believed: tuple[Sentence, ...]
    said: tuple[Next, ...]


def persons(data: Path = DATA) -> list[Person]:
    """Return all persons, in the order of hands and names."""
    return [_person(path) for path in sorted(data.glob("*/*.json"))]


def _person(path: Path) -> Person:
    record = json.loads(path.read_text("utf-8"))
    believed = {each["id"]: _sentence(each) for each in record["believed"]}
    said = tuple(
        Next(_sentence(each), frozenset(believed[name].text for name in each["changes"])) for each in record["said"]
    )
    return Person(f"{path.parent.name}/{path.stem}", record["language"], tuple(believed.values()), said)


def _sentence(record: dict[str, Any]) -> Sentence:
    return Sentence(record["text"], record["kind"], record["about"])
