"""Store a value."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.ground.errors import InvalidArgument
from cairn.keyvalue import personal_data
from cairn.keyvalue.fields import IfVersion, KeyInput, Value
from cairn.tool.call import Call
from cairn.tool.tool import tool


class PutMemory(KeyInput):
    """The value to store."""

    value: Annotated[Value, Field(description="Any JSON, 1 MB at most.")]
    ttl_seconds: Annotated[
        int | None, Field(ge=0, description="How long to keep it, as long as is allowed unless told; 0 removes it.")
    ] = None
    if_version: IfVersion = None


class Put(BaseModel):
    """That it was stored."""

    success: Annotated[bool, Field(description="It is done.")]
    version: Annotated[int, Field(description="Its version, for if_version; 0 where it was removed.")]


EXAMPLE = {"namespace": "session.monday", "key": "plan/beans", "value": {"rows": 4}, "ttl_seconds": 600}


@tool(
    title="Store a value",
    example=EXAMPLE,
    grants=("values:read", "values:add", "values:write", "policy:read", "blobs:read", "blobs:write", "blobs:delete"),
    destructive=True,
)
def putMemory(request: PutMemory, call: Call) -> Put:
    """Call to store a value in key-value memory, in place of the one before, for as long as it is of use.

    Personal data and secrets are refused. With if_version it is stored only if nobody else changed it meanwhile.
    """
    most, ttl = call.permission.max_ttl_seconds, request.ttl_seconds
    if most is not None and ttl is not None and ttl > most:
        raise InvalidArgument("ttl_seconds", f"must be at most {most}")
    names = (request.namespace, request.key)
    value = personal_data.admitted(putMemory.name, request.value, names, call.permission.on_sensitive)
    place = request.place(call.caller.tenant)
    version = call.services.keyvalue.put(place, value, most if ttl is None else ttl, request.if_version)
    return Put(success=True, version=version)


handler = putMemory.handler
