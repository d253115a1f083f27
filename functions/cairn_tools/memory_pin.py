"""Have a fact told to the agent always, or no longer."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.memories.fields import OneMemoryInput
from cairn.tool.call import Call
from cairn.tool.tool import tool


class Pin(OneMemoryInput):
    """Which fact."""

    pinned: Annotated[bool, Field(description="False to pin it no longer.")] = True


class Pinned(BaseModel):
    """What stands, or no longer does."""

    memory_id: Annotated[str, Field(description="Its id from now on.")]
    replaced: Annotated[str | None, Field(description="Its id until now; null if nothing was changed.")]
    pinned: Annotated[bool, Field(description="It stands in every context of the user.")]
    message: Annotated[str, Field(description="The same in words.")]


EXAMPLE = {"project": "garden", "user_id": "ada", "memory_id": "u-00000000000000000000000000000000"}


@tool(
    title="Pin a fact",
    example=EXAMPLE,
    grants=("sessions:read", "logs:read", "logs:write", "blobs:read", "jobs:send"),
    route="POST /v1/known/{memory_id}/pin",
)
def memory_pin(request: Pin, call: Call) -> Pinned:
    """Call to have a fact stand first in every context of its user, whatever is asked, and not expire.

    What takes its place is pinned as well. Kept rules and conventions stand there by their type.
    """
    from cairn.memories.pin import pin  # noqa: PLC0415 - loaded when it is first called

    done = pin(
        call.services,
        request.session(call.caller.tenant),
        request.user_id,
        request.memory_id,
        pinned=request.pinned,
    )
    if done.replaced is not None:
        message = "Pinned." if request.pinned else "No longer pinned."
    elif done.by_type:
        message = "It stands in every context by its type; nothing was changed."
    else:
        message = "It is so already; nothing was changed."
    return Pinned(memory_id=done.id, replaced=done.replaced, pinned=request.pinned, message=message)


handler = memory_pin.handler
