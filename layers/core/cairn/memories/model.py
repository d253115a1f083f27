"""Requests and answers of the calls on memories, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal, TypeAlias

from cairn.ground.errors import Conflict, NotFound
from cairn.ground.explanation import Explanation
from cairn.ground.ids import SessionId, TurnId, UserId
from cairn.ground.settings import MemoryScope, RecallScope
from cairn.ground.trust import Trust
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

    `at` is when it was recorded, where that was elsewhere and before. It is an agent's word unless `trust` says whose
    else. `why` is why it is kept again, where it was forgotten.
    """

    content: str
    type: MemoryType = "fact"
    confidence: float = 0.8
    rationale: str | None = None
    scope: MemoryScope | None = None
    user_id: UserId | None = None
    at: datetime | None = None
    trust: Trust = Trust.AGENT
    why: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A recall; without a query it asks for the newest, without a time for what is believed now.

    `skip` of the best were told before. `at` is the moment of the call, where that is told.
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
    at: datetime | None = None
    min_trust: Trust = Trust.OUTSIDE


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledItem:
    """A text, a memory or a fact that answers a question; `why` explains its score.

    `found_by` is "time" where nothing was searched for, "text" where no vectors were at hand. `words` are those of a
    text alone, whose `content` also says when, in which session and by whom; `speaker` is whose word a fact goes by,
    and `trust` how far that is trusted.
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
    trust: Trust = Trust.OUTSIDE
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
    """A memory or fact to forget, and why; `trust` is whose word that is."""

    id: str
    reason: str | None = None
    replacement_id: str | None = None
    user_id: UserId | None = None
    trust: Trust = Trust.AGENT


@dataclass(frozen=True, slots=True, kw_only=True)
class Corrected:
    """What says now what was to be said, and the id whose place it took; None where it said so already."""

    id: str
    replaced: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """What is believed or kept again, and the id whose place it took; `was_believed` says that nothing was changed."""

    id: str
    ended: str | None = None
    was_believed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Pinned:
    """What is pinned now or no longer, and the id of its record before; None where it was so already."""

    id: str
    replaced: str | None = None
    by_type: bool = False
    """It is a memory that stands in every context by its type."""


def outranked(name: str) -> Conflict:
    """Return the error that says that what was to be replaced goes by a higher word."""
    return Conflict("this goes by a more trusted word, which a less trusted one does not replace", {"memory_id": name})


def absent(field: str = "memory_id") -> NotFound:
    """Return the error that says that the id in this field names nothing here."""
    return NotFound(f"{field} names nothing that is remembered here", {"field": field})
