"""What the turn lifecycle takes and gives: plain values, already valid."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

from cairn.ground.explanation import Explanation
from cairn.ground.ids import Project, SessionId, Tenant, TurnId, UserId
from cairn.ground.settings import RecallScope

ResponseItem: TypeAlias = Mapping[str, Any]
"""An item of the OpenAI Responses API as the client sent it; fields Cairn does not know stay untouched."""


@dataclass(frozen=True, slots=True)
class Session:
    """Which session: no two tenants or projects share one."""

    tenant: Tenant
    project: Project
    session_id: SessionId


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """What an agent is about to ask its model."""

    current: tuple[ResponseItem, ...]
    user_id: UserId | None = None
    turn_id: TurnId | None = None
    base_instructions: str | None = None
    max_input_tok: int = 120_000
    history: tuple[ResponseItem, ...] = ()
    recall_scope: RecallScope | None = None
    explain: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedTurn:
    """The model's input with memory in it; token_count is the estimate of `items`.

    Where it was asked for, `why` tells by id why facts and earlier texts are in it.
    """

    items: tuple[ResponseItem, ...]
    recalled_fact_ids: tuple[str, ...]
    token_count: int
    compacted: bool = False
    why: Mapping[str, Explanation] = field(default_factory=dict[str, Explanation])


@dataclass(frozen=True, slots=True)
class BegunTurn:
    """A prepared turn that waits for its answer; the token commits it until `expires_at`."""

    prepared: PreparedTurn
    token: str
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What was said in a turn, to be remembered once."""

    turn_id: TurnId
    inputs: tuple[ResponseItem, ...]
    outputs: tuple[ResponseItem, ...]
    user_id: UserId | None = None
    history: tuple[ResponseItem, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CommittedTurn:
    """What a commit wrote; a replay wrote nothing."""

    events_written: int = 0
    facts_written: int = 0
    facts_superseded: int = 0
    replayed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MaintenanceReport:
    """What one maintenance run did; `finished` is false where the next run has to go on.

    `erased` says that the session was left alone for longer than it is kept, and is gone as far as the run came.
    """

    compacted_events: int = 0
    archived_shards: int = 0
    expired_facts: int = 0
    merged_facts: int = 0
    summaries_refreshed: int = 0
    erased: bool = False
    finished: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectorySummary:
    """One directory of a session's memory and what is in it."""

    path: str
    abstract: str
    updated_at: datetime
    has_overview: bool
