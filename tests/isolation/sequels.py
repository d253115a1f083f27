"""Calls about what a call before them made: drawn by themselves they would hardly name it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from random import Random
from typing import Any, Final

from isolation.answers import fields_of
from isolation.names import PROJECTS, Names, text
from isolation.stage import Door, Party, Seen, Step

_DOORS: Final[Sequence[Door]] = ("http", "mcp")
_WHERE: Final = frozenset({"project", "session_id", "user_id"})
_A_TURN: Final = frozenset({"project", "session_id", "turn_id"})


def sequels(draw: Random, step: Step, seen: Seen) -> Iterator[Step]:
    """Yield what may follow: a turn is taken back, an archived session is read, a memory is forgotten."""
    match step.tool:
        case "memory_after_turn" if draw.random() < 0.3:
            yield _after(step, "memory_take_back_turn", _named(step, _A_TURN))
        case "store_session_to_cascade" if pointer := fields_of(step, seen).get("pointer"):
            yield _after(step, "retrieve_session_from_cascade", {"pointer": pointer})
        case "remember" if draw.random() < 0.5:
            yield from letting_go(step, seen)
        case _:
            pass


def letting_go(step: Step, seen: Seen) -> Iterator[Step]:
    """Yield calls that forget what was just kept, where it was, and ask for what was forgotten."""
    if memory := fields_of(step, seen).get("memory_id"):
        where = _named(step, _WHERE)
        yield _after(step, "forget", {**where, "memory_id": memory, "reason": "It was not so."})
        yield _after(step, "recall", {**where, "include_superseded": True, "limit": 50})


def keeping(draw: Random, names: Names, parties: Sequence[Party], credential: dict[str, str]) -> list[Step]:
    """Return calls by which all parties keep the same, under the same names where these are not their own."""
    said, scope = text(draw), draw.choice(["session", "user", "project", "user_everywhere"])
    session, user = draw.choice(names.of["session_id"]), draw.choice(names.of["user_id"])
    project = draw.choice(names.of.get("project", PROJECTS))
    return [
        Step(
            party=party,
            door=draw.choice(_DOORS),
            at=0.0,
            tool="remember",
            arguments={
                "project": (party.projects or (project,))[0],
                "session_id": session,
                "user_id": party.user or user,
                "content": said,
                "scope": scope,
            },
            credential={**credential, **party.bounds},
        )
        for party in parties
    ]


def _after(step: Step, tool: str, arguments: dict[str, Any]) -> Step:
    return replace(step, tool=tool, arguments=arguments, stolen=frozenset())


def _named(step: Step, fields: frozenset[str]) -> dict[str, Any]:
    return {name: value for name, value in step.arguments.items() if name in fields}
