"""Events: one stored record for each item of a turn, with an id that a retry would give again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from cairn.conversation.items import is_call, is_result
from cairn.conversation.roles import as_stored, conversation
from cairn.conversation.turns import Completion
from cairn.ground.codec import moment, rfc3339
from cairn.ground.ids import TurnId, UserId
from cairn.ground.session import ResponseItem


class EventType(StrEnum):
    """The kinds of events."""

    INPUT_ITEM = "input_item"
    OUTPUT_ITEM = "output_item"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    COMPACT_SUMMARY = "compact_summary"


@dataclass(frozen=True, slots=True)
class Event:
    """One item of a turn as it was said, and when it was stored."""

    id: str
    ts: datetime
    type: EventType
    turn_id: TurnId
    user_id: UserId | None
    item: ResponseItem

    def to_record(self) -> dict[str, Any]:
        """Return the event as a line of the canonical event log."""
        return {
            "id": self.id,
            "ts": rfc3339(self.ts),
            "type": self.type.value,
            "turn_id": self.turn_id,
            "user_id": self.user_id,
            "item": self.item,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Event:
        """Return the event that to_record() wrote; an item of older code that no model may be given comes quoted."""
        return cls(
            id=record["id"],
            ts=moment(record["ts"]),
            type=EventType(record["type"]),
            turn_id=record["turn_id"],
            user_id=record["user_id"],
            item=as_stored(record["item"]),
        )


def events_of(turn: Completion, inputs: tuple[ResponseItem, ...], now: datetime) -> tuple[Event, ...]:
    """Return the events of a turn: `inputs` are what is new in it, its outputs are all new but for instructions."""
    given = [
        Event(f"{turn.turn_id}-in-{i}", now, _type(item, EventType.INPUT_ITEM), turn.turn_id, turn.user_id, item)
        for i, item in enumerate(inputs)
    ]
    made = [
        Event(f"{turn.turn_id}-out-{i}", now, _type(item, EventType.OUTPUT_ITEM), turn.turn_id, turn.user_id, item)
        for i, item in enumerate(conversation(turn.outputs))
    ]
    return (*given, *made)


def _type(item: ResponseItem, otherwise: EventType) -> EventType:
    if is_result(item):
        return EventType.TOOL_RESULT
    return EventType.TOOL_CALL if is_call(item) else otherwise
