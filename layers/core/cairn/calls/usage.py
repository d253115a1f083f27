"""Describe the calls of a session and estimate what they used."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from cairn.calls.record import ADMITTED, HistoryEntry
from cairn.ground.ids import moment_of

BYTES_PER_TOKEN: Final = 4


@dataclass(frozen=True, slots=True)
class Prices:
    """The price of a call and of each byte that it sends, in US dollars."""

    per_call: float = 0.0
    per_byte: float = 0.0


@dataclass(frozen=True, slots=True)
class PastCall:
    """A past call; it counts as a success unless it is known to have failed."""

    tool: str
    at: datetime
    success: bool
    sent_bytes: int
    credential: str
    turn_id: str


@dataclass(frozen=True, slots=True)
class Usage:
    """An estimate of what calls used: tokens sent, and their cost in US dollars."""

    tokens: int
    usd: float

    @classmethod
    def of(cls, calls: Sequence[PastCall], prices: Prices) -> Usage:
        """Return what the calls used together."""
        sent = sum(call.sent_bytes for call in calls)
        return cls(sent // BYTES_PER_TOKEN, len(calls) * prices.per_call + sent * prices.per_byte)


@dataclass(frozen=True, slots=True)
class SessionContext:
    """The calls of a session, oldest first, and when the first one ever was made."""

    started_at: datetime
    calls: Sequence[PastCall]

    @property
    def task_id(self) -> str | None:
        """Return the newest turn that a call named."""
        return next((call.turn_id for call in reversed(self.calls) if call.turn_id), None)


def calls_of(entries: Iterable[HistoryEntry]) -> Sequence[PastCall]:
    """Return the calls that index entries stand for, oldest first; an end says that its call failed."""
    calls: dict[str, PastCall] = {}
    for entry in sorted(entries, key=lambda each: (each.id, each.outcome != ADMITTED)):
        calls[entry.id] = PastCall(
            tool=entry.tool,
            at=moment_of(entry.id),
            success=entry.outcome == ADMITTED,
            sent_bytes=entry.sent_bytes,
            credential=entry.credential,
            turn_id=entry.turn_id,
        )
    return list(calls.values())
