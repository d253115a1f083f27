"""One session, its turns, and a process that has read nothing yet."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.facts.facts import Fact
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, Tenant, TurnId
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.settings import MemorySettings
from cairn.ground.table import Attributes, Key, Query
from cairn.log.layout import log_owner
from cairn.sessions.layout import HEAD, session_pk
from cairn.sessions.parts import Parts

SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
OWNER = log_owner(None, SESSION.session_id)


def turn(turn_id: str, said: str, answered: str = "Noted.") -> Completion:
    return Completion(
        turn_id=TurnId(turn_id),
        inputs=(message("user", said),),
        outputs=(message("assistant", answered, "output_text"),),
    )


def cold(adapters: Adapters, **knobs: Any) -> Parts:
    """Return the parts of a process that has nothing in memory yet."""
    settings = MemorySettings(**knobs)
    return Parts.of(adapters, lambda _: settings)


def facts(parts: Parts, session: Session = SESSION) -> dict[str, Fact]:
    """Return what the session believes, by kind."""
    owner = log_owner(None, session.session_id)
    parts.log.refresh(session.tenant, session.project, owner)
    with parts.log.view(session.tenant, session.project, owner) as view:
        return {fact.fact_id: fact for fact in view.facts(parts.adapters.clock.now(), session.session_id)}


def partition(parts: Parts, pk: str) -> Iterator[Attributes]:
    return every(parts.adapters.table, Query(pk, "\x01", "\U0010ffff"))


def head(parts: Parts) -> Attributes:
    stored = parts.adapters.table.get(Key(session_pk(SESSION), HEAD))
    assert stored is not None
    return stored
