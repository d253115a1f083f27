"""correct: put what a person says in the place of a belief or a memory, and keep that on record.

A fact stays what it is about; its new value is the person's, said in no turn. A memory stays of its type and scope, and
is kept under another id.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cairn.facts.facts import Recording, normalise, stated
from cairn.facts.short_text import MAX_VALUE_BYTES, short_text
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import UserId
from cairn.ground.session import Session
from cairn.ground.trust import Trust
from cairn.log.memories import Ending, scope_of
from cairn.memories.beliefs import Beliefs
from cairn.memories.kept import again, kept_instead, kept_memory
from cairn.memories.model import Corrected, absent
from cairn.memories.restate import Restated, overtaken, restate, sentences
from cairn.memories.supersede import supersede
from cairn.sessions.services import SessionServices

_SURE: Final = 1.0
"""How sure a person is of what they write themselves."""


def correct(  # noqa: PLR0913, PLR0917 - whose memory, what is wrong, what holds, and at whose word
    services: SessionServices, session: Session, user: UserId, name: str, content: str, trust: Trust = Trust.USER
) -> Corrected:
    """Say `content` in the place of the fact or memory of this id; said again it changes nothing.

    A fact is said in the user's name, whoever corrects it, so that what the user says later can take its place.
    NotFound where nothing of this id is believed or kept, Conflict where something else took its place meanwhile or it
    is a memory that goes by a higher word.
    """
    if scope_of(name) is None:
        return restate(services, session, user, _Correction(name, _short(content)))
    memory, ending = kept_memory(services, session, user, name)
    if ending is not None:
        return _replaced_before(services, session, user, ending, content)
    if normalise(memory.content) == normalise(content):
        return Corrected(id=name)
    note = replace(again(memory, user), content=content, trust=trust)
    return Corrected(id=supersede(services, session, user, memory, note, trust), replaced=name)


class _Correction:
    """What becomes of a fact."""

    def __init__(self, name: str, value: str) -> None:
        self._name = name
        self._value = value

    def __call__(self, beliefs: Beliefs, recording: Recording) -> tuple[Corrected, Restated | None]:
        held = beliefs.named(self._name)
        if held is None:
            return self._done_before(beliefs), None
        if held.fact.value == self._value:
            return Corrected(id=held.fact.id), None
        said = {"value": self._value, "quote": self._value, "event_id": "", "confidence": _SURE}
        claim = replace(stated(held.fact), **said)
        heard = sentences(beliefs, held._replace(fact=replace(held.fact, value=self._value)))
        fact = recording.fact(replace(claim, outdates=(*heard, *held.fact.outdates)), held.fact)
        return Corrected(id=fact.id, replaced=self._name), Restated(held._replace(fact=fact), held.fact)

    def _done_before(self, beliefs: Beliefs) -> Corrected:
        """Answer where the fact is not believed: another try of what was done is told so."""
        earlier = beliefs.recorded(self._name)
        instead = beliefs.instead_of(earlier) if earlier else None
        if instead is None:
            raise absent()
        if instead.fact.value != self._value:
            raise overtaken(instead.fact.id)
        return Corrected(id=instead.fact.id, replaced=self._name)


def _replaced_before(
    services: SessionServices, session: Session, user: UserId, ending: Ending, content: str
) -> Corrected:
    """Answer where the memory is not kept: another try of what was done is told so."""
    instead = kept_instead(services, session, user, ending)
    if instead is None:
        raise absent()
    if normalise(instead.content) != normalise(content):
        raise overtaken(instead.id)
    return Corrected(id=instead.id, replaced=ending.id)


def _short(content: str) -> str:
    value = short_text(content)
    if not value:
        raise InvalidArgument("content", f"of a fact must be words, of at most {MAX_VALUE_BYTES} bytes")
    return value
