"""What is listed, as plain values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Generic, TypeVar

from cairn.facts.facts import Fact
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import ResponseItem
from cairn.log.memories import Memory

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Place:
    """A project of a tenant."""

    tenant: Tenant
    project: Project


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some of a list; `next` is where the following page begins, None at the end."""

    listed: tuple[T, ...]
    next: str | None = None


def first_of(found: Iterable[str], limit: int) -> Page[str]:
    """Return a page of the first names, which goes on behind its last one."""
    some = tuple(islice(found, limit + 1))
    return Page(some[:limit], some[limit - 1] if len(some) > limit else None)


@dataclass(frozen=True, slots=True)
class ListedUser:
    """A user of a project, and when something was last stored in their memory."""

    user_id: UserId
    newest: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedSession:
    """A conversation: who spoke in it, its first and newest turn, how many turns, and how it began."""

    session_id: SessionId
    users: tuple[UserId, ...]
    begun: datetime
    newest: datetime
    turns: int
    opening: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredItem:
    """An item of a conversation, with the number and id of its turn, and when that was stored."""

    id: str
    turn: int
    turn_id: TurnId
    at: datetime
    user_id: UserId | None
    item: ResponseItem


@dataclass(frozen=True, slots=True)
class BelievedFact:
    """A fact that is believed now, here or `everywhere`, and the session that taught it, "" where not one from here."""

    fact: Fact
    session_id: SessionId
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class KeptMemory:
    """A memory that is kept, here or `everywhere`, and the session in which it was, "" where not one from here."""

    memory: Memory
    session_id: SessionId
    everywhere: bool = False


@dataclass(frozen=True, slots=True)
class Known:
    """The facts believed of a user and the memories kept for them, newest first; `more` did not fit."""

    facts: tuple[BelievedFact, ...]
    memories: tuple[KeptMemory, ...]
    more: int
