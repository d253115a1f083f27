"""Store what is brought along, once: what is there is left as it is, however it came.

A turn is known by its session's and its own id, as its agent's hooks tell them, and a memory by what it says. A turn
that hooks still wait for is theirs to store; one that goes on now is left to the next run. What was taken back or
forgotten stays so.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground import ids
from cairn.ground.errors import Conflict, InvalidArgument
from cairn.ground.ids import Project, Tenant, TurnId, UserId
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.settings import MemoryScope
from cairn.ground.trust import Trust
from cairn.hooks.happenings import turn_id
from cairn.hooks.tool_results import items_of
from cairn.local.bring.found import Found, FoundEvent, FoundMemory, FoundTurn, Place, Unreadable
from cairn.local.bring.json_files import moment
from cairn.local.bring.markdown import parts
from cairn.local.hook.project_name import NAMELESS, project_of
from cairn.local.server.doors import load
from cairn.memories.model import Note
from cairn.memories.remember import remember, was_remembered
from cairn.services import Services
from cairn.sessions.head import stored_head
from cairn.turns.after_turn import commit
from cairn.turns.open_turns import newest
from cairn.upkeep.maintenance import ABANDONED_AFTER

STATEMENT: Final = "imported from {}"
"""Why a memory is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Into:
    """Where it is stored: under these names, or where they are None under those of the source.

    `owner` is whose it is where neither names anybody.
    """

    tenant: Tenant
    owner: UserId
    project: Project | None = None
    user: UserId | None = None


@dataclass(slots=True)
class Count:
    """What there is of one user in one project: sessions with new turns, new turns and memories, and what was there."""

    sessions: set[str] = field(default_factory=set[str])
    turns: int = 0
    memories: int = 0
    turns_there: int = 0
    memories_there: int = 0


@dataclass(slots=True)
class Outcome:
    """What came of everything; `unreadable` is what could be no turn and no memory, `unfinished` what goes on now."""

    counts: dict[tuple[Project, UserId], Count] = field(default_factory=dict[tuple[Project, UserId], Count])
    unreadable: list[Place] = field(default_factory=list[Place])
    unfinished: int = 0


class Storing:
    """Stores what is found, one by one; a `dry` one only counts."""

    def __init__(self, services: Services, source: str, into: Into, *, dry: bool = False) -> None:
        """Store what comes from a source of this name."""
        self._services = services
        self._source = source
        self._into = into
        self._dry = dry
        # Looking a memory up takes the tenant's key, and a tenant without one has nothing.
        self._is_empty = not services.vault.has_key(into.tenant)
        self._events: Any = None
        self._known: dict[Session, set[TurnId]] = {}
        self._counted = set[tuple[object, ...]]()
        self.outcome = Outcome()

    def take(self, found: Found) -> None:
        """Store it unless it is there; what no name can be made of counts as unreadable."""
        try:
            match found:
                case FoundTurn():
                    self._take_turn(found)
                case FoundMemory():
                    self._take_memory(found)
                case FoundEvent():
                    self._take_event(found)
                case Unreadable():
                    self.outcome.unreadable.append(found.place)
        except InvalidArgument:
            self.outcome.unreadable.append(found.place)

    def _take_turn(self, found: FoundTurn) -> None:
        session = Session(self._into.tenant, self._project(found.folder), ids.session_id(found.session))
        user, known = self._into.user or self._into.owner, self._turns_of(session)
        name = turn_id(found.turn)
        if self._goes_on(found):
            self.outcome.unfinished += 1
            return
        count = self._count(session.project, user)
        if self._is_there(session, name, found, known) or not self._stored(session, _completion(found, name, user)):
            count.turns_there += 1
            return
        known.add(name)
        count.turns += 1
        count.sessions.add(session.session_id)

    def _take_event(self, found: FoundEvent) -> None:
        """Keep an event as the door for AWS's clients does."""
        if self._events is None:
            importing = load("cairn_agentcore.importing.Importing")
            self._events = importing(self._services, self._into.tenant, self._into.project, self._into.user)
        project, user = self._events.project(found.event), self._events.user(found.event)
        count = self._count(project, user)
        if self._events.is_there(found.event):
            count.turns_there += 1
            return
        if not self._dry:
            self._events.keep(found.event)
        count.turns += 1
        count.sessions.add(str(found.event.get("sessionId")))

    def _stored(self, session: Session, turn: Completion) -> bool:
        """Store a turn, and tell whether it was not there."""
        if self._dry:
            return True
        try:
            return not commit(self._services, session, turn).replayed
        except Conflict:
            return False

    def _turns_of(self, session: Session) -> set[TurnId]:
        """Return the turns that a session has, or that hooks wait for, as far as they are told by its logs."""
        if session not in self._known:
            head = stored_head(self._services.adapters.table, session)
            found = {turn.turn_id for turn in self._services.open_turns.read(session)}
            for owner in head.owners if head else ():
                self._services.log.refresh(session.tenant, session.project, owner)
                with self._services.log.view(session.tenant, session.project, owner) as view:
                    found |= {stamp.turn_id for stamp in view.turns(session.session_id)}
            self._known[session] = found
        return self._known[session]

    def _is_there(self, session: Session, name: TurnId, found: FoundTurn, known: set[TurnId]) -> bool:
        if name in known or self._services.guards.is_done(session, name):
            return True
        since, at = found.since, found.at
        if since is None or at is None:
            return False
        return any(since < told <= at for each in known if (told := moment(each)) is not None)

    def _goes_on(self, found: FoundTurn) -> bool:
        now = self._services.adapters.clock.now()
        return not found.ended and found.until is not None and now - found.until < ABANDONED_AFTER

    def _take_memory(self, found: FoundMemory) -> None:
        project, user = self._project(found.folder), self._user(found.user)
        session, count = Session(self._into.tenant, project, NO_SESSION), self._count(project, user)
        for content in parts(found.content):
            note = Note(
                content=content,
                type=found.type,
                rationale=STATEMENT.format(self._source),
                scope=self._scope(found),
                user_id=user,
                at=found.at,
                trust=Trust.IMPORT,
            )
            if self._is_kept(session, note):
                count.memories_there += 1
            else:
                count.memories += 1

    def _is_kept(self, session: Session, note: Note) -> bool:
        """Keep a memory, and tell whether it was kept before, or one that says the same."""
        same = (session, note.scope, note.user_id, note.content)
        if same in self._counted or (not self._is_empty and was_remembered(self._services, session, note)):
            return True
        self._counted.add(same)
        return not self._dry and not remember(self._services, session, note).new

    def _scope(self, found: FoundMemory) -> MemoryScope:
        """Return for whom a memory is kept: without any project for its user in all of them, where that is on."""
        if found.of_project:
            return "project"
        settings = self._services.settings.memory_for(self._into.tenant)
        is_of_none = not found.folder and self._into.project is None
        return "user_everywhere" if is_of_none and settings.across_projects else "user"

    def _project(self, folder: str) -> Project:
        return self._into.project or ids.project(_project_name(folder))

    def _user(self, named: str) -> UserId:
        return self._into.user or (ids.user_id(named) if named else self._into.owner)

    def _count(self, project: Project, user: UserId) -> Count:
        return self.outcome.counts.setdefault((project, user), Count())


def in_order(found: Sequence[Found]) -> list[Found]:
    """Return what was found in the order in which it was said or kept; what has no time comes first, as it was read."""
    return sorted(found, key=lambda each: (_at(each), each.id if isinstance(each, FoundEvent) else ""))


def _at(found: Found) -> float:
    at: datetime | None = None if isinstance(found, Unreadable) else found.at
    return at.timestamp() if at else 0.0


def _completion(found: FoundTurn, name: TurnId, user: UserId) -> Completion:
    answers = (message("assistant", each, "output_text") for each in found.answers)
    return Completion(
        turn_id=name,
        user_id=user,
        inputs=(message("user", found.prompt),),
        outputs=(*newest(items_of(found.uses)), *answers),
        at=found.at,
        most=Trust.IMPORT,
    )


@cache
def _project_name(folder: str) -> str:
    return project_of(Path(folder)) if folder else NAMELESS
