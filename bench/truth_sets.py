"""Stories that people tell over months, with labels of what is true at the end, and ordinary turns between them.

A story's file holds sessions of turns; facts, each with its states in order, the last of which counts; traps, which
sound lasting and are not; and questions for a later conversation. Half of the stories, drawn at random, are held out:
nobody looks at how they go, but for the figures of all of them.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data/truth"
_SEED = 18


@dataclass(frozen=True, slots=True)
class Turn:
    """What a user said and what the assistant answered; `id` names it in its story."""

    id: str
    user: str
    assistant: str


@dataclass(frozen=True, slots=True)
class Sitting:
    """A conversation: when it began, and its turns."""

    at: datetime
    turns: tuple[Turn, ...]


@dataclass(frozen=True, slots=True)
class StateOfAffairs:
    """What holds from a turn on, the words that tell it; none where something ended."""

    turn: str
    quote: str
    words: tuple[str, ...]
    relation: str


@dataclass(frozen=True, slots=True)
class Labelled:
    """Something lasting that a story tells, through all its states."""

    id: str
    kind: str
    states: tuple[StateOfAffairs, ...]

    @property
    def true_words(self) -> tuple[str, ...]:
        """Return what tells the present: the words of the last state and of those that it only adds to."""
        return tuple(word for state in self._held() for word in state.words)

    @property
    def outdated(self) -> tuple[tuple[str, ...], ...]:
        """Return the words of states that no longer hold, without those that the present has too."""
        held, true = self._held(), {word.casefold() for word in self.true_words}
        past = (state for state in self.states if state not in held)
        marked = (tuple(word for word in state.words if word.casefold() not in true) for state in past)
        return tuple(words for words in marked if words)

    @property
    def changed(self) -> str | None:
        """Return how it changed last, None where it never did."""
        return next((state.relation for state in reversed(self.states) if state.relation not in {"", "adds"}), None)

    def _held(self) -> list[StateOfAffairs]:
        held: list[StateOfAffairs] = []
        for state in self.states:
            held = [*held, state] if state.relation in {"", "adds"} else [state]
        return held


@dataclass(frozen=True, slots=True)
class Query:
    """A question for a later conversation: the words of its right answer, and those of an outdated one."""

    ask: str
    fact: str
    right: tuple[str, ...]
    stale: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Story:
    """What a user told over months."""

    name: str
    language: str
    domain: str
    sittings: tuple[Sitting, ...]
    facts: tuple[Labelled, ...]
    traps: tuple[str, ...]
    queries: tuple[Query, ...]

    @property
    def telling(self) -> frozenset[str]:
        """Return the ids of the turns that tell something lasting."""
        return frozenset(state.turn for fact in self.facts for state in fact.states)


def stories(*, held_out: bool) -> list[Story]:
    """Return the stories of one half."""
    found = [_story(json.loads(path.read_text("utf-8"))) for path in sorted(DATA.glob("*.json"))]
    random.Random(_SEED).shuffle(found)  # noqa: S311 - the same halves every time
    return sorted(found[len(found) // 2 :] if held_out else found[: len(found) // 2], key=lambda story: story.name)


def fillers(language: str) -> list[Turn]:
    """Return ordinary turns in a language, and in English."""
    found: list[Turn] = []
    for path in sorted((DATA / "fillers").glob("*.json")):
        if path.name.startswith((f"{language}-", "en-")):
            turns: Sequence[Mapping[str, str]] = json.loads(path.read_text("utf-8"))
            found += [Turn(f"{path.stem}-{at}", turn["user"], turn["assistant"]) for at, turn in enumerate(turns)]
    return found


def tells(text: str, words: Sequence[str]) -> bool:
    """Tell whether a text holds all of the words, in any case, each as a whole or with an "s" behind."""
    return bool(words) and all(place_of(text, word) is not None for word in words)


def place_of(text: str, word: str) -> int | None:
    """Return where a text holds a word for the first time."""
    found = re.search(rf"(?<!\w){re.escape(word)}(?:'?s)?(?!\w)", text, re.IGNORECASE)
    return None if found is None else found.start()


def turn_id(session: int, turn: int) -> str:
    """Return the name of a story's turn."""
    return f"s{session}-t{turn}"


def _story(record: Mapping[str, Any]) -> Story:
    return Story(
        name=record["name"],
        language=record["language"],
        domain=record["domain"],
        sittings=tuple(
            Sitting(
                datetime.fromisoformat(session["at"]),
                tuple(
                    Turn(turn_id(number, place), turn["user"], turn["assistant"])
                    for place, turn in enumerate(session["turns"])
                ),
            )
            for number, session in enumerate(record["sessions"])
        ),
        facts=tuple(_labelled(fact) for fact in record["facts"]),
        traps=tuple(trap["quote"] for trap in record["traps"]),
        queries=tuple(
            Query(each["ask"], each["fact"], tuple(each["right"]), tuple(each.get("stale", ())))
            for each in record["questions"]
        ),
    )


def _labelled(record: Mapping[str, Any]) -> Labelled:
    states = tuple(
        StateOfAffairs(
            turn_id(state["session"], state["turn"]),
            state["quote"],
            tuple(state.get("words", ())),
            state.get("relation", ""),
        )
        for state in record["states"]
    )
    return Labelled(record["id"], record["kind"], states)
