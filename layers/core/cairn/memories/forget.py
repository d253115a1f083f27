"""forget: hide a memory or a fact from every recall at once, and keep it on record with the reason and its replacement.

A memory's id tells where it is kept, so that one conditional transaction forgets it, or tells that this caller has no
such memory. A fact is looked for first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Literal

from cairn.facts.facts import Changes, Fact, State, subject
from cairn.ground.errors import InvalidArgument, TransactionRefused
from cairn.ground.ids import SessionId
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.table import Check, Equals, Key, Update, Write, key_of
from cairn.ground.trust import Trust
from cairn.log.entries import LogEntry
from cairn.log.layout import NEWEST, is_across, is_within, log_pk, memory_owner, memory_sk, named_in
from cairn.log.memories import FORGOTTEN, KEPT, Ending, scope_of
from cairn.memories.kept import kept_memory
from cairn.memories.model import ForgetRequest, absent, outranked
from cairn.sessions.layout import MEMORY_COUNT, session_pk
from cairn.sessions.open_logs import open_logs, visibility_of
from cairn.sessions.services import SessionServices
from cairn.sessions.settled_memories import settle
from cairn.sessions.transacting import transact

_IS_KEPT = Equals("state", KEPT)


def forget(services: SessionServices, session: Session, request: ForgetRequest) -> bool:
    """Forget what the request names, and tell whether its user can take that back; doing it again changes nothing.

    NotFound where the caller sees nothing of that id, or of the replacement's. Conflict where the replacement goes by a
    lower word, at a lower word.
    """
    return _Forgetting(services, session, request).run()


def words_of(services: SessionServices, session: Session, request: ForgetRequest) -> str | None:
    """Return what forget() would forget, in words, None where that was forgotten before; NotFound as there."""
    return _Forgetting(services, session, request).words()


class _Forgetting:
    """One call of forget."""

    def __init__(self, services: SessionServices, session: Session, request: ForgetRequest) -> None:
        self._services = services
        self._session = session
        self._request = request
        # What is kept in no session is looked for where the user's is.
        scope = "user" if session.session_id == NO_SESSION else None
        self._visibility = visibility_of(services, session, request.user_id, scope)

    def words(self) -> str | None:
        name = self._request.id
        if scope_of(name) is not None:
            memory, ending = kept_memory(self._services, self._session, self._request.user_id, name)
            return None if ending is not None else memory.content
        owners = open_logs(self._services, self._visibility)
        found = self._believed(name, owners)
        if found is None and self._forgotten_in(owners) is None:
            raise absent()
        return None if found is None else f"{subject(found[2])}: {found[2].value}"

    def run(self) -> bool:
        new = self._request.replacement_id
        names = [name for name in (self._request.id, new) if name is not None]
        facts = [name for name in names if scope_of(name) is None]
        owners = open_logs(self._services, self._visibility) if facts else []
        if self._session.session_id == NO_SESSION and "session" in {scope_of(self._request.id), scope_of(new or "")}:
            raise InvalidArgument("session_id", "is required to forget what a session keeps")
        if new == self._request.id:
            raise InvalidArgument("replacement_id", "must not be what is forgotten")
        if new in facts and self._believed(new, owners) is None:
            raise absent("replacement_id")
        for name in names:
            if name not in facts:
                settle(self._services, self._session, self._memory_owner(name), name)
        if new is not None:
            self._check_trust(self._request.id, new, owners)
        if self._request.id not in facts:
            transact(self._services, self._end_of_memory, _was_done)
            owner = self._memory_owner(self._request.id)
            return owner in self._visibility.own or not is_across(owner)
        if (found := self._believed(self._request.id, owners)) is not None:
            transact(self._services, partial(self._end_of_fact, *found), _was_done)
        owner = found[0] if found is not None else self._forgotten_in(owners)
        if owner is None:
            raise absent()
        return owner in self._visibility.own

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

    def _check_trust(self, old: str, new: str, owners: Sequence[str]) -> None:
        """Raise Conflict where a lower word would take the place of a higher one, and none as high asks for that."""
        held, instead = self._trust_of(old, owners), self._trust_of(new, owners)
        if held is not None and instead is not None and max(instead, self._request.trust) < held:
            raise outranked(old)

    def _trust_of(self, name: str, owners: Sequence[str]) -> Trust | None:
        """Return how far a fact or memory is trusted, None where there is none."""
        if scope_of(name) is None:
            found = self._believed(name, owners)
            return found[2].trust if found else None
        place = self._session.tenant, self._session.project, self._memory_owner(name)
        self._services.log.refresh(*place)
        with self._services.log.view(*place) as view:
            memory = view.memory(name)
        return memory.trust if memory else None

    def _believed(self, name: str, owners: Sequence[str]) -> tuple[str, SessionId, Fact] | None:
        """Return whose log holds the fact of this id, if it is believed and visible, and which session believes it."""
        now = self._services.adapters.clock.now()
        for owner in owners:
            with self._services.log.view(self._session.tenant, self._session.project, owner) as view:
                held = view.ledger.holder(name, now)
            if held is not None and is_within(self._visibility.session_of(owner), held[0]):
                return owner, *held
        return None

    def _forgotten_in(self, owners: Sequence[str]) -> str | None:
        """Return in whose log the fact was forgotten before, by a visible session."""
        for owner in owners:
            with self._services.log.view(self._session.tenant, self._session.project, owner) as view:
                ending = view.ending(self._request.id)
            if ending is not None and is_within(self._visibility.session_of(owner), ending.session_id):
                return owner
        return None

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
                raise absent("replacement_id")
            if (reason.item or {}).get("state") != FORGOTTEN:
                raise absent()
            return True
    return None
