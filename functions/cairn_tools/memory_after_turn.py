"""Commit a turn: what was said, to be remembered once."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cairn.conversation.turns import Completion
from cairn.edge.fields import SessionInput, TurnName, UserName
from cairn.edge.items import Items
from cairn.tool.call import Call
from cairn.tool.tool import tool
from cairn.turns.fields import Committed, LearnedFields, OutputItems


class AfterTurn(LearnedFields, SessionInput):
    """The turn to store."""

    turn_id: TurnName
    user_id: UserName | None = None
    input_items: Annotated[Items, Field(description="What the user said in this turn, without recalled memory.")]
    output_items: OutputItems
    conversation_items: Annotated[Items | None, Field(description="The conversation so far, if you keep it.")] = None


EXAMPLE = {
    "project": "garden",
    "session_id": "monday",
    "user_id": "ada",
    "turn_id": "turn-1",
    "input_items": [{"type": "message", "role": "user", "content": "My name is Ada. I prefer raised beds."}],
    "output_items": [{"type": "message", "role": "assistant", "content": "Raised beds suit beans well."}],
}


@tool(
    title="Store a turn",
    example=EXAMPLE,
    grants=("turns:write", "blobs:read", "blobs:write", "jobs:send", "model:ask", "texts:embed"),
    timeout=29,
)
def memory_after_turn(request: AfterTurn, call: Call) -> Committed:
    """Call after every answer: stores the turn and learns the facts in it.

    Safe to repeat: a turn_id is stored once; with other items it is refused. System and developer items are not stored.
    """
    from cairn.turns.after_turn import commit  # noqa: PLC0415 - loaded when it is first called

    completion = Completion(
        turn_id=request.turn_id,
        inputs=tuple(request.input_items),
        outputs=tuple(request.output_items),
        user_id=request.user_id,
        history=tuple(request.conversation_items or ()),
    )
    session = request.session(call.caller.tenant)
    return Committed.of(commit(call.services, session, completion, request.lessons))


handler = memory_after_turn.handler
