"""Read a conversation's items by the page."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from cairn.edge.fields import SessionInput
from cairn.ground.adapters import Pending
from cairn.overview.fields import ItemLine, ItemList, Order
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListItems(SessionInput):
    """Of which conversation, and which page."""

    order: Order = "oldest"
    cursor: Annotated[int, Field(ge=0, description="Go on here: the cursor of the answer before.")] = 0
    limit: Annotated[int, Field(ge=1, le=200, description="After how many items a page ends, with their turn.")] = 50
    told: Annotated[bool, Field(description="Also what memory told the agent in which turn.")] = False


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

    services, session = call.services, request.session(call.caller.tenant)
    if request.order == "oldest":
        page = Pending(lambda: items.items(services, session, request.cursor, request.limit))
    else:
        page = Pending(lambda: items.newest_items(services, session, request.cursor or None, request.limit))
    told = Pending(lambda: services.open_turns.told(session))
    services.adapters.parallel([page, told] if request.told else [page])
    listed, cursor = page.result.listed, page.result.next
    return ItemList(
        items=[ItemLine.of(each) for each in listed],
        cursor=int(cursor) if cursor else None,
        told={str(turn): names for turn, names in told.result.items()} if request.told else None,
    )


handler = memory_list_items.handler
