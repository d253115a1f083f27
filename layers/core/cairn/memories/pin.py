"""pin: have a fact stand in every context of its user, or no longer.

A rule or a convention that was kept stands there already, by its type.
"""

from __future__ import annotations

from dataclasses import replace

from cairn.facts.facts import Recording
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import UserId
from cairn.ground.session import Session
from cairn.log.memories import STANDING, scope_of
from cairn.memories.beliefs import Beliefs
from cairn.memories.kept import kept_memory
from cairn.memories.model import Pinned, absent
from cairn.memories.restate import Restated, restate
from cairn.sessions.services import SessionServices


def pin(services: SessionServices, session: Session, user: UserId, name: str, *, pinned: bool) -> Pinned:
    """Pin the fact of this id, or let it go; what is so now stays as it is.

    NotFound where nothing of this id is believed or kept, InvalidArgument for a memory that is not as it shall be.
    """
    if scope_of(name) is None:
        return restate(services, session, user, _Pinning(name, pinned=pinned))
    memory, ending = kept_memory(services, session, user, name)
    if ending is not None:
        raise absent()
    if (memory.type in STANDING) is not pinned:
        raise _unfit(memory.type, pinned=pinned)
    return Pinned(id=name, by_type=pinned)


class _Pinning:
    """What becomes of a fact: it stays as it was said, and when."""

    def __init__(self, name: str, *, pinned: bool) -> None:
        self._name = name
        self._pinned = pinned

    def __call__(self, beliefs: Beliefs, recording: Recording) -> tuple[Pinned, Restated | None]:
        held = beliefs.named(self._name)
        if held is None:
            raise absent()
        if held.fact.pinned is self._pinned:
            return Pinned(id=held.fact.id), None
        anew = replace(held.fact, id=recording.new_id(), supersedes=held.fact.id)
        fact = recording.pinning(anew, pinned=self._pinned)
        return Pinned(id=fact.id, replaced=held.fact.id), Restated(held._replace(fact=fact), held.fact)


def _unfit(kind: str, *, pinned: bool) -> InvalidArgument:
    if pinned:
        advice = "Remember what it says as an agent_rule, which stands in every context, and forget this."
        return InvalidArgument("memory_id", f"names a memory of type {kind}, and only facts are pinned", advice=advice)
    return InvalidArgument("memory_id", f"names a memory of type {kind}, which stands by its type: forget it instead")
