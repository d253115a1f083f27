"""Say what holds in the place of something that memory has wrong."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.ground.trust import Trust
from cairn.memories.fields import Content, OneMemoryInput
from cairn.tool.call import Call
from cairn.tool.tool import always, tool


class Correct(OneMemoryInput):
    """What is wrong, and what holds."""

    content: Annotated[
        Content,
        Field(
            description="What holds instead, in up to 2000 bytes; of a fact its value alone, in up to 512.",
            json_schema_extra={"minLength": 1},
        ),
    ]


class Corrected(BaseModel):
    """What says now what holds."""

    memory_id: Annotated[str, Field(description="The id of what is believed or kept now.")]
    replaced: Annotated[str | None, Field(description="What it took the place of; null if that said so already.")]
    message: Annotated[str, Field(description="The same in words.")]


EXAMPLE = {
    "project": "garden",
    "user_id": "ada",
    "memory_id": "u-00000000000000000000000000000000",
    "content": "The north bed gets seven hours of sun.",
}


@tool(
    title="Correct a fact or memory",
    example=EXAMPLE,
    grants=("sessions:read", "logs:read", "logs:write", "blobs:read", "projects:list", "jobs:send"),
    destructive=True,
    route="POST /v1/known/{memory_id}/correct content",
    frees=always,
)
def memory_correct(request: Correct, call: Call) -> Corrected:
    """Call where a person says what holds instead of a fact or memory: that alone is believed, and recalled.

    What was believed stays on record. Saying it again changes nothing.
    """
    from cairn.memories.correct import correct  # noqa: PLC0415 - loaded when it is first called

    session, trust = request.session(call.caller.tenant), max(Trust.USER, call.caller.trust)
    done = correct(call.services, session, request.user_id, request.memory_id, request.content, trust)
    message = "It says so already; nothing was changed." if done.replaced is None else "Corrected."
    return Corrected(memory_id=done.id, replaced=done.replaced, message=message)


handler = memory_correct.handler
