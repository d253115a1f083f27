"""Worlds in which the same is done on a branch and on a copy of the whole store, and what can be seen of memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from cairn.conversation.items import message, text_of
from cairn.conversation.turns import Completion
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError
from cairn.ground.ids import Project, SessionId, TurnId, UserId
from cairn.ground.session import Session
from cairn.memories.forget import forget
from cairn.memories.model import ForgetRequest, Note, RecallRequest
from cairn.memories.recall import recall
from cairn.memories.remember import remember
from cairn.overview.known import known
from cairn.overview.model import Place
from cairn.services import Services
from cairn.turns.after_turn import commit
from cairn.turns.before_turn import prepare
from cairn.turns.model import Preparation
from cairn.turns.take_back import take_back
from support.overview import GARDEN, TENANT
from support.services import services_over

TRY = Project("garden@try-1")
ADA = UserId("ada")


@dataclass
class Side:
    """A project or a branch, in some store, as a process reads and changes it."""

    adapters: Adapters
    project: Project = GARDEN
    services: Services = field(init=False)

    def __post_init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Have read nothing."""
        self.services = services_over(self.adapters)

    def session(self, name: str = "monday") -> Session:
        return Session(TENANT, self.project, SessionId(name))

    def say(self, turn: str, text: str, session: str = "monday", user: UserId | None = ADA) -> Any:
        said = Completion(
            turn_id=TurnId(turn),
            user_id=user,
            inputs=(message("user", text),),
            outputs=(message("assistant", "Noted.", "output_text"),),
        )
        return commit(self.services, self.session(session), said)

    def keep(self, content: str, scope: Any = "user", session: str = "monday", user: UserId = ADA) -> str:
        return remember(self.services, self.session(session), Note(content=content, scope=scope, user_id=user)).id

    def forget(self, name: str, session: str = "monday", user: UserId = ADA) -> None:
        forget(self.services, self.session(session), ForgetRequest(id=name, user_id=user))

    def undo(self, turn: str, session: str = "monday") -> Any:
        return take_back(self.services, self.session(session), TurnId(turn))

    def found(self, query: str = "", session: str = "monday", user: UserId | None = ADA, **fields: Any) -> list[str]:
        """Return what is recalled, in some order."""
        asked = RecallRequest(query=query, user_id=user, limit=50, **fields)
        return sorted(
            f"{each.kind}: {each.content}" for each in recall(self.services, self.session(session), asked).found
        )

    def facts(self, user: UserId = ADA) -> dict[str, str]:
        """Return the ids of what is known of a user, by its value."""
        found = known(self.services, Place(TENANT, self.project), user, 100)
        return {each.fact.value: each.fact.id for each in found.facts}

    def placed(self, session: str = "monday", user: UserId | None = ADA) -> list[str]:
        """Return the texts of the model's input for a question, without the ids and tags in them."""
        asked = Preparation(current=(message("user", "Where do I live?"),), user_id=user, max_input_tok=8000)
        items = prepare(self.services, self.session(session), asked).items
        return [re.sub(r', #\w+\)|"tag":"[^"]+"', "", text_of(item)) for item in items]

    def seen(self, users: tuple[UserId, ...] = (ADA,), sessions: tuple[str, ...] = ("monday",)) -> list[Any]:
        """Return all that these users may see in these sessions."""
        return [
            (
                self.found("What is red?", name, user),
                self.found("", name, user),
                self.placed(name, user),
                sorted(self.facts(user)),
            )
            for user in users
            for name in sessions
        ]


def tried(act: Any) -> Any:
    """Return what an act answers, or the kind of its error."""
    try:
        return act()
    except CairnError as error:
        return type(error).__name__
