"""What happened in an agent, whichever agent it is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUse:
    """A tool that was used: the id of its call, its name, what it was given and what it gave, as JSON values."""

    id: str
    name: str
    given: object
    gave: object


@dataclass(frozen=True, slots=True)
class Begun:
    """A session begins or goes on; the agent may be told what holds, before anything is asked."""


@dataclass(frozen=True, slots=True)
class Prompted:
    """The user said something, and the model is asked next. `turn` is the agent's name for it, if it has one."""

    turn: str | None
    prompt: str


@dataclass(frozen=True, slots=True)
class ToolsUsed:
    """Tools gave their results in a turn; without a `turn` it is the one that waits for its end."""

    turn: str | None
    uses: tuple[ToolUse, ...]


@dataclass(frozen=True, slots=True)
class Delegated:
    """Another agent, which this one had asked, has answered."""

    turn: str | None
    agent: str
    name: str
    answer: str


@dataclass(frozen=True, slots=True)
class Answered:
    """The model has answered. `prompt` is what it answered, where the agent says so."""

    turn: str | None
    answer: str
    prompt: str | None = None


@dataclass(frozen=True, slots=True)
class Compacted:
    """The agent has put a summary in the place of its conversation; what was said before, it no longer has."""

    summary: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The session ends: no turn of it has an end to come."""


Happening: TypeAlias = Begun | Prompted | ToolsUsed | Delegated | Answered | Compacted | Ended


@dataclass(frozen=True, slots=True)
class Hook:
    """Something that happened in a session of an agent; None where nothing did that memory is to know of."""

    session: str
    folder: str
    happened: Happening | None
