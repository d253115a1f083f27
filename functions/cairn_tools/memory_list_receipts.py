"""List what was asked of memory in a conversation, each with the receipt by which it can be answered again."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from pydantic import Field

from cairn.edge.fields import SessionInput
from cairn.ground.ids import time_ordered_id
from cairn.memories.fields import Moment
from cairn.replay.fields import ReceiptLine, ReceiptList
from cairn.tool.call import Call
from cairn.tool.tool import tool

_LAST = b"\xff" * 10


class ListReceipts(SessionInput):
    """Of which conversation, and which page."""

    until: Annotated[Moment | None, Field(description="Only what was asked until then; now unless told.")] = None
    cursor: Annotated[
        str, Field(pattern="^([0-9A-HJKMNP-TV-Z]{26})?$", description="Go on here: the cursor of the answer before.")
    ] = ""
    limit: Annotated[int, Field(ge=1, le=100, description="The most to list.")] = 20


@tool(
    title="List receipts",
    example={"project": "garden", "session_id": "monday"},
    grants=("asked:read",),
    read_only=True,
    for_operators=True,
)
def memory_list_receipts(request: ListReceipts, call: Call) -> ReceiptList:
    """Call to find why an agent was told something: what was asked of memory in a conversation, newest first.

    What an agent was told by its hooks is among it. memory_replay answers each again by its receipt.
    """
    until = request.until or call.services.adapters.clock.now()
    before = request.cursor or time_ordered_id(until, _LAST)
    kept = call.services.receipts.of_session(request.session(call.caller.tenant), before)
    listed = [ReceiptLine.of(each) for each in islice(kept, request.limit)]
    return ReceiptList(receipts=listed, cursor=listed[-1].call if len(listed) == request.limit else None)


handler = memory_list_receipts.handler
