"""Entries of a memory log: turns with their texts, changes of facts, memories kept and forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from cairn.conversation.events import Event
from cairn.conversation.items import name_of, role_of, text_of
from cairn.facts.facts import Changes, Fact, from_record, to_record
from cairn.ground.codec import moment, rfc3339
from cairn.ground.ids import SessionId, TurnId
from cairn.log.memories import Ending, Memory, ending_record, memory_record

# Some 700 words: longer items are pasted files, whose every word would find them and whose vector means nothing.
MAX_SEARCHABLE_CHARACTERS = 4000
"""How much of one item recall searches; the whole item stays in its event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A text of an earlier turn that can be recalled; its speaker is the name on the item, or its role."""

    session_id: SessionId
    turn_id: TurnId
    event_id: str
    seq: int
    at: datetime
    role: str
    speaker: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStamp:
    """A turn's number in its session, its time and its number of events."""

    seq: int
    turn_id: TurnId
    at: datetime
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEntry:
    """A turn in the log, with its texts as (event id, role, text), and a name if the item has one."""

    turn_id: TurnId
    seq: int
    events: int
    texts: tuple[tuple[str, ...], ...]

    @classmethod
    def of(cls, turn_id: TurnId, seq: int, events: Sequence[Event], kept: Mapping[str, str] | None = None) -> TurnEntry:
        """Return what the log tells of a turn with these events, where not all is `kept` only that, by event id."""
        texts = ((event, text_of(event.item) if kept is None else kept.get(event.id, "")) for event in events)
        return cls(
            turn_id=turn_id,
            seq=seq,
            events=len(events),
            texts=tuple(
                (event.id, role_of(event.item), text[:MAX_SEARCHABLE_CHARACTERS], *name_of(event.item))
                for event, text in texts
                if text.strip()
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One append to a memory log: the changes made by a turn, a maintenance run or an agent.

    `said_in` is the number of the turn that changed facts where the turn itself is in another log.
    """

    session_id: SessionId
    at: datetime
    turn: TurnEntry | None = None
    changes: Changes = field(default_factory=Changes)
    remembered: tuple[Memory, ...] = ()
    forgotten: tuple[Ending, ...] = ()
    said_in: int | None = None

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
            **({} if self.said_in is None else {"said_in": self.said_in}),
        }


def _turn_record(turn: TurnEntry) -> dict[str, Any]:
    texts = [list(text) for text in turn.texts]
    return {"id": turn.turn_id, "seq": turn.seq, "events": turn.events, "texts": texts}


def facts_of_session(records: Iterable[Mapping[str, Any]], session: SessionId) -> list[Fact]:
    """Return every fact that a log's records, in their order, add for a session, each as they leave it."""
    found: dict[str, Fact] = {}
    for record in records:
        if record["session"] != session:
            continue
        found.update({fact.id: fact for fact in map(from_record, record["added"])})
        found.update({fact.id: fact for fact in map(from_record, record["ended"]) if fact.id in found})
        seen = moment(record["at"])
        found.update({name: replace(found[name], last_seen=seen) for name in record["seen"] if name in found})
    return list(found.values())
