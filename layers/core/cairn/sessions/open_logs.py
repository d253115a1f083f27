"""Open the memory logs that a call may see: bring them up to date in one round of reads, or two."""

from __future__ import annotations

from collections.abc import Sequence

from cairn.ground.adapters import Pending
from cairn.ground.ids import UserId
from cairn.ground.session import Session
from cairn.log.layout import log_owner, memory_owner
from cairn.log.memories import SCOPES
from cairn.recall.searching import Visibility
from cairn.sessions.head import stored_head
from cairn.sessions.services import SessionServices


def visibility_of(services: SessionServices, session: Session, user: UserId | None) -> Visibility:
    """Return what a call of this session and user sees of facts."""
    scope = services.settings.memory_for(session.tenant).recall_scope
    return Visibility(session, log_owner(user, session.session_id), scope)


def memory_owners(session: Session, user: UserId | None) -> list[str]:
    """Return whose logs hold the memories that this session and user see."""
    return list(dict.fromkeys(memory_owner(scope, user, session.session_id) for scope in SCOPES.values()))


def open_logs(services: SessionServices, visibility: Visibility, further: Sequence[str] = ()) -> list[str]:
    """Bring the logs that hold the visible facts up to date, and further ones; return the owners of the former.

    One round, and a second one only for logs that the session's head names.
    """
    session = visibility.session
    head = Pending(lambda: stored_head(services.adapters.table, session))
    first = list(dict.fromkeys([visibility.owner, *further]))
    refreshes = [lambda owner=owner: services.log.refresh(session.tenant, session.project, owner) for owner in first]
    services.adapters.parallel([lambda: services.vault.prepare(session.tenant), head, *refreshes])
    others = services.searcher.others(visibility, head.result.owners if head.result else ())
    if unread := [owner for owner in others if owner not in first]:
        services.searcher.refresh(visibility, unread)
    return [visibility.owner, *others]
