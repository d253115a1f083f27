"""Read a memory by its id, whether it is kept or was forgotten."""

from __future__ import annotations

from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import UserId
from cairn.ground.session import NO_SESSION, Session
from cairn.log.layout import is_across, memory_owner
from cairn.log.memories import Ending, Memory, scope_of
from cairn.memories.model import Note, absent
from cairn.sessions.services import SessionServices


def kept_memory(
    services: SessionServices, session: Session, user: UserId | None, name: str
) -> tuple[Memory, Ending | None]:
    """Return the memory of this id and how it was forgotten, if it was; NotFound where this user sees none.

    InvalidArgument where it is a session's, and none is named.
    """
    scope = scope_of(name)
    if scope is None:
        raise absent()
    if scope == "session" and session.session_id == NO_SESSION:
        raise InvalidArgument("memory_id", "is what a session keeps for itself: forget it there, and remember it anew")
    owner = memory_owner(scope, user, session.session_id)
    if is_across(owner) and not services.settings.memory_for(session.tenant).across_projects:
        raise absent()
    services.log.refresh(session.tenant, session.project, owner)
    with services.log.view(session.tenant, session.project, owner) as view:
        memory, ending = view.memory(name), view.ending(name)
    if memory is None:
        raise absent()
    return memory, ending


def kept_instead(services: SessionServices, session: Session, user: UserId | None, ending: Ending) -> Memory | None:
    """Return the memory of its scope that is kept in the place of a forgotten one, None where there is none."""
    while ending.replacement_id is not None and scope_of(ending.replacement_id) == scope_of(ending.id):
        memory, ended = kept_memory(services, session, user, ending.replacement_id)
        if ended is None:
            return memory
        ending = ended
    return None


def again(memory: Memory, user: UserId | None, why: str | None = None) -> Note:
    """Return what keeps the same once more, at a user's word."""
    return Note(
        content=memory.content,
        type=memory.type,
        confidence=memory.confidence,
        rationale=memory.rationale,
        scope=memory.scope,
        user_id=user,
        trust=memory.trust,
        why=why,
    )
