"""Requests and answers of before_turn, after_turn and run_turn, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from cairn.ground.explanation import Explanation
from cairn.ground.ids import TurnId, UserId
from cairn.ground.session import ResponseItem
from cairn.ground.settings import RecallScope


@dataclass(frozen=True, slots=True, kw_only=True)
class Preparation:
    """The items that an agent is about to send to its model, and how to prepare them."""

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
    """The model's input with memory in it; token_count is the estimate for `items`.

    Where it was asked for, `why` tells by id why facts and earlier texts are in it.
    """

    items: tuple[ResponseItem, ...]
    recalled_fact_ids: tuple[str, ...]
    token_count: int
    compacted: bool = False
    why: Mapping[str, Explanation] = field(default_factory=dict[str, Explanation])


@dataclass(frozen=True, slots=True)
class BegunTurn:
    """A prepared turn that waits for its answer; until `expires_at` the token can commit it."""

    prepared: PreparedTurn
    token: str
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class CommittedTurn:
    """The result of a commit; a replay wrote nothing."""

    events_written: int = 0
    facts_written: int = 0
    facts_superseded: int = 0
    replayed: bool = False
