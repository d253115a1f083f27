"""Read a conversation's items by the page."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cairn.edge.fields import SessionInput
from cairn.overview.fields import ItemLine, ItemList, Order
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListItems(SessionInput):
    """Of which conversation, and which page."""

    order: Order = "oldest"
    cursor: Annotated[int, Field(ge=0, description="Go on here: the cursor of the answer before.")] = 0
    limit: Annotated[int, Field(ge=1, le=200, description="After how many items a page ends, with their turn.")] = 50


@tool(
    title="Read a conversation",
    example={"project": "garden", "session_id": "monday", "order": "newest", "limit": 10},
    grants=("sessions:read", "blobs:read"),
    read_only=True,
    route="GET /v1/sessions/{session_id}/items",
)
def memory_list_items(request: ListItems, call: Call) -> ItemList:
    """Call to read a conversation: its items as they were sent, by whole turns, each page in the order of saying."""
    from cairn.overview import items  # noqa: PLC0415 - loaded when it is first called

    session = request.session(call.caller.tenant)
    if request.order == "oldest":
        page = items.items(call.services, session, request.cursor, request.limit)
    else:
        page = items.newest_items(call.services, session, request.cursor or None, request.limit)
    return ItemList(items=[ItemLine.of(each) for each in page.listed], cursor=int(page.next) if page.next else None)


handler = memory_list_items.handler
