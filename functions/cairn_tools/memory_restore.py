"""Believe or keep again what was forgotten, corrected or replaced."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.ground.trust import Trust
from cairn.memories.fields import OneMemoryInput
from cairn.tool.call import Call
from cairn.tool.tool import always, tool


class Restored(BaseModel):
    """What holds again."""

    memory_id: Annotated[str, Field(description="The id under which it is believed or kept now.")]
    restored: Annotated[str, Field(description="The id that was given.")]
    ended: Annotated[str | None, Field(description="What it took the place of, if anything.")]
    was_believed: Annotated[bool, Field(description="It was believed or kept already, and nothing was changed.")]
    message: Annotated[str, Field(description="The same in words.")]


EXAMPLE = {"project": "garden", "user_id": "ada", "memory_id": "u-00000000000000000000000000000000"}


@tool(
    title="Restore a fact or memory",
    example=EXAMPLE,
    grants=("sessions:read", "logs:read", "logs:write", "blobs:read", "projects:list", "jobs:send"),
    destructive=True,
    route="POST /v1/known/{memory_id}/restore",
    frees=always,
)
def memory_restore(request: OneMemoryInput, call: Call) -> Restored:
    """Call to undo that a fact or memory was forgotten, corrected or replaced: it holds again, under another id.

    What took its place ends with that. What was erased, or taught by a turn that was taken back, is gone for good.
    """
    from cairn.memories.restore import restore  # noqa: PLC0415 - loaded when it is first called

    session, trust = request.session(call.caller.tenant), max(Trust.USER, call.caller.trust)
    done = restore(call.services, session, request.user_id, request.memory_id, trust=trust)
    return Restored(
        memory_id=done.id,
        restored=request.memory_id,
        ended=done.ended,
        was_believed=done.was_believed,
        message="It holds already; nothing was changed." if done.was_believed else "Restored.",
    )


handler = memory_restore.handler
