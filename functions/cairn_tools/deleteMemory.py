"""Remove a value."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.keyvalue.fields import IfVersion, KeyInput
from cairn.tool.call import Call
from cairn.tool.tool import always, tool


class DeleteMemory(KeyInput):
    """The value to remove."""

    if_version: IfVersion = None


class Deleted(BaseModel):
    """That it was removed."""

    success: Annotated[bool, Field(description="It is gone.")]


EXAMPLE = {"namespace": "session.monday", "key": "plan/beans"}


@tool(
    title="Remove a value",
    example=EXAMPLE,
    grants=("values:read", "values:write", "policy:read", "blobs:delete"),
    destructive=True,
    frees=always,
)
def deleteMemory(request: DeleteMemory, call: Call) -> Deleted:
    """Call to remove a value from key-value memory; it is an error where there is none."""
    call.services.keyvalue.delete(request.place(call.caller.tenant), request.if_version)
    return Deleted(success=True)


handler = deleteMemory.handler
