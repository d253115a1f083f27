"""Let go of a memory or a fact, keep on record why, and take that back."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cairn.memories.fields import Forgotten, MemoryId, MemoryInput, TakingBack
from cairn.memories.model import MAX_REASON_CHARACTERS, ForgetRequest
from cairn.tool.call import Call
from cairn.tool.tool import always, tool


class Forget(MemoryInput):
    """What to forget, or to take back."""

    memory_id: Annotated[MemoryId, Field(description="The id that remember or recall gave.")]
    reason: Annotated[str | None, Field(max_length=MAX_REASON_CHARACTERS, description="Why; it is kept.")] = None
    replacement_id: Annotated[MemoryId | None, Field(description="What holds instead.")] = None
    undo: Annotated[bool, Field(description="Take it back.")] = False


EXAMPLE = {
    "project": "garden",
    "session_id": "monday",
    "memory_id": "s-00000000000000000000000000000000",
    "reason": "Measured again in June: it gets seven hours.",
}


@tool(
    title="Forget",
    example=EXAMPLE,
    grants=("sessions:read", "sessions:change", "logs:read", "logs:write", "blobs:read", "projects:list", "jobs:send"),
    destructive=True,
    frees=always,
)
def forget(request: Forget, call: Call) -> Forgotten:
    """Call when a memory or fact turned out wrong or unwanted: no recall returns it then.

    If a newer one takes its place, remember that first.
    """
    session = request.session(call.caller.tenant)
    if request.undo:
        from cairn.memories.restore import restore  # noqa: PLC0415 - loaded when it is first called

        held = restore(call.services, session, request.user_id, request.memory_id, how="beside", why=request.reason)
        message = "It holds; nothing was changed." if held.was_believed else "Taken back: it holds under another id."
        why = None if held.was_believed else request.reason
        return Forgotten(forgotten=False, memory_id=held.id, message=message, reason=why)
    from cairn.memories import forget as memories  # noqa: PLC0415 - as above

    forgetting = ForgetRequest(
        id=request.memory_id,
        reason=request.reason,
        replacement_id=request.replacement_id,
        user_id=request.user_id,
        trust=call.caller.trust,
    )
    can_be_undone = memories.forget(call.services, session, forgetting)
    done = "Forgotten." if request.replacement_id is None else f"Replaced by {request.replacement_id}."
    return Forgotten(
        forgotten=True,
        memory_id=request.memory_id,
        message=f"{done} Call forget with undo: true to take it back." if can_be_undone else done,
        reason=request.reason,
        replacement_id=request.replacement_id,
        undo=TakingBack.of(request, undo=True) if can_be_undone else None,
    )


handler = forget.handler
