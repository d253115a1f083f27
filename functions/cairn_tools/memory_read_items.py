"""Read items of a log."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator

from cairn.edge.validation import refused
from cairn.items import fields
from cairn.items.fields import Count, ItemLine, LogInput, Position, Revision
from cairn.tool.call import Call
from cairn.tool.tool import tool

MOST = 1000


class ReadItems(LogInput):
    """Which items to read."""

    limit: Annotated[int, Field(ge=1, le=MOST, description="The most items.")] = 100
    after: Annotated[
        Position | None, Field(ge=-1, description="The items after this position, from there on; -1 for all.")
    ] = None
    before: Annotated[Position | None, Field(ge=0, description="The newest items before this position.")] = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.after is not None and self.before is not None:
            raise refused("must not be given beside after", "before")
        return self


class ItemsRead(BaseModel):
    """A stretch of the log."""

    items: Annotated[list[ItemLine], Field(description="The oldest first.")]
    revision: Revision
    count: Count
    state: Annotated[fields.Json, Field(description="The log's state; null where it has none.")]
    more: Annotated[
        bool,
        Field(
            description="There are more: with after, those behind the last position; else those before the first. "
            "An answer ends at 1.9 MB."
        ),
    ]


@tool(
    title="Read an item log",
    example={"project": "garden", "user_id": "ada", "log": "thread-1", "limit": 10},
    grants=("sessions:read", "items:read", "blobs:read"),
    read_only=True,
    for_programs=True,
)
def memory_read_items(request: ReadItems, call: Call) -> ItemsRead:
    """Call to read a log: its newest items, those after a position, or the newest before one.

    A log that is not there has revision 0 and no items. An append that expects the revision of an answer without before
    holds only if nothing was appended, taken back or deleted since.
    """
    from cairn.items.read import Window  # noqa: PLC0415 - loaded when it is first called

    window = Window(request.limit, request.after, request.before)
    found = call.services.item_logs.read(request.place(call.caller.tenant), window)
    return ItemsRead(
        items=[ItemLine.of(item) for item in found.items],
        revision=found.revision,
        count=found.count,
        state=found.state,
        more=found.more,
    )


handler = memory_read_items.handler
