"""Read an archived session back."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from cairn.archive.fields import PointerInput
from cairn.tool.call import Call
from cairn.tool.tool import tool


class RetrieveSession(BaseModel):
    """The session to read."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    pointer: PointerInput


class RetrievedSession(BaseModel):
    """What was archived."""

    session_data: Annotated[dict[str, Any], Field(description="The session as it was archived.")]


EXAMPLE = {"pointer": f"cascade://{'0123456789abcdef' * 4}"}


@tool(
    title="Read an archived session",
    example=EXAMPLE,
    grants=("archive:read", "blobs:read"),
    read_only=True,
)
def retrieve_session_from_cascade(request: RetrieveSession, call: Call) -> RetrievedSession:
    """Call with a pointer from store_session_to_cascade or query_cascade_memories: returns the archived session."""
    caller = call.caller
    return RetrievedSession(session_data=call.services.archive.retrieve(caller.tenant, request.pointer, caller.users))


handler = retrieve_session_from_cascade.handler
