"""What a memory log says, folded: facts, searchable texts and the turns they came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import takewhile
from typing import Any

from cairn.domain.codec import moment, rfc3339
from cairn.domain.facts import Changes, Fact, from_record, to_record
from cairn.domain.ids import SessionId, TurnId
from cairn.domain.ledger import Ledger
from cairn.domain.search import Corpus
from cairn.domain.terms import terms


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
    """One append to a memory log: what a turn or a maintenance run of a session changed."""

    session_id: SessionId
    at: datetime
    turn: TurnEntry | None = None
    changes: Changes = field(default_factory=Changes)

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
        }


class MemoryView:
    """A fold of log entries, applied in the order of their ids."""

    def __init__(self) -> None:
        """Start with an empty log."""
        self.ledger = Ledger()
        self.turns: dict[SessionId, list[TurnStamp]] = {}
        self._said: dict[SessionId, str] = {}
        self._corpus = Corpus()
        self._chunks: dict[str, Chunk] = {}

    def apply(self, record: dict[str, Any]) -> None:
        """Fold one entry's record into the view."""
        session, at = SessionId(record["session"]), moment(record["at"])
        self.ledger.add(session, (from_record(fact) for fact in record["added"]))
        self.ledger.end(session, (from_record(fact) for fact in record["ended"]))
        if record["seen"]:
            self.ledger.see(session, record["seen"], at)
        if record["turn"]:
            self._remember(session, at, record["turn"])

    def last_seq(self, session: SessionId) -> int:
        """Return the number of the session's newest turn here, 0 where there is none."""
        turns = self.turns.get(session)
        return turns[-1].seq if turns else 0

    def last_said(self, session: SessionId, seq: int) -> str:
        """Return what the user said last in the turn of this number, nothing if it is not the session's newest here."""
        return self._said.get(session, "") if self.last_seq(session) == seq else ""

    def has_turn(self, session: SessionId, turn_id: TurnId, after: int) -> bool:
        """Tell whether the turn is one of the session's turns here whose number is greater than `after`."""
        newest = takewhile(lambda turn: turn.seq > after, reversed(self.turns.get(session, [])))
        return any(turn.turn_id == turn_id for turn in newest)

    def chunks(self, session: SessionId) -> list[Chunk]:
        """Return the session's texts in the order they were said."""
        return [chunk for chunk in self._chunks.values() if chunk.session_id == session]

    def search(self, query: Sequence[str], allowed: Callable[[Chunk], bool], limit: int) -> list[tuple[Chunk, float]]:
        """Return up to `limit` allowed chunks that share a term with the query, best first."""
        hits = self._corpus.search(query, limit=limit, allowed=lambda doc: allowed(self._chunks[doc]))
        return [(self._chunks[doc], score) for doc, score in hits]

    def facts(self, now: datetime, session: SessionId | None) -> list[Fact]:
        """Return what is believed now, by one session or by all."""
        return self.ledger.live(now, session)

    def _remember(self, session: SessionId, at: datetime, turn: dict[str, Any]) -> None:
        stamp = TurnStamp(seq=turn["seq"], turn_id=TurnId(turn["id"]), at=at, events=turn["events"])
        self.turns.setdefault(session, []).append(stamp)
        self._said[session] = next((text for _, role, text in reversed(turn["texts"]) if role == "user"), "")
        for event_id, role, text in turn["texts"]:
            doc = f"{session}\x00{event_id}"
            self._chunks[doc] = Chunk(
                session_id=session,
                turn_id=stamp.turn_id,
                event_id=event_id,
                seq=stamp.seq,
                at=at,
                role=role,
                text=text,
            )
            self._corpus.add(doc, terms(text))


def _turn_record(turn: TurnEntry) -> dict[str, Any]:
    texts = [list(text) for text in turn.texts]
    return {"id": turn.turn_id, "seq": turn.seq, "events": turn.events, "texts": texts}
