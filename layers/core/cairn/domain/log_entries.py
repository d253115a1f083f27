"""What a memory log's entries say: turns with their texts, changes of facts, memories kept and forgotten."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from cairn.domain.codec import rfc3339
from cairn.domain.facts import Changes, to_record
from cairn.domain.ids import SessionId, TurnId
from cairn.domain.memories import Ending, Memory, ending_record, memory_record


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A text of an earlier turn, as it can be recalled."""

    session_id: SessionId
    turn_id: TurnId
    event_id: str
    seq: int
    at: datetime
    role: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStamp:
    """That a turn happened: its number in the session, its time and how many events it has."""

    seq: int
    turn_id: TurnId
    at: datetime
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEntry:
    """A turn as the log tells it, with its texts as (event id, role, text)."""

    turn_id: TurnId
    seq: int
    events: int
    texts: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One append to a memory log: what a turn, a maintenance run, or an agent's word in a session changed."""

    session_id: SessionId
    at: datetime
    turn: TurnEntry | None = None
    changes: Changes = field(default_factory=Changes)
    remembered: tuple[Memory, ...] = ()
    forgotten: tuple[Ending, ...] = ()

    def to_record(self) -> dict[str, Any]:
        """Return the entry as JSON values."""
        changes, turn = self.changes, self.turn
        ended = [*changes.superseded, *changes.deleted]
        return {
            "session": self.session_id,
            "at": rfc3339(self.at),
            "turn": turn and _turn_record(turn),
            "added": [to_record(fact) for fact in changes.added],
            "ended": [to_record(fact) for fact in ended],
            "seen": list(changes.seen),
            "remembered": [memory_record(memory) for memory in self.remembered],
            "forgotten": [ending_record(ending) for ending in self.forgotten],
        }


def _turn_record(turn: TurnEntry) -> dict[str, Any]:
    texts = [list(text) for text in turn.texts]
    return {"id": turn.turn_id, "seq": turn.seq, "events": turn.events, "texts": texts}
