"""List what changed in what is known of a user."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cairn.edge.fields import SessionName, UserName
from cairn.overview.fields import ChangeLine, ChangeList, Cursor, ProjectInput
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListChanges(ProjectInput):
    """Of whom, and which."""

    user_id: UserName
    memory_id: Annotated[
        str | None,
        Field(
            min_length=1,
            max_length=256,
            description="Only of the fact or memory of this id, of all that it replaced, and of all that replaced it.",
        ),
    ] = None
    taught_in: Annotated[
        SessionName | None, Field(description="Only what this conversation changed: what it taught, and what it ended.")
    ] = None
    cursor: Cursor = ""
    limit: Annotated[int, Field(ge=1, le=100, description="The most to list.")] = 50


@tool(
    title="List what changed in memory",
    example={"project": "garden", "user_id": "ada", "limit": 20},
    grants=("sessions:read", "logs:read", "blobs:read"),
    read_only=True,
    route="GET /v1/changes",
)
def memory_list_changes(request: ListChanges, call: Call) -> ChangeList:
    """Call to see how memory came to know what it knows of a user: what it learnt, replaced, forgot, kept, and when."""
    from cairn.overview.changes import Wanted, changes  # noqa: PLC0415 - loaded when it is first called

    wanted = Wanted(request.user_id, request.memory_id, request.taught_in)
    page = changes(call.services, request.place(call.caller.tenant), wanted, request.cursor, request.limit)
    return ChangeList(changes=[ChangeLine.of(each) for each in page.listed], cursor=page.next)


handler = memory_list_changes.handler
