"""What memory is asked for an agent that tells it a prompt, so that it can be asked the same again."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from cairn.conversation.items import message
from cairn.ground.codec import rfc3339
from cairn.ground.ids import TurnId, UserId
from cairn.ground.settings import RecallScope
from cairn.turns.model import Preparation, PreparedTurn

MOST_TOKENS: Final = 1200
"""How much is added to a prompt at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A prompt, empty at a session's begin, and what the agent was told before for others, by the ids of it."""

    turn_id: TurnId
    prompt: str
    user_id: UserId | None
    recall_scope: RecallScope | None
    told: frozenset[str]

    @classmethod
    def of(cls, kept: Mapping[str, Any], told: Collection[str]) -> Question:
        """Return the question of which Told.kept() is kept."""
        user = kept.get("user_id")
        return cls(
            turn_id=TurnId(kept["turn_id"]),
            prompt=kept["prompt"],
            user_id=None if user is None else UserId(user),
            recall_scope=kept.get("recall_scope"),
            told=frozenset(told),
        )

    def preparation(self, at: datetime | None, *, explain: bool = False) -> Preparation:
        """Return what is prepared for it at the moment of the call."""
        return Preparation(
            current=(message("user", self.prompt),) if self.prompt else (),
            user_id=self.user_id,
            format="text",
            recall_scope=self.recall_scope,
            holds_session=True,
            told=self.told,
            most_tokens=MOST_TOKENS,
            explain=explain,
            at=at,
        )


@dataclass(frozen=True, slots=True)
class Told:
    """A question, what was prepared for it, and how far logs and session were read for that."""

    question: Question
    prepared: PreparedTurn
    positions: Mapping[str, str]

    def kept(self) -> dict[str, Any]:
        """Return what is kept of it, as JSON values. What was told before is in what is kept of that."""
        since = self.prepared.held_since
        kept = {
            "user_id": self.question.user_id,
            "recall_scope": self.question.recall_scope,
            "held_since": None if since is None else rfc3339(since),
        }
        always = {"turn_id": self.question.turn_id, "prompt": self.question.prompt}
        given = {name: value for name, value in kept.items() if value is not None}
        return {**always, **given, "told": list(self.prepared.placed)}
