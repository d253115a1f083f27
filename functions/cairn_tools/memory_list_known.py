"""Tell what is known of a user."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cairn.edge.fields import UserName
from cairn.overview.fields import KnownFact, KnownMemory, KnownOfUser, ProjectInput
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListKnown(ProjectInput):
    """Of whom."""

    user_id: UserName
    limit: Annotated[int, Field(ge=1, le=500, description="The most facts, and the most memories.")] = 100


@tool(
    title="Tell what is known of a user",
    example={"project": "garden", "user_id": "ada"},
    grants=("sessions:read", "logs:read", "blobs:read"),
    read_only=True,
    route="GET /v1/known",
)
def memory_list_known(request: ListKnown, call: Call) -> KnownOfUser:
    """Call to see what is known of a user: the facts believed now, when and where each was said, and what was kept."""
    from cairn.overview.known import known  # noqa: PLC0415 - loaded when it is first called

    found = known(call.services, request.place(call.caller.tenant), request.user_id, request.limit)
    return KnownOfUser(
        facts=[KnownFact.of(each) for each in found.facts],
        memories=[KnownMemory.of(each) for each in found.memories],
        more=found.more,
    )


handler = memory_list_known.handler
