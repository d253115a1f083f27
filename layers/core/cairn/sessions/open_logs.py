"""Open the memory logs that a call may see: bring them up to date in one round of reads, or two."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from cairn.ground.adapters import Pending
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import UserId
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.settings import MemoryScope, RecallScope
from cairn.log.layout import is_across, log_owner, memory_owner
from cairn.log.memories import SCOPES
from cairn.recall.searching import Visibility
from cairn.sessions.head import Head, sound_head
from cairn.sessions.services import SessionServices


def visibility_of(
    services: SessionServices,
    session: Session,
    user: UserId | None,
    scope: RecallScope | None = None,
    at: datetime | None = None,
) -> Visibility:
    """Return what a call of this session and user sees of facts; a scope that it names goes before the settings'.

    InvalidArgument where that takes a session, and none is named.
    """
    settings = services.settings.memory_for(session.tenant)
    scope = scope or settings.recall_scope
    if session.session_id == NO_SESSION and (scope == "session" or user is None):
        raise InvalidArgument("session_id", "is required where recall_scope is session, or no user is known")
    return Visibility(session, log_owner(user, session.session_id), scope, settings.across_projects, at)


def kept_scope(
    services: SessionServices, session: Session, user: UserId | None, scope: MemoryScope | None
) -> MemoryScope:
    """Return for whom a memory is kept: as the call says, or else for the user where one is known.

    InvalidArgument where what that takes is not named, or is switched off.
    """
    settings = services.settings.memory_for(session.tenant)
    usual: MemoryScope = "session" if user is None or settings.recall_scope == "session" else "user"
    kept: MemoryScope = scope or usual
    if user is None and kept in {"user", "user_everywhere"}:
        raise InvalidArgument("user_id", f"is required where scope is {kept}")
    if session.session_id == NO_SESSION and (kept == "session" or user is None):
        raise InvalidArgument("session_id", "is required where scope is session, or no user is known")
    if kept == "user_everywhere" and not settings.across_projects:
        raise InvalidArgument("scope", "user_everywhere is switched off here; user keeps it in this project")
    return kept


def memory_owners(visibility: Visibility, user: UserId | None) -> list[str]:
    """Return whose logs hold the memories that this session and user see."""
    session_id = visibility.session.session_id
    scopes: list[MemoryScope] = [scope for scope in SCOPES.values() if session_id != NO_SESSION or scope != "session"]
    owners = dict.fromkeys(memory_owner(scope, user, session_id) for scope in scopes)
    return [owner for owner in owners if visibility.across or not is_across(owner)]


def open_logs(services: SessionServices, visibility: Visibility, further: Sequence[str] = ()) -> list[str]:
    """Bring the logs that hold the visible facts up to date, and further ones; return the owners of the former.

    One round, and a second one only for logs that the session's head names.
    """
    session = visibility.session
    head = Pending(lambda: _head(services, session))
    first = list(dict.fromkeys([*visibility.own, *further]))
    refreshes = [lambda owner=owner: services.log.refresh(session.tenant, session.project, owner) for owner in first]
    services.adapters.parallel([lambda: services.vault.prepare(session.tenant), head, *refreshes])
    others = services.searcher.others(visibility, head.result.owners if head.result else ())
    if unread := [owner for owner in others if owner not in first]:
        services.searcher.refresh(visibility, unread)
    return [*visibility.own, *others]


def _head(services: SessionServices, session: Session) -> Head | None:
    return None if session.session_id == NO_SESSION else sound_head(services.adapters, session)
