"""Append items to a log."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.ground.ports import Entropy
from cairn.items import fields
from cairn.items.fields import Count, ExpectedRevision, GivenItem, LogInput, OperationName, Revision
from cairn.items.model import MOST_AT_ONCE, UNCHANGED, Append, ItemId, NewItem
from cairn.tool.call import Call
from cairn.tool.tool import tool


class AppendItems(LogInput):
    """What to append."""

    items: Annotated[list[GivenItem], Field(max_length=MOST_AT_ONCE, description="In their order.")] = Field(
        default_factory=list[GivenItem]
    )
    operation_id: Annotated[
        OperationName | None,
        Field(description="This call's id: names items without an id, so that the call can be made again."),
    ] = None
    state: Annotated[
        fields.Json, Field(description="Any JSON but null, in the place of the log's state; left out, that stays.")
    ] = None
    expected_revision: ExpectedRevision = None

    def append(self, entropy: Entropy) -> Append:
        """Return what is to be appended; items that have no id get one."""
        operation = self.operation_id or entropy.token(12).hex()
        items = [
            NewItem(item.id or ItemId(f"{operation}:{number}"), item.data) for number, item in enumerate(self.items)
        ]
        return Append(
            items=tuple(items),
            state=UNCHANGED if self.state is None else self.state,
            operation_id=self.operation_id,
            expected_revision=self.expected_revision,
        )


class ItemsAppended(BaseModel):
    """The log afterwards."""

    revision: Revision
    count: Count
    positions: Annotated[list[int], Field(description="Where each item is, in the order of the call.")]
    replayed: Annotated[int, Field(description="How many of them were there before this call.")]


@tool(
    title="Append to an item log",
    example={
        "project": "garden",
        "user_id": "ada",
        "log": "thread-1",
        "items": [{"id": "m1", "data": {"role": "user", "content": "Where do the beans grow?"}}],
    },
    grants=("sessions:read", "items:read", "items:write", "items:delete", "blobs:read", "blobs:write", "blobs:delete"),
    for_programs=True,
)
def memory_append_items(request: AppendItems, call: Call) -> ItemsAppended:
    """Call to append items to a log, all or none, in their order: any JSON, kept as it is.

    An item whose id the log has seen is not stored again, also once it was taken back or deleted; with other data it is
    a CONFLICT. So the same call can be made again, whatever revision it expects, if its items have ids or it has an
    operation_id; without either it may store them twice.
    """
    log = request.place(call.caller.tenant)
    done = call.services.item_logs.append(log, request.append(call.services.adapters.entropy))
    return ItemsAppended(
        revision=done.revision, count=done.count, positions=list(done.positions), replayed=done.replayed
    )


handler = memory_append_items.handler
