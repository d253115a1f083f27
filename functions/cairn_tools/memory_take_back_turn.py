"""Take back the newest turn of a conversation."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.edge.fields import SessionInput, TurnName
from cairn.tool.call import Call
from cairn.tool.tool import always, tool


class TakeBackTurn(SessionInput):
    """Which turn to take back."""

    turn_id: Annotated[TurnName, Field(description="The newest turn's id.")]


class TurnTakenBack(BaseModel):
    """What is gone, and what holds again."""

    turn_id: Annotated[str, Field(description="The turn that is taken back.")]
    items_removed: Annotated[int, Field(description="How many items of the conversation are gone.")]
    facts_retracted: Annotated[int, Field(description="How many facts are gone that the turn taught.")]
    facts_believed_again: Annotated[int, Field(description="How many are believed again that the turn had ended.")]
    repeated: Annotated[bool, Field(description="The turn was taken back before, and nothing was changed.")]


@tool(
    title="Take back the newest turn",
    example={"project": "garden", "session_id": "monday", "turn_id": "turn-7"},
    grants=(
        *("sessions:read", "sessions:write", "sessions:delete"),
        *("logs:read", "logs:put", "logs:delete", "blobs:read", "blobs:delete", "jobs:send"),
    ),
    destructive=True,
    route="DELETE /v1/sessions/{session_id}/turns/newest",
    frees=always,
)
def memory_take_back_turn(request: TakeBackTurn, call: Call) -> TurnTakenBack:
    """Call to take back the newest turn of a conversation: what was said in it and what it taught is gone.

    What an agent remembered or forgot meanwhile stays so. The turn_id cannot be used again.
    """
    from cairn.turns.take_back import take_back  # noqa: PLC0415 - loaded when it is first called

    done = take_back(call.services, request.session(call.caller.tenant), request.turn_id)
    return TurnTakenBack(
        turn_id=request.turn_id,
        items_removed=done.items,
        facts_retracted=done.retracted,
        facts_believed_again=done.believed_again,
        repeated=done.repeated,
    )


handler = memory_take_back_turn.handler
