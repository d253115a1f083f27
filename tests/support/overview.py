"""Conversations of several users in a project, told on a clock that goes on by a minute at each turn."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.session import Session
from cairn.memories.model import Note
from cairn.memories.remember import Kept, remember
from cairn.overview.model import Place
from cairn.services import Services
from cairn.turns.after_turn import commit
from cairn.turns.model import CommittedTurn
from support.services import services_over

TENANT, GARDEN = Tenant("acme"), Project("garden")
PLACE = Place(TENANT, GARDEN)


@dataclass
class Ticking:
    """A clock that a test sets."""

    moment: datetime

    def now(self) -> datetime:
        return self.moment

    def sleep(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


@dataclass
class Talk:
    """A project in which people talk."""

    adapters: Adapters
    services: Services = field(init=False)
    clock: Ticking = field(init=False)

    def __post_init__(self) -> None:
        self.clock = Ticking(self.adapters.clock.now())
        self.adapters = replace(self.adapters, clock=self.clock)
        self.services = self.fresh()

    def fresh(self) -> Services:
        """Return a process that has read nothing yet."""
        return services_over(self.adapters)

    def session(self, name: str, project: str = GARDEN) -> Session:
        return Session(TENANT, Project(project), SessionId(name))

    def say(
        self, session: str, turn: str, text: str, user: str | None = "ada", *, project: str = GARDEN
    ) -> CommittedTurn:
        self.clock.sleep(60)
        said = Completion(
            turn_id=TurnId(turn),
            user_id=None if user is None else UserId(user),
            inputs=(message("user", text),),
            outputs=(message("assistant", "Noted.", "output_text"),),
        )
        return commit(self.services, self.session(session, project), said)

    def keep(self, session: str, content: str, user: str = "ada") -> Kept:
        self.clock.sleep(60)
        note = Note(content=content, scope="user", user_id=UserId(user))
        return remember(self.services, self.session(session), note)
