"""The turn that a client hands in to be stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from cairn.ground.ids import TurnId, UserId
from cairn.ground.session import ResponseItem
from cairn.ground.trust import Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The items of a turn, to be stored once; `at` is when it was said, where that is not now.

    Nothing in it is trusted further than `most`.
    """

    turn_id: TurnId
    inputs: tuple[ResponseItem, ...]
    outputs: tuple[ResponseItem, ...]
    user_id: UserId | None = None
    history: tuple[ResponseItem, ...] = ()
    at: datetime | None = None
    most: Trust = Trust.OPERATOR
