"""Entries of a memory log: turns with their texts, changes of facts, memories kept and forgotten."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from cairn.conversation.events import Event
from cairn.conversation.items import name_of, role_of, text_of
from cairn.facts.facts import Changes, Fact, fact_lowered, from_record, to_record
from cairn.ground.codec import moment, rfc3339
from cairn.ground.ids import SessionId, TurnId
from cairn.ground.trust import Trust, trust_of_role
from cairn.log.memories import Ending, Memory, ending_record, memory_lowered, memory_record
from cairn.log.stamping import stamped

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
    trust: Trust = Trust.USER


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStamp:
    """A turn's number in its session, its time and its number of events."""

    seq: int
    turn_id: TurnId
    at: datetime
    events: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEntry:
    """A turn in the log, with its texts as (event id, role, text), and a name if the item has one.

    `trust` says of a text whose word it is, by event id, where its role does not.
    """

    turn_id: TurnId
    seq: int
    events: int
    texts: tuple[tuple[str, ...], ...]
    trust: Mapping[str, Trust] = field(default_factory=dict[str, Trust])

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
            trust=stamped(events),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class LogEntry:
    """One append to a memory log: the changes made by a turn, a maintenance run or an agent.

    `said_in` is the number of the turn that changed facts where the turn itself is in another log. Nothing in it is
    trusted further than `most`. `released` are digests of texts that were held back.
    """

    session_id: SessionId
    at: datetime
    turn: TurnEntry | None = None
    changes: Changes = field(default_factory=Changes)
    remembered: tuple[Memory, ...] = ()
    forgotten: tuple[Ending, ...] = ()
    said_in: int | None = None
    most: Trust = Trust.OPERATOR
    released: tuple[str, ...] = ()

    def to_record(self) -> dict[str, Any]:
        """Return the entry as JSON values."""
        changes, turn = self.changes, self.turn
        ended = [*changes.superseded, *changes.deleted]
        record = {
            "session": self.session_id,
            "at": rfc3339(self.at),
            "turn": turn and _turn_record(turn),
            "added": [to_record(fact) for fact in changes.added],
            "ended": [to_record(fact) for fact in ended],
            "seen": list(changes.seen),
            "remembered": [memory_record(memory) for memory in self.remembered],
            "forgotten": [ending_record(ending) for ending in self.forgotten],
            **({} if self.said_in is None else {"said_in": self.said_in}),
            **({"released": list(self.released)} if self.released else {}),
        }
        return lowered(record, self.most)


@dataclass(frozen=True, slots=True)
class Retold:
    """An entry of another log, told again in this one."""

    at: datetime
    record: Mapping[str, Any]

    def to_record(self) -> Mapping[str, Any]:
        """Return the entry as JSON values."""
        return self.record


def _turn_record(turn: TurnEntry) -> dict[str, Any]:
    texts = [list(text) for text in turn.texts]
    marks = {name: trust.label for name, trust in turn.trust.items()}
    return {
        "id": turn.turn_id,
        "seq": turn.seq,
        "events": turn.events,
        "texts": texts,
        **({"trust": marks} if marks else {}),
    }


def trust_of(turn: Mapping[str, Any], event_id: str, role: str) -> Trust:
    """Return whose word a text of a turn's record is: as it was stamped, or else by its role."""
    mark = turn.get("trust", {}).get(event_id)
    return trust_of_role(role) if mark is None else Trust.of(mark)


def lowered(record: dict[str, Any], most: Trust) -> dict[str, Any]:
    """Return an entry's record with nothing in it trusted further than that, and nothing released."""
    if most is Trust.OPERATOR:
        return record
    facts = {name: [fact_lowered(each, most) for each in record[name]] for name in ("added", "ended")}
    kept = [memory_lowered(each, most) for each in record.get("remembered", ())]
    turn = record["turn"]
    if turn:
        marks = {
            event_id: least.label
            for event_id, role, *_ in turn["texts"]
            if (least := min(most, trust_of(turn, event_id, role))) is not trust_of_role(role)
        }
        turn = {name: value for name, value in turn.items() if name != "trust"} | ({"trust": marks} if marks else {})
    held = {name: value for name, value in record.items() if name != "released"}
    return {**held, **facts, "remembered": kept, "turn": turn}


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
