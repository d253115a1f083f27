"""remember: keep a memory exactly once, in one transaction, within its session's limit.

A memory is named by what it says, under the tenant's key: told twice, as after a lost answer, it is one memory; only
where it was forgotten meanwhile it is kept again, under another id.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial

from cairn.ground.codec import canonical
from cairn.ground.errors import CairnError, QuotaExceeded, TransactionRefused
from cairn.ground.jobs import IndexLog
from cairn.ground.session import Session
from cairn.ground.table import ABSENT, AnyOf, Attributes, Key, LessThan, Missing, Put, Update, Write
from cairn.log.entries import LogEntry
from cairn.log.layout import log_pk, memory_owner, memory_sk
from cairn.log.manifest import ENTRIES
from cairn.log.memories import Memory
from cairn.memories.model import MOST_PER_SESSION, Note
from cairn.sessions.layout import MEMORY_COUNT, session_pk
from cairn.sessions.services import SessionServices
from cairn.sessions.transacting import transact

PURPOSE = "memory"
KEPT = "kept"
FORGOTTEN = "forgotten"


def remember(services: SessionServices, session: Session, note: Note) -> str:
    """Keep the memory and return its id, the same one where it is kept already.

    QuotaExceeded where the session keeps as many as it may; Unavailable may be tried again.
    """
    return _Remembering(services, session, note).run()


class _Remembering:
    """One call of remember."""

    def __init__(self, services: SessionServices, session: Session, note: Note) -> None:
        self._services = services
        self._session = session
        self._note = note
        self._owner = memory_owner(note.scope, note.user_id, session.session_id)
        self._pk = log_pk(session.tenant, session.project, self._owner)

    def run(self) -> str:
        name = self._name("")
        while (ended := self._store(name)) is not None:
            name = self._name(ended)
        return name

    def _store(self, name: str) -> str | None:
        """Keep the memory unless one of this name is kept; of one that was forgotten return what it ended with."""
        taken = transact(self._services, partial(self._writes, name), _taken, partial(self._jobs, name))
        if taken is None:
            self._services.registry.note(self._session, self._owner)
            return None
        ended = taken.get("ended")
        return None if ended is None else str(ended)

    def _writes(self, name: str) -> list[Write]:
        """Return what keeps the memory: its item, the session's count, the entry of the log."""
        adapters, session, note = self._services.adapters, self._session, self._note
        now = adapters.clock.now()
        memory = Memory(
            id=name,
            type=note.type,
            content=note.content,
            confidence=note.confidence,
            rationale=note.rationale,
            scope=note.scope,
            session_id=session.session_id,
            user_id=note.user_id,
            recorded_at=now,
        )
        entry = LogEntry(session_id=session.session_id, at=now, remembered=(memory,))
        append = self._services.log.append(session.tenant, session.project, self._owner, entry)
        room = AnyOf((Missing("kept"), LessThan("kept", MOST_PER_SESSION)))
        return [
            Put({"pk": self._pk, "sk": memory_sk(name), "state": KEPT}, ABSENT),
            Update(Key(session_pk(session), MEMORY_COUNT), add={"kept": 1}, condition=room),
            append,
            *self._services.log.in_order(append),
            *self._services.registry.writes(session, self._owner),
        ]

    def _name(self, ended: str) -> str:
        """Return the name of the memory, or of the next one that says the same where the last one has ended."""
        note = self._note
        said = [self._pk, self._session.session_id, note.type, note.content, note.confidence, note.rationale, ended]
        tag = self._services.vault.sign(self._session.tenant, PURPOSE, canonical(said))
        return f"{note.scope[0]}-{tag.partition('.')[2]}"

    def _jobs(self, name: str) -> list[Callable[[], None]]:
        """Return the call that has the log indexed: one memory in ENTRIES makes it, as nothing here reads the tail."""
        if int(name[-8:], 16) % ENTRIES:
            return []
        job = IndexLog(self._session.tenant, self._session.project, self._owner)

        def send() -> None:
            with suppress(CairnError):
                self._services.adapters.jobs.send([job])

        return [send]


def _taken(_: Sequence[Write], refused: TransactionRefused) -> Attributes | None:
    """Return what is stored under the memory's name, None where nothing is; QuotaExceeded where there is no room."""
    taken, counted = refused.reasons[:2]
    if taken is not None and taken.code == "condition":
        return taken.item or {}
    if counted is not None and counted.code == "condition":
        message = f"The session keeps {MOST_PER_SESSION} memories, as many as it may"
        raise QuotaExceeded(message, {"limit": MOST_PER_SESSION}) from None
    return None
