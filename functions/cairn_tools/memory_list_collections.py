"""List collections of documents."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.documents import model
from cairn.documents.collections import Listed
from cairn.documents.fields import Labels, OwnedInput, prefix
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListCollections(OwnedInput):
    """Which collections to list."""

    prefix: Annotated[Labels, Field(default_factory=list[str], description="Those that begin so; * is any label.")]
    suffix: Annotated[Labels, Field(default_factory=list[str], description="Those that end so; * is any label.")]
    max_depth: Annotated[
        int | None, Field(ge=1, le=model.MOST_LABELS, description="Cut them to so many labels, and list each once.")
    ] = None
    limit: Annotated[int, Field(ge=1, le=1000, description="The most collections to return.")] = 100
    offset: Annotated[int, Field(ge=0, le=1_000_000, description="Leave out so many of the first.")] = 0


class Collections(BaseModel):
    """Collections that have documents."""

    collections: Annotated[list[list[str]], Field(description="Their labels, in order.")]
    more: Annotated[bool, Field(description="There are more: leave out these too.")]


@tool(
    title="List collections",
    example={"project": "garden", "user_id": "ada", "prefix": ["notes"]},
    grants=(
        "sessions:read",
        "documents:read",
    ),
    read_only=True,
    for_programs=True,
)
def memory_list_collections(request: ListCollections, call: Call) -> Collections:
    """Call to see which collections have documents of a user or a project."""
    listed = Listed(
        prefix=prefix(request.prefix, "prefix"),
        suffix=prefix(request.suffix, "suffix"),
        max_depth=request.max_depth,
        limit=request.limit,
        offset=request.offset,
    )
    found, more = call.services.documents.collections(request.owner(call.caller.tenant), listed)
    return Collections(collections=[list(each) for each in found], more=more)


handler = memory_list_collections.handler
