"""Conversations to replay, and the one shipped with Cairn."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any


@dataclass(frozen=True, slots=True)
class SceneTurn:
    """What a user said and what the assistant answered, each as one or more messages; either side may be silent.

    `expect` must be in what memory gave before the turn; `reject` must not be among the facts it gave.
    """

    turn_id: str
    user: tuple[str, ...]
    assistant: tuple[str, ...]
    expect: tuple[str, ...] = ()
    reject: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Scene:
    """Turns in the order they were spoken."""

    session_id: str
    title: str
    turns: tuple[SceneTurn, ...]


@dataclass(frozen=True, slots=True)
class Conversation:
    """What one user said to one assistant, session by session."""

    user_id: str
    title: str
    sessions: tuple[Scene, ...]
    second_agent: Scene | None = None
    """What another agent is asked afterwards, in a session of its own in which nothing is stored."""

    @property
    def turns(self) -> tuple[tuple[Scene, SceneTurn], ...]:
        """Every turn with its session, in order."""
        return tuple((session, turn) for session in self.sessions for turn in session.turns)


def shipped() -> Conversation:
    """Return the conversation that comes with Cairn."""
    text = files("cairn.local.demo").joinpath("conversations", "marta.json").read_text(encoding="utf-8")
    return _conversation(json.loads(text))


def _conversation(document: Mapping[str, Any]) -> Conversation:
    sessions = (
        Scene(each["session_id"], each["title"], tuple(map(_turn, each["turns"]))) for each in document["sessions"]
    )
    return Conversation(document["user_id"], document["title"], tuple(sessions), _asked(document["second_agent"]))


def _asked(document: Mapping[str, Any]) -> Scene:
    asks = (
        SceneTurn(f"ask {number}", (each["question"],), (), _strings(each["expect"]), _strings(each.get("reject", ())))
        for number, each in enumerate(document["asks"], 1)
    )
    return Scene(document["session_id"], document["title"], tuple(asks))


def _turn(document: Mapping[str, Any]) -> SceneTurn:
    return SceneTurn(
        turn_id=document["turn_id"],
        user=(document["user"],),
        assistant=(document["assistant"],),
        expect=_strings(document.get("expect", ())),
        reject=_strings(document.get("reject", ())),
    )


def _strings(values: Sequence[str]) -> tuple[str, ...]:
    return tuple(values)
