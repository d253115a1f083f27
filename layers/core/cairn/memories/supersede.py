"""Keep a memory in the place of another, which is forgotten for it: in one transaction where it is new."""

from __future__ import annotations

from cairn.ground.ids import UserId
from cairn.ground.session import Session
from cairn.ground.trust import Trust
from cairn.log.memories import Memory
from cairn.memories.forget import forget
from cairn.memories.kept import kept_memory
from cairn.memories.model import ForgetRequest, Note, outranked
from cairn.memories.remember import remember
from cairn.memories.restate import overtaken
from cairn.sessions.services import SessionServices


def supersede(  # noqa: PLR0913, PLR0917 - whose memory, what becomes of it, and at whose word
    services: SessionServices, session: Session, user: UserId | None, old: Memory, note: Note, trust: Trust
) -> str:
    """Return the id under which the note is kept in the place of the old memory; done again it changes nothing.

    Conflict where that was forgotten otherwise meanwhile, or goes by a higher word than the one who asks for it.
    """
    if old.trust > trust:
        raise outranked(old.id)
    kept = remember(services, session, note, instead_of=old.id)
    if not kept.new:
        forget(services, session, ForgetRequest(id=old.id, replacement_id=kept.id, user_id=user, trust=trust))
        _, ending = kept_memory(services, session, user, old.id)
        if ending is None or ending.replacement_id != kept.id:
            raise overtaken(ending.replacement_id if ending else None)
    return kept.id
