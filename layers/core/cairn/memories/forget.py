"""forget: hide a memory or a fact from every recall at once, and keep it on record with the reason and its replacement.

A memory's id tells where it is kept, so that one conditional transaction forgets it, or tells that this caller has no
such memory. A fact is looked for first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from cairn.facts.facts import Changes, Fact, State
from cairn.ground.errors import InvalidArgument, NotFound, TransactionRefused
from cairn.ground.ids import SessionId
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.table import Check, Equals, Key, Update, Write, key_of
from cairn.log.entries import LogEntry
from cairn.log.layout import NEWEST, is_within, log_pk, memory_owner, memory_sk, named_in
from cairn.log.memories import FORGOTTEN, KEPT, Ending, scope_of
from cairn.memories.model import ForgetRequest
from cairn.sessions.layout import MEMORY_COUNT, session_pk
from cairn.sessions.open_logs import open_logs, visibility_of
from cairn.sessions.services import SessionServices
from cairn.sessions.transacting import transact

_IS_KEPT = Equals("state", KEPT)


def forget(services: SessionServices, session: Session, request: ForgetRequest) -> None:
    """Forget what the request names; doing it again changes nothing.

    NotFound where the caller sees nothing of that id, or of the replacement's.
    """
    _Forgetting(services, session, request).run()


class _Forgetting:
    """One call of forget."""

    def __init__(self, services: SessionServices, session: Session, request: ForgetRequest) -> None:
        self._services = services
        self._session = session
        self._request = request
        # What is kept in no session is looked for where the user's is.
        scope = "user" if session.session_id == NO_SESSION else None
        self._visibility = visibility_of(services, session, request.user_id, scope)

    def run(self) -> None:
        new = self._request.replacement_id
        facts = [name for name in (self._request.id, new) if name is not None and scope_of(name) is None]
        owners = open_logs(self._services, self._visibility) if facts else []
        if self._session.session_id == NO_SESSION and "session" in {scope_of(self._request.id), scope_of(new or "")}:
            raise InvalidArgument("session_id", "is required to forget what a session keeps")
        if new == self._request.id:
            raise InvalidArgument("replacement_id", "must not be what is forgotten")
        if new in facts and self._believed(new, owners) is None:
            raise _absent("replacement_id")
        if self._request.id not in facts:
            transact(self._services, self._end_of_memory, _was_done)
        elif (found := self._believed(self._request.id, owners)) is not None:
            transact(self._services, partial(self._end_of_fact, *found), _was_done)
        elif not self._is_forgotten(owners):
            raise _absent("memory_id")

    def _end_of_memory(self) -> list[Write]:
        """Return what ends a memory that is kept: its item, the log's entry, its replacement's being kept."""
        request, session = self._request, self._session
        where, owner = self._memory_key(request.id), self._memory_owner(request.id)
        entry = self._services.log.append(session.tenant, session.project, owner, self._entry(owner))
        writes: list[Write] = [
            Update(where, set={"state": FORGOTTEN, "ended": str(entry.item["sk"])}, condition=_IS_KEPT),
            entry,
            *self._services.log.in_order(entry),
        ]
        if scope_of(request.id) == "session":
            writes.append(Update(Key(session_pk(session), MEMORY_COUNT), add={"forgotten": 1}))
        return writes + self._replacement_is_kept()

    def _end_of_fact(self, owner: str, holder: SessionId, fact: Fact) -> list[Write]:
        """Return what ends a fact for the session that believes it, and for every wider view."""
        new, now = self._request.replacement_id, self._services.adapters.clock.now()
        deleted = replace(fact, state=State.DELETED, valid_to=now, superseded_by=new)
        entry = replace(self._entry(owner), session_id=holder, changes=Changes(deleted=(deleted,)))
        append = self._services.log.append(self._session.tenant, self._session.project, owner, entry)
        return [append, *self._services.log.in_order(append), *self._replacement_is_kept()]

    def _entry(self, owner: str) -> LogEntry:
        request, now = self._request, self._services.adapters.clock.now()
        session_id = named_in(owner, self._session.project, self._session.session_id)
        ending = Ending(
            id=request.id,
            at=now,
            session_id=session_id,
            reason=request.reason,
            replacement_id=request.replacement_id,
        )
        return LogEntry(session_id=session_id, at=now, forgotten=(ending,))

    def _replacement_is_kept(self) -> list[Write]:
        new = self._request.replacement_id
        return [] if new is None or scope_of(new) is None else [Check(self._memory_key(new), _IS_KEPT)]

    def _believed(self, name: str, owners: Sequence[str]) -> tuple[str, SessionId, Fact] | None:
        """Return whose log holds the fact of this id, if it is believed and visible, and which session believes it."""
        now = self._services.adapters.clock.now()
        for owner in owners:
            with self._services.log.view(self._session.tenant, self._session.project, owner) as view:
                held = view.ledger.holder(name, now)
            if held is not None and is_within(self._visibility.session_of(owner), held[0]):
                return owner, *held
        return None

    def _is_forgotten(self, owners: Sequence[str]) -> bool:
        """Tell whether the fact was forgotten before, by a visible session."""
        for owner in owners:
            with self._services.log.view(self._session.tenant, self._session.project, owner) as view:
                ending = view.ending(self._request.id)
            if ending is not None and is_within(self._visibility.session_of(owner), ending.session_id):
                return True
        return False

    def _memory_key(self, name: str) -> Key:
        pk = log_pk(self._session.tenant, self._session.project, self._memory_owner(name))
        return Key(pk, memory_sk(name))

    def _memory_owner(self, name: str) -> str:
        """Return whose log would hold the memory of this id, for this caller."""
        return memory_owner(scope_of(name) or "session", self._request.user_id, self._session.session_id)


def _was_done(writes: Sequence[Write], refused: TransactionRefused) -> Literal[True] | None:
    """Tell that the memory was forgotten before, None where the store was busy; NotFound where it is not there."""
    for write, reason in zip(writes, refused.reasons, strict=True):
        if reason is not None and reason.code == "condition" and key_of(write).sk != NEWEST:
            if isinstance(write, Check):
                raise _absent("replacement_id")
            if (reason.item or {}).get("state") != FORGOTTEN:
                raise _absent("memory_id")
            return True
    return None


def _absent(field: str) -> NotFound:
    return NotFound(f"{field} names nothing that is remembered here", {"field": field})
