"""List the keys of a namespace."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.keyvalue import personal_data
from cairn.keyvalue.fields import KeyPrefix, NamespaceInput
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListMemory(NamespaceInput):
    """The keys to list."""

    prefix: Annotated[KeyPrefix, Field(description="List only keys that begin with this.")] = ""
    limit: Annotated[int, Field(ge=1, le=100, description="The most keys to return.")] = 50
    cursor: Annotated[str | None, Field(max_length=1024, description="What the page before gave as its cursor.")] = None


class Keys(BaseModel):
    """One page of keys."""

    keys: Annotated[list[str], Field(description="Keys in order; personal data in a key is masked.")]
    cursor: Annotated[str | None, Field(description="Bring this back for the next page; null at the end.")]
    total: Annotated[int, Field(description="How many keys the namespace has, whatever the prefix.")]


EXAMPLE = {"namespace": "session.monday", "prefix": "plan/"}


@tool(title="List keys", example=EXAMPLE, grants=("values:read", "policy:read"), read_only=True)
def listMemory(request: ListMemory, call: Call) -> Keys:
    """Call to see which keys a namespace of key-value memory has: a page of them in order, and how many in all."""
    found = call.services.keyvalue.list(
        call.caller.tenant, request.namespace, request.prefix, request.limit, request.cursor
    )
    keys = [personal_data.shown(listMemory.name, key) for key in found.keys]
    return Keys(keys=keys, cursor=found.cursor, total=found.total)


handler = listMemory.handler
