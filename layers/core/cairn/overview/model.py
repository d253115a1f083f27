"""What is listed, as plain values."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from itertools import islice
from typing import Generic, Literal, TypeAlias, TypeVar

from cairn.facts.facts import Fact
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import ResponseItem
from cairn.log.memories import Memory

T = TypeVar("T")
ChangeKind: TypeAlias = Literal["learnt", "replaced", "forgotten", "ended", "kept"]
"""What became of a fact or memory: noted, noted in place of another value, let go of by request, ended, remembered."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One change of what is known of a user: when, what kind, which fact or memory, and the session that made it.

    `was` is the value that it replaced, `by` the id of what took its place since. `session_id` is "" where it is none
    from here, `turn_id` where no turn is known. `believed` tells whether it is what is believed now, or kept.
    """

    at: datetime
    kind: ChangeKind
    id: str
    about: str
    value: str
    was: str | None
    quote: str
    session_id: SessionId
    turn_id: str
    by: str | None
    reason: str | None
    everywhere: bool
    believed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Day:
    """How many changes of each kind a day in UTC saw, and how many turns."""

    day: date
    learnt: int
    replaced: int
    forgotten: int
    ended: int
    kept: int
    turns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Totals:
    """How much there is now: facts that are believed, memories that are kept, turns and conversations."""

    facts: int
    memories: int
    turns: int
    conversations: int


@dataclass(frozen=True, slots=True)
class Days:
    """The days, oldest first, and the totals, of `logs` of the users, and sessions without one, of whom there are some.

    `of_logs` is how many there are.
    """

    days: tuple[Day, ...]
    totals: Totals
    logs: int
    of_logs: int
