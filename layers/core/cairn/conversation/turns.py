"""A turn as it is handed in to be stored."""

from __future__ import annotations

from dataclasses import dataclass

from cairn.ground.ids import TurnId, UserId
from cairn.ground.session import ResponseItem


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """What was said in a turn, to be remembered once."""

    turn_id: TurnId
    inputs: tuple[ResponseItem, ...]
    outputs: tuple[ResponseItem, ...]
    user_id: UserId | None = None
    history: tuple[ResponseItem, ...] = ()
