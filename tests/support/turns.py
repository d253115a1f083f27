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
from cairn.services import Services
from cairn.sessions.layout import HEAD, session_pk
from support.services import services_over

SESSION = Session(Tenant("acme"), Project("garden"), SessionId("monday"))
OWNER = log_owner(None, SESSION.session_id)


def turn(turn_id: str, said: str, answered: str = "Noted.") -> Completion:
    return Completion(
        turn_id=TurnId(turn_id),
        inputs=(message("user", said),),
        outputs=(message("assistant", answered, "output_text"),),
    )


def cold(adapters: Adapters, **knobs: Any) -> Services:
    """Return the parts of a process that has nothing in memory yet."""
    settings = MemorySettings(**knobs)
    return services_over(adapters, settings)


def facts(services: Services, session: Session = SESSION) -> dict[str, Fact]:
    """Return what the session believes, by kind."""
    owner = log_owner(None, session.session_id)
    services.log.refresh(session.tenant, session.project, owner)
    with services.log.view(session.tenant, session.project, owner) as view:
        return {fact.fact_id: fact for fact in view.facts(services.adapters.clock.now(), session.session_id)}


def partition(services: Services, pk: str) -> Iterator[Attributes]:
    return every(services.adapters.table, Query(pk, "\x01", "\U0010ffff"))


def head(services: Services) -> Attributes:
    stored = services.adapters.table.get(Key(session_pk(SESSION), HEAD))
    assert stored is not None
    return stored
