"""Requests and answers of remember, recall and forget, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from cairn.ground.explanation import Explanation
from cairn.ground.ids import SessionId, TurnId, UserId
from cairn.ground.settings import MemoryScope, RecallScope
from cairn.log.memories import MemoryType, RecalledType
from cairn.recall.filter import SearchMode

FoundBy: TypeAlias = Literal["text", "semantic", "hybrid", "time"]
"""What found something: its words, its meaning, both or, where nothing was asked, its time."""
MAX_CONTENT_BYTES: Final = 2000


MAX_QUERY_BYTES: Final = 1000


MAX_REASON_CHARACTERS: Final = 500


MOST_PER_SESSION: Final = 10_000
"""How many memories a session may keep, forgotten ones among them, since what is forgotten stays on record.

As many may be kept in one log without a session.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A memory to keep; without a scope it is kept for the user where one is known.

    `at` is when it was recorded, where that was elsewhere and before.
    """

    content: str
    type: MemoryType = "fact"
    confidence: float = 0.8
    rationale: str | None = None
    scope: MemoryScope | None = None
    user_id: UserId | None = None
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A recall; without a query it asks for the newest, without a time for what is believed now.

    `skip` of the best were told before.
    """

    query: str = ""
    mode: SearchMode = "hybrid"
    type: RecalledType | None = None
    min_confidence: float = 0.5
    limit: int = 10
    skip: int = 0
    include_superseded: bool = False
    as_of: datetime | None = None
    explain: bool = False
    user_id: UserId | None = None
    scope: RecallScope | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledItem:
    """A text, a memory or a fact that answers a question; `why` explains its score.

    `found_by` is "time" where nothing was searched for, "text" where no vectors were at hand. `words` are those of a
    text alone, whose `content` also says when, in which session and by whom; `speaker` is whose word a fact goes by.
    """

    id: str
    content: str
    type: RecalledType
    confidence: float
    timestamp: datetime
    kind: Literal["turn", "memory", "fact"]
    score: float = 0.0
    found_by: FoundBy = "time"
    session_id: SessionId | None = None
    turn_id: TurnId | None = None
    speaker: str | None = None
    words: str | None = None
    why: Explanation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallResult:
    """Answers to a question, best first; `more` did not fit, `searched` is how much could have been found.

    `by` is what the answer went by; `without_vector` of what was searched could be found by words alone.
    `likelihood` is how likely any of it answers, None where nothing was asked; `says` tells it in words.
    """

    found: tuple[RecalledItem, ...]
    more: int
    searched: int
    by: FoundBy = "time"
    without_vector: int = 0
    likelihood: float | None = None
    says: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetRequest:
    """A memory or fact to forget, and why."""

    id: str
    reason: str | None = None
    replacement_id: str | None = None
    user_id: UserId | None = None
