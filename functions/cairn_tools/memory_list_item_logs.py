"""List item logs."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.items.fields import LogLine, Prefix, ShelfInput
from cairn.items.listing import MAX_CURSOR_CHARACTERS
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListItemLogs(ShelfInput):
    """Which logs, and which page."""

    prefix: Prefix = ""
    limit: Annotated[int, Field(ge=1, le=100, description="The most to list.")] = 50
    cursor: Annotated[
        str | None, Field(max_length=MAX_CURSOR_CHARACTERS, description="Go on here: the cursor of the answer before.")
    ] = None
    with_state: Annotated[bool, Field(description="With the state of each.")] = False


class ItemLogs(BaseModel):
    """Logs."""

    logs: Annotated[list[LogLine], Field(description="By name, in the order of its bytes.")]
    cursor: Annotated[str | None, Field(description="Where the list goes on, null at its end.")]


@tool(
    title="List item logs",
    example={"project": "garden", "user_id": "ada", "prefix": "thread-"},
    grants=("sessions:read", "items:read", "blobs:read"),
    read_only=True,
    for_programs=True,
)
def memory_list_item_logs(request: ListItemLogs, call: Call) -> ItemLogs:
    """Call to list item logs: a user's in a project or, if nobody is named, the project's own."""
    page = call.services.item_logs.page(
        request.shelf(call.caller.tenant),
        request.prefix,
        request.limit,
        request.cursor,
        with_state=request.with_state,
    )
    return ItemLogs(logs=[LogLine.of(each) for each in page.logs], cursor=page.cursor)


handler = memory_list_item_logs.handler
