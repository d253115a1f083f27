"""What people tell an assistant over months, turn by turn, with each stretch labelled that tells something lasting.

Several hands wrote the stories. All that no label covers tells nothing lasting; traps sound as if they did.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cairn.statements.units import Unit, units

DATA = Path(__file__).parent / "data/talk"
CHATS = frozenset({"gil", "hob", "ivy", "jax"})
"""The hands that wrote chats among friends, and of everyday help in which nothing lasting is told."""
CHANGES = frozenset({"replaces", "ends", "corrects", "takes_back"})


@dataclass(frozen=True, slots=True)
class Said:
    """A unit of a story: its words, and of the statement in it the id, what it is, and what it does to which other."""

    text: str
    id: str | None = None
    kind: str = "none"
    about: str = "self"
    relation: str = ""
    to: str | None = None

    @property
    def lasts(self) -> bool:
        """Tell whether it tells something lasting."""
        return self.id is not None

    @property
    def changes(self) -> bool:
        """Tell whether something that was said before no longer holds."""
        return self.relation in CHANGES


@dataclass(frozen=True, slots=True)
class Talk:
    """What one user said over months."""

    name: str
    language: str
    said: tuple[Said, ...]

    @property
    def is_chat(self) -> bool:
        """Tell whether it is told to a friend rather than to an assistant."""
        return self.name.partition("/")[0] in CHATS


def talks(data: Path = DATA) -> list[Talk]:
    """Return all stories, in the order of hands and names."""
    return [_talk(path) for path in sorted(data.glob("*/*.json"))]


def _talk(path: Path) -> Talk:
    record = json.loads(path.read_text("utf-8"))
    said = (
        _said(unit, turn, [each for each in record["statements"] if each["turn"] == number])
        for number, turn in enumerate(record["turns"])
        for unit in units(turn)
    )
    return Talk(f"{path.parent.name}/{path.stem}", record["language"], tuple(said))


def _said(unit: Unit, turn: str, labels: list[dict[str, Any]]) -> Said:
    """Return a unit with the label that covers at least half of it, or that it covers at least half of."""
    best, most = None, 0
    for label in labels:
        begin = turn.index(label["quote"])
        shared = min(unit.end, begin + len(label["quote"])) - max(unit.start, begin)
        if shared > most and 2 * shared >= min(unit.end - unit.start, len(label["quote"])):
            best, most = label, shared
    if best is None:
        return Said(unit.said)
    return Said(unit.said, best["id"], best["kind"], best["about"], best.get("relation", ""), best.get("to"))


def changed(said: Said, held: Sequence[Said]) -> frozenset[str]:
    """Return the texts of what is held that no longer holds once this is said."""
    return frozenset(each.text for each in held if said.changes and each.id == said.to)


def current(talk: Talk) -> Iterator[tuple[Said, list[Said]]]:
    """Yield each unit with the statements that hold before it, in the order they were said."""
    held: list[Said] = []
    for said in talk.said:
        yield said, list(held)
        if said.changes:
            held = [each for each in held if each.id != said.to]
        if said.lasts and all(each.id != said.id for each in held):
            held.append(said)
