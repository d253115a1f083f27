"""Let go of a memory or a fact, and keep on record why."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.memories.fields import MemoryId, MemoryInput
from cairn.memories.model import MAX_REASON_CHARACTERS, ForgetRequest
from cairn.tool.call import Call
from cairn.tool.tool import tool


class Forget(MemoryInput):
    """What to forget."""

    memory_id: Annotated[MemoryId, Field(description="The id that remember or recall gave.")]
    reason: Annotated[str | None, Field(max_length=MAX_REASON_CHARACTERS, description="Why; it stays on record.")] = (
        None
    )
    replacement_id: Annotated[MemoryId | None, Field(description="The memory that holds instead.")] = None


class Forgotten(BaseModel):
    """What was forgotten."""

    forgotten: Annotated[bool, Field(description="No recall returns it from now on.")] = True
    memory_id: Annotated[str, Field(description="What was forgotten.")]
    message: Annotated[str, Field(description="The same in words.")]
    reason: Annotated[str | None, Field(description="Why.")]
    replacement_id: Annotated[str | None, Field(description="What holds instead.")]


EXAMPLE = {
    "project": "garden",
    "session_id": "monday",
    "memory_id": "s-00000000000000000000000000000000",
    "reason": "Measured again in June: it gets seven hours.",
}


@tool(
    title="Forget",
    example=EXAMPLE,
    grants=("sessions:read", "sessions:write", "logs:read", "logs:write", "blobs:read"),
    destructive=True,
)
def forget(request: Forget, call: Call) -> Forgotten:
    """Call when a memory or fact turned out wrong or is no longer wanted: no recall returns it from then on.

    Give replacement_id where a newer memory takes its place; remember that one first.
    """
    from cairn.memories import forget as memories  # noqa: PLC0415 - loaded when it is first called

    forgetting = ForgetRequest(
        id=request.memory_id,
        reason=request.reason,
        replacement_id=request.replacement_id,
        user_id=request.user_id,
    )
    memories.forget(call.services, request.session(call.caller.tenant), forgetting)
    return Forgotten(
        memory_id=request.memory_id,
        message="Forgotten." if request.replacement_id is None else f"Replaced by {request.replacement_id}.",
        reason=request.reason,
        replacement_id=request.replacement_id,
    )


handler = forget.handler
