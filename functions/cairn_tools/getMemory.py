"""Read a value."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, Field

from cairn.keyvalue import personal_data
from cairn.keyvalue.fields import KeyInput
from cairn.tool.call import Call
from cairn.tool.tool import tool


class GetMemory(KeyInput):
    """The value to read."""


class Got(BaseModel):
    """The value."""

    value: Annotated[Any, Field(description="What was stored: any JSON.")]
    ttl_seconds: Annotated[int | None, Field(description="How long it will be there; null for ever.")]
    updated_at: Annotated[datetime, Field(description="When it was stored, in UTC.")]
    version: Annotated[int, Field(description="Its version, for if_version.")]


EXAMPLE = {"namespace": "session.monday", "key": "plan/beans"}


@tool(title="Read a value", example=EXAMPLE, grants=("values:read", "policy:read", "blobs:read"), read_only=True)
def getMemory(request: GetMemory, call: Call) -> Got:
    """Call to read a value of key-value memory that putMemory stored."""
    found = call.services.keyvalue.get(request.place(call.caller.tenant))
    return Got(
        value=personal_data.shown(getMemory.name, found.value),
        ttl_seconds=found.ttl_seconds,
        updated_at=found.updated_at,
        version=found.version,
    )


handler = getMemory.handler
