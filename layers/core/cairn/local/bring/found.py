"""What is found where something is brought from, whoever wrote it there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from cairn.hooks.events import ToolUse
from cairn.log.memories import MemoryType


@dataclass(frozen=True, slots=True)
class Place:
    """A file, and the number of a line in it, or of an entry where the file is one document."""

    file: Path
    number: int

    def __str__(self) -> str:
        """Return it as compilers name places."""
        return f"{self.file}:{self.number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundTurn:
    """A prompt, what tools did, and what was answered up to the next prompt.

    `folder` is where the agent worked, "" where that is not known. `until` is when the last of it happened, and `ended`
    tells whether that was an answer. A turn whose id is a moment after `since`, and not after `at`, is this one.
    """

    place: Place
    session: str
    folder: str
    turn: str
    prompt: str
    at: datetime | None
    until: datetime | None = None
    since: datetime | None = None
    uses: tuple[ToolUse, ...] = ()
    answers: tuple[str, ...] = ()
    ended: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundMemory:
    """A single thing that was kept.

    It is of a `folder`, the whole project's where `of_project`; without a folder it is of its user in all projects.
    """

    place: Place
    content: str
    type: MemoryType = "fact"
    at: datetime | None = None
    user: str = ""
    folder: str = ""
    of_project: bool = False


@dataclass(frozen=True, slots=True)
class FoundEvent:
    """An event of AgentCore's, with its id and time."""

    place: Place
    id: str
    at: datetime
    event: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line or an entry that is not what it should be."""

    place: Place


Found: TypeAlias = FoundTurn | FoundMemory | FoundEvent | Unreadable


class Read(Protocol):
    """Reads all that is below a path, a file or a directory, and changes nothing."""

    def __call__(self, path: Path, /) -> Iterator[Found]:
        """Yield what is found, of a session in the order in which it was said."""
        ...
