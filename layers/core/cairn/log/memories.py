"""Memories that an agent chose to keep: their content, who sees them, and how they are forgotten."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from cairn.facts.facts import Fact, Source
from cairn.ground.codec import moment, rfc3339
from cairn.ground.errors import CorruptData
from cairn.ground.ids import SessionId, UserId
from cairn.ground.settings import MemoryScope
from cairn.ground.tiers import Tier
from cairn.ground.trust import Trust

MemoryType: TypeAlias = Literal[
    "fact",
    "assumption",
    "hypothesis",
    "discovery",
    "risk",
    "unknown",
    "decision",
    "architectural_decision",
    "implementation_decision",
    "alternative",
    "trade_off",
    "convention",
    "coding_standard",
    "architectural_convention",
    "agent_rule",
    "process_convention",
    "error",
    "bug",
    "failure",
    "incident",
    "root_cause",
    "lesson_learned",
]
RecalledType: TypeAlias = Literal["turn", MemoryType]
"""What a recall may find: what was said in a turn, or a memory or fact of a type."""
STANDING: Final[frozenset[MemoryType]] = frozenset(
    {"agent_rule", "coding_standard", "convention", "architectural_convention", "process_convention"}
)
"""The types of what says how things are to be done, whatever is asked.

Decisions are of a matter: who asks about that matter finds them, and many would push the rules out.
"""
SCOPES: Final[Mapping[str, MemoryScope]] = {"s": "session", "u": "user", "p": "project", "e": "user_everywhere"}
"""Who sees a memory, by the first letter of its id: its session, all sessions of its user, or the whole project.

Or all sessions of its user in every project.
"""
KEPT = "kept"
FORGOTTEN = "forgotten"
"""The states of the item beside a log that says of a memory whether it is still kept."""

# The scope's letter and 16 bytes of a tag (decision 30).
_ID = re.compile(r"[supe]-[0-9a-f]{32}")


def scope_of(name: str) -> MemoryScope | None:
    """Return the scope of the memory of this id, None where it is no memory's."""
    return SCOPES[name[0]] if _ID.fullmatch(name) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """One kept memory; `session_id` and `user_id` are whose it was at the time, `trust` says whose word it is.

    `why` is why it is kept again, where whoever took back that it was forgotten said that.
    """

    id: str
    type: MemoryType
    content: str
    confidence: float
    rationale: str | None
    scope: MemoryScope
    session_id: SessionId
    user_id: UserId | None
    recorded_at: datetime
    trust: Trust = Trust.AGENT
    why: str | None = None

    def as_fact(self) -> Fact:
        """Return the memory as a fact, to be ranked with facts and placed among them."""
        source = Source(turn_id="", event_id="", quote=self.rationale or "", user_id=self.user_id)
        return Fact(
            id=self.id,
            fact_id=self.type,
            key=self.type.replace("_", " "),
            value=self.content,
            confidence=self.confidence,
            tier=Tier.L0,
            source=source,
            valid_from=self.recorded_at,
            recorded_at=self.recorded_at,
            last_seen=self.recorded_at,
            trust=self.trust,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """Records that a memory or fact was forgotten: when, by which session, why, and what replaces it."""

    id: str
    at: datetime
    session_id: SessionId
    reason: str | None = None
    replacement_id: str | None = None


def memory_record(memory: Memory) -> dict[str, Any]:
    """Return the memory as JSON values."""
    return {
        "id": memory.id,
        "type": memory.type,
        "content": memory.content,
        "confidence": memory.confidence,
        "rationale": memory.rationale,
        "scope": memory.scope,
        "session": memory.session_id,
        "user": memory.user_id,
        "at": rfc3339(memory.recorded_at),
        **({"trust": memory.trust.label} if memory.trust is not Trust.AGENT else {}),
        **({"why": memory.why} if memory.why is not None else {}),
    }


def memory_lowered(record: Mapping[str, Any], most: Trust) -> dict[str, Any]:
    """Return a memory's record with the memory trusted no further than that."""
    return {**record, "trust": min(most, Trust.of(record.get("trust", Trust.AGENT.label))).label}


def memory_of(record: Mapping[str, Any]) -> Memory:
    """Return the memory that `memory_record` wrote; CorruptData if a field is missing or malformed."""
    try:
        return Memory(
            id=record["id"],
            type=record["type"],
            content=record["content"],
            confidence=float(record["confidence"]),
            rationale=record["rationale"],
            scope=record["scope"],
            session_id=record["session"],
            user_id=record["user"],
            recorded_at=moment(record["at"]),
            trust=Trust.of(record.get("trust", Trust.AGENT.label)),
            why=record.get("why"),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptData("a stored memory is malformed") from error


def ending_record(ending: Ending) -> dict[str, Any]:
    """Return the ending as JSON values."""
    return {
        "id": ending.id,
        "at": rfc3339(ending.at),
        "session": ending.session_id,
        "reason": ending.reason,
        "replacement": ending.replacement_id,
    }


def ending_of(record: Mapping[str, Any]) -> Ending:
    """Return the ending that `ending_record` wrote; CorruptData if a field is missing or malformed."""
    try:
        return Ending(
            id=record["id"],
            at=moment(record["at"]),
            session_id=record["session"],
            reason=record["reason"],
            replacement_id=record["replacement"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise CorruptData("a stored ending is malformed") from error
