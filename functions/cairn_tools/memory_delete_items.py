"""Delete items of a log, or all of it."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.items.fields import ItemName, LogInput, Revision
from cairn.items.model import MOST_AT_ONCE
from cairn.tool.call import Call
from cairn.tool.tool import always, tool


class DeleteItems(LogInput):
    """What to delete."""

    ids: Annotated[
        list[ItemName] | None,
        Field(min_length=1, max_length=MOST_AT_ONCE, description="Which items; left out, the whole log."),
    ] = None


class ItemsDeleted(BaseModel):
    """What is gone."""

    deleted: Annotated[int, Field(description="How many items are gone by this call.")]
    revision: Revision


@tool(
    title="Delete items of a log",
    example={"project": "garden", "user_id": "ada", "log": "thread-1", "ids": ["m1"]},
    grants=("sessions:read", "items:read", "items:write", "items:delete", "blobs:read", "blobs:write", "blobs:delete"),
    destructive=True,
    for_programs=True,
    frees=always,
)
def memory_delete_items(request: DeleteItems, call: Call) -> ItemsDeleted:
    """Call to delete items of a log by their ids, all or none, or the whole log with its state and all records.

    Those that are not there count as deleted. A call for the whole log that failed can be made again, and goes on. The
    ids of single items cannot be used again; those of a deleted log can.
    """
    logs, log = call.services.item_logs, request.place(call.caller.tenant)
    done = logs.delete_log(log) if request.ids is None else logs.delete_items(log, request.ids)
    return ItemsDeleted(deleted=done.count, revision=done.revision)


handler = memory_delete_items.handler
