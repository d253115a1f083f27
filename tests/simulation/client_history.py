"""What the clients of a simulation saw: every turn they sent and how it was answered, every context they were given."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from itertools import count

from cairn.conversation.turns import Completion
from cairn.ground.session import Session
from cairn.ground.settings import RecallScope
from cairn.turns.model import CommittedTurn, PreparedTurn

STORED, REPLAYED, CONFLICT, BUSY, UNAVAILABLE, KILLED = (
    "stored",
    "replayed",
    "conflict",
    "busy",
    "unavailable",
    "killed",
)


@dataclass(eq=False, slots=True)
class Attempt:
    """One call that sends a turn; `begun` and `ended` number the moments of a simulation."""

    session: Session
    turn: Completion
    begun: int
    outcome: str = KILLED
    ended: int | None = None
    result: CommittedTurn | None = None

    @property
    def is_acknowledged(self) -> bool:
        return self.outcome in {STORED, REPLAYED}


@dataclass(frozen=True, slots=True)
class SeenContext:
    """One context that a client was given, asked for at a moment and at a time of the process that answered."""

    session: Session
    user: str | None
    scope: RecallScope
    asked: int
    at: datetime
    prepared: PreparedTurn


@dataclass(slots=True)
class ClientHistory:
    """Everything that clients saw, in the order of its moments."""

    attempts: list[Attempt] = field(default_factory=list[Attempt])
    seen: list[SeenContext] = field(default_factory=list[SeenContext])
    crashes: list[str] = field(default_factory=list[str])
    _moments: count[int] = field(default_factory=count)

    def moment(self) -> int:
        return next(self._moments)

    def sends(self, session: Session, turn: Completion) -> Attempt:
        """Note that a turn is sent."""
        self.attempts.append(Attempt(session, turn, self.moment()))
        return self.attempts[-1]

    def turns(self) -> dict[tuple[Session, str], list[Attempt]]:
        """Return the attempts by turn, in the order in which they began."""
        found: dict[tuple[Session, str], list[Attempt]] = {}
        for attempt in self.attempts:
            found.setdefault((attempt.session, attempt.turn.turn_id), []).append(attempt)
        return found
