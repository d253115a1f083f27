"""restore: believe or keep again what was forgotten, corrected, replaced or ended, in the place of what holds instead.

A fact is recorded anew, as it was said. A memory is kept under another id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from cairn.facts.facts import Fact, Outdated, Recording, digest, normalise, stated
from cairn.ground.ids import TurnId, UserId
from cairn.ground.session import Session
from cairn.ground.trust import Trust
from cairn.log.memories import scope_of
from cairn.memories.beliefs import Beliefs
from cairn.memories.kept import again, kept_instead, kept_memory
from cairn.memories.model import Restored, absent
from cairn.memories.remember import remember
from cairn.memories.restate import Restated, overtaken, restate, sentences
from cairn.memories.supersede import supersede
from cairn.sessions.services import SessionServices

How: TypeAlias = Literal["instead", "beside", "apart"]
"""How something holds again: in the place of what holds now, beside that, or beside it and never merged with it."""


def restore(  # noqa: PLR0913 - whose memory, how, at whose word and why
    services: SessionServices,
    session: Session,
    user: UserId | None,
    name: str,
    *,
    how: How = "instead",
    trust: Trust = Trust.USER,
    why: str | None = None,
) -> Restored:
    """Believe or keep again the fact or memory of this id, for a reason; what is so now stays as it is.

    It is trusted as it was.

    Unless `how` is "instead", what took its place stays: a memory is kept beside that, a fact is refused with Conflict.
    NotFound where there is nothing of this id, or no more since it was erased or its turn taken back. Conflict also
    where what holds instead was changed meanwhile, or goes by a higher word than `trust`.
    """
    if scope_of(name) is None:
        return restate(services, session, user, _Restoration(name, how, why))
    memory, ending = kept_memory(services, session, user, name)
    if ending is None:
        return Restored(id=name, was_believed=True)
    note = again(memory, user, why)
    instead = kept_instead(services, session, user, ending) if how == "instead" else None
    if instead is None:
        kept = remember(services, session, note)
        return Restored(id=kept.id, was_believed=not kept.new)
    if normalise(instead.content) == normalise(memory.content):
        return Restored(id=instead.id, was_believed=True)
    return Restored(id=supersede(services, session, user, instead, note, trust), ended=instead.id)


class _Restoration:
    """What becomes of a fact."""

    def __init__(self, name: str, how: How, why: str | None) -> None:
        self._name = name
        self._how = how
        self._why = why

    def __call__(self, beliefs: Beliefs, recording: Recording) -> tuple[Restored, Restated | None]:
        if (held := beliefs.named(self._name)) is not None:
            return Restored(id=held.fact.id, was_believed=True), None
        if (earlier := beliefs.recorded(self._name)) is None:
            raise absent()
        instead = beliefs.instead_of(earlier)
        if self._how != "instead" and instead is not None:
            raise overtaken(instead.fact.id)
        place, old = instead or earlier, instead.fact if instead else None
        heard = sentences(beliefs, place._replace(fact=earlier.fact))
        fact = _again(earlier.fact, old, heard, recording)
        fact = replace(fact, apart=self._how == "apart", why=self._why)
        return Restored(id=fact.id, ended=old.id if old else None), Restated(place._replace(fact=fact), old)


def _again(earlier: Fact, old: Fact | None, heard: Sequence[Outdated], recording: Recording) -> Fact:
    """Return a fact once more, of the turn that taught it: it outdates what it did, and what was said instead."""
    source = earlier.source
    author = replace(recording, turn_id=TurnId(source.turn_id), user_id=source.user_id, trust=earlier.trust)
    fact = author.fact(replace(stated(earlier), outdates=(*heard, *earlier.outdates)), old)
    # The same words said elsewhere hold with it.
    own = digest(source.quote)
    fact = replace(fact, outdates=tuple(each for each in fact.outdates if each.digest != own))
    return author.pinning(fact, pinned=(old or earlier).pinned)
