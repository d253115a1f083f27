"""remember: keep a memory exactly once, in one transaction, within its session's limit.

A memory is named by its scope and what it says, under the tenant's key: told twice, in other letter case, with other
fields or after a lost answer, it stays the one memory that was kept first. Only where it was forgotten meanwhile it is
kept again, under another id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import cast

from cairn.facts.facts import normalise
from cairn.ground.attributes import text
from cairn.ground.codec import canonical
from cairn.ground.errors import Conflict, QuotaExceeded, Refusal, TransactionRefused
from cairn.ground.ids import is_branch, trunk
from cairn.ground.jobs import IndexLog
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.settings import MemoryScope
from cairn.ground.table import ABSENT, AnyOf, Attributes, Equals, Key, LessThan, Missing, Put, Update, Write, key_of
from cairn.log.entries import LogEntry
from cairn.log.layout import KEPT_COUNT, log_pk, logged_at, memory_owner, memory_sk, named_in
from cairn.log.manifest import ENTRIES
from cairn.log.memories import FORGOTTEN, KEPT, SCOPES, Ending, Memory, MemoryType
from cairn.log.newest import TICK
from cairn.memories.model import MOST_PER_SESSION, Note
from cairn.sessions.layout import MEMORY_COUNT, session_pk
from cairn.sessions.open_logs import kept_scope
from cairn.sessions.services import SessionServices
from cairn.sessions.settled_memories import settle
from cairn.sessions.transacting import asking_for, give_vectors, transact

PURPOSE = "memory"
_IS_KEPT = Equals("state", KEPT)
_LETTERS = {scope: letter for letter, scope in SCOPES.items()}


@dataclass(frozen=True, slots=True)
class Kept:
    """The memory that is kept: its id and type. It is `new` if this call kept it."""

    id: str
    type: MemoryType
    new: bool = True


def remember(services: SessionServices, session: Session, note: Note, instead_of: str | None = None) -> Kept:
    """Keep the memory and return it, or the one that says the same in its scope.

    If it is new, the memory of its scope `instead_of` which it is kept is forgotten in the same transaction; Conflict
    where that was forgotten before. QuotaExceeded where the session keeps as many as it may; Unavailable may be tried
    again.
    """
    return _Remembering(services, session, note, instead_of).run()


def was_remembered(services: SessionServices, session: Session, note: Note) -> bool:
    """Tell whether a memory that says the same in its scope is kept, or was and is forgotten since."""
    return _Remembering(services, session, note).was_kept()


class _Remembering:
    """One call of remember."""

    def __init__(self, services: SessionServices, session: Session, note: Note, instead_of: str | None = None) -> None:
        self._services = services
        self._session = session
        self._note = note
        self._old = instead_of
        self._scope: MemoryScope = kept_scope(services, session, note.user_id, note.scope)
        self._owner = memory_owner(self._scope, note.user_id, session.session_id)
        self._pk = log_pk(session.tenant, session.project, self._owner)
        # On a branch what says the same has the id that it has in the project.
        self._whose = log_pk(session.tenant, trunk(session.project), self._owner)
        self._appends: list[Put] = []

    def run(self) -> Kept:
        ended = ""
        while True:
            name = self._name(ended)
            for each in (name, *([self._old] if self._old else [])):
                settle(self._services, self._session, self._owner, each)
            taken = self._store(name)
            if taken is None:
                return Kept(name, self._note.type)
            if "ended" not in taken:
                return Kept(name, cast("MemoryType", text(taken, "type", self._note.type)), new=False)
            ended = text(taken, "ended")

    def was_kept(self) -> bool:
        return self._services.adapters.table.get(Key(self._pk, memory_sk(self._name("")))) is not None

    def _store(self, name: str) -> Attributes | None:
        """Keep the memory unless there is one of this name; return that one's item then."""
        taken = transact(self._services, partial(self._writes, name), _taken, partial(self._requests, name))
        if taken is None:
            self._services.registry.note(self._session, self._owner)
            give_vectors(self._services, self._session, self._owner, *self._appends)
        return taken

    def _writes(self, name: str) -> list[Write]:
        """Return what keeps the memory: its item, the session's count, the entry of the log."""
        adapters, session, note = self._services.adapters, self._session, self._note
        now, session_id = adapters.clock.now(), named_in(self._owner, session.project, session.session_id)
        memory = Memory(
            id=name,
            type=note.type,
            content=note.content,
            confidence=note.confidence,
            rationale=note.rationale,
            scope=self._scope,
            session_id=session_id,
            user_id=note.user_id,
            recorded_at=min(note.at or now, now),
            trust=note.trust,
            why=note.why,
        )
        entry = LogEntry(session_id=session_id, at=memory.recorded_at, remembered=(memory,))
        append = self._services.log.append(session.tenant, session.project, self._owner, entry, now)
        self._appends = [append]
        ending = Ending(id=self._old, at=now, session_id=session_id, replacement_id=name) if self._old else None
        endings = self._ending(ending, append) if ending else []
        room = AnyOf((Missing("kept"), LessThan("kept", MOST_PER_SESSION)))
        return [
            Put({"pk": self._pk, "sk": memory_sk(name), "state": KEPT, "type": note.type}, ABSENT),
            Update(self._count(), add={"kept": 1}, condition=room),
            append,
            *self._services.log.in_order(append, *(write for write in endings if isinstance(write, Put))),
            *self._services.registry.writes(session, self._owner),
            *endings,
        ]

    def _ending(self, ending: Ending, behind: Put) -> list[Write]:
        """Return what forgets the old memory, behind the entry that keeps the new one: an entry, and its own item."""
        # An entry of its own: whoever erases one memory leaves what is told of the other.
        entry = LogEntry(session_id=ending.session_id, at=ending.at, forgotten=(ending,))
        then = logged_at(key_of(behind).sk) + TICK
        append = self._services.log.append(self._session.tenant, self._session.project, self._owner, entry, then)
        over = {"state": FORGOTTEN, "ended": key_of(append).sk}
        return [append, Update(Key(self._pk, memory_sk(ending.id)), set=over, condition=_IS_KEPT)]

    def _count(self) -> Key:
        """Return where the memory counts: in its session, or in its log where it is kept in none."""
        is_of_session = self._session.session_id != NO_SESSION
        return Key(session_pk(self._session), MEMORY_COUNT) if is_of_session else Key(self._pk, KEPT_COUNT)

    def _name(self, ended: str) -> str:
        """Return the name of what the note says in its scope, or of the next such memory after the one that ended."""
        said = [self._whose, normalise(self._note.content), ended]
        tag = self._services.vault.sign(self._session.tenant, PURPOSE, canonical(said))
        return f"{_LETTERS[self._scope]}-{tag.partition('.')[2]}"

    def _requests(self, name: str) -> list[Callable[[], object]]:
        """Return the calls that have the memory embedded and, as nothing here reads the tail, one in ENTRIES indexed.

        And the one that lists its project.
        """
        session = self._session
        jobs = self._services.log.vectors_wanted(session.tenant, session.project, self._owner)
        if not (int(name[-8:], 16) % ENTRIES or is_branch(session.project)):
            jobs.append(IndexLog(session.tenant, session.project, self._owner))
        return [
            *asking_for(self._services, jobs),
            *self._services.registry.listing(session.tenant, session.project),
        ]


def _taken(writes: Sequence[Write], refused: TransactionRefused) -> Attributes | None:
    """Return what is stored under the memory's name, None where nothing is; QuotaExceeded where there is no room."""
    taken, counted = refused.reasons[:2]
    if taken is not None and taken.code == "condition":
        return taken.item or {}
    if _is_forgotten(writes[-1], refused.reasons[-1]):
        raise Conflict("what this was to be kept instead of was forgotten meanwhile")
    if counted is not None and counted.code == "condition":
        raise no_room(key_of(writes[1])) from None
    return None


def no_room(count: Key) -> QuotaExceeded:
    """Return the error that no more memories are kept of those that are counted there."""
    whose = "The session" if count.sk == MEMORY_COUNT else "The user or project, outside of sessions,"
    message = f"{whose} keeps {MOST_PER_SESSION} memories, as many as it may"
    return QuotaExceeded(message, {"limit": MOST_PER_SESSION})


def _is_forgotten(write: Write, reason: Refusal | None) -> bool:
    """Tell whether the last write was refused since it forgets what is forgotten."""
    forgets = isinstance(write, Update) and write.condition == _IS_KEPT
    return forgets and reason is not None and reason.code == "condition"
