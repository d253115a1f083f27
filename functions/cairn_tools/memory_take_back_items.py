"""Take back the newest items of a log."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.items.fields import ExpectedRevision, ItemLine, LogInput, OperationName, Revision
from cairn.items.model import MOST_AT_ONCE
from cairn.tool.call import Call
from cairn.tool.tool import always, tool


class TakeBackItems(LogInput):
    """How many to take back."""

    operation_id: OperationName
    count: Annotated[int, Field(ge=1, le=MOST_AT_ONCE, description="How many of the newest.")] = 1
    expected_revision: ExpectedRevision = None


class ItemsTakenBack(BaseModel):
    """What is gone."""

    items: Annotated[list[ItemLine], Field(description="The items that were taken back, the oldest first.")]
    revision: Revision
    repeated: Annotated[
        bool,
        Field(description="This operation_id did it before, and nothing more is gone; items are told for a day."),
    ]


@tool(
    title="Take back the newest items",
    example={"project": "garden", "user_id": "ada", "log": "thread-1", "operation_id": "undo-1"},
    grants=("sessions:read", "items:read", "items:write", "items:delete", "blobs:read", "blobs:write", "blobs:delete"),
    destructive=True,
    for_programs=True,
    frees=always,
)
def memory_take_back_items(request: TakeBackItems, call: Call) -> ItemsTakenBack:
    """Call to take back the newest items of a log and get them: from then on nobody reads them.

    That it was done stays on record. Their ids cannot be used again. Of items over 1.9 MB together only the newest are
    taken back, at least one.
    """
    log = request.place(call.caller.tenant)
    done = call.services.item_logs.take_back(log, request.operation_id, request.count, request.expected_revision)
    return ItemsTakenBack(
        items=[ItemLine.of(item) for item in done.items], revision=done.revision, repeated=done.repeated
    )


handler = memory_take_back_items.handler
