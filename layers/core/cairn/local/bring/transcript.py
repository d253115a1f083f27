"""Turns of a transcript, put together of what happened in it: a turn lasts from its prompt to the next one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import TypeAlias

from cairn.hooks.events import Answered, Delegated, Prompted, ToolsUsed, ToolUse
from cairn.local.bring.found import FoundTurn, Place, Unreadable


@dataclass(frozen=True, slots=True)
class Step:
    """Something that happened in a session, and when; `since` is when something happened last before a prompt."""

    place: Place
    at: datetime | None
    happened: Prompted | ToolsUsed | Delegated | Answered
    since: datetime | None = None


Steps: TypeAlias = Iterable[Step | Unreadable]


def turns_of(session: str, folder: str, steps: Steps) -> Iterator[FoundTurn | Unreadable]:
    """Yield the turns of a session; what happened before the first prompt is of none.

    A command of the agent itself, such as /clear, to which no model answered anything, is no turn.
    """
    turn: FoundTurn | None = None
    for step in steps:
        if isinstance(step, Unreadable):
            yield step
        elif isinstance(step.happened, Prompted) and (turn is None or turn.turn != step.happened.turn):
            yield from _whole(turn)
            turn = _begun(session, folder, step, step.happened)
        elif turn is not None:
            turn = replace(_with(turn, step.happened), until=step.at or turn.until)
    yield from _whole(turn)


def _begun(session: str, folder: str, step: Step, prompted: Prompted) -> FoundTurn:
    return FoundTurn(
        place=step.place,
        session=session,
        folder=folder,
        turn=prompted.turn or prompted.prompt,
        prompt=prompted.prompt,
        at=step.at,
        until=step.at,
        since=step.since,
        ended=False,
    )


def _with(turn: FoundTurn, happened: Prompted | ToolsUsed | Delegated | Answered) -> FoundTurn:
    match happened:
        case Prompted():
            return replace(turn, prompt=f"{turn.prompt}\n\n{happened.prompt}", ended=False)
        case ToolsUsed():
            return replace(turn, uses=(*turn.uses, *happened.uses), ended=False)
        case Delegated():
            use = ToolUse(id=happened.agent, name=happened.name, given=None, gave=happened.answer)
            return replace(turn, uses=(*turn.uses, use), ended=False)
        case Answered():
            return replace(turn, answers=(*turn.answers, happened.answer), ended=True)


def _whole(turn: FoundTurn | None) -> Iterator[FoundTurn]:
    if turn is not None and (turn.answers or turn.uses or not turn.prompt.startswith("/")):
        yield turn
