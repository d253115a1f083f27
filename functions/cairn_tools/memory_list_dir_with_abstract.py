"""Look around a session's memory: its directories and what is in each."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from cairn.edge.fields import SessionInput
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListDirectories(SessionInput):
    """The directories to list."""

    path: Annotated[str, Field(max_length=1024, description="List only below this directory; empty for all.")] = ""
    depth: Annotated[int, Field(ge=0, description="How many levels below the path to list.")] = 8
    limit: Annotated[int, Field(ge=1, le=1000, description="The most directories to list.")] = 200


class Directory(BaseModel):
    """One directory."""

    path: Annotated[str, Field(description="Where it is.")]
    abstract: Annotated[str, Field(description="What it holds, in some sentences.")]
    updated_at: Annotated[datetime, Field(description="When something in it last changed, in UTC.")]
    has_overview: Annotated[bool, Field(description="A longer overview is there to read.")]


class Listing(BaseModel):
    """The directories found."""

    summaries: Annotated[list[Directory], Field(description="Directories, parents before children.")]


EXAMPLE = {"project": "garden", "session_id": "monday", "depth": 2}


@tool(title="List a session's memory", example=EXAMPLE, grants=("table:read", "blobs:read", "key:use"), read_only=True)
def memory_list_dir_with_abstract(request: ListDirectories, call: Call) -> Listing:
    """Call to see what is known of a session: lists its memory directories, each with an abstract of what is in it."""
    session = request.session(call.caller.tenant)
    found = call.services.directories.list(session, request.path, request.depth, request.limit)
    return Listing(
        summaries=[
            Directory(
                path=each.path, abstract=each.abstract, updated_at=each.updated_at, has_overview=each.has_overview
            )
            for each in found
        ]
    )


handler = memory_list_dir_with_abstract.handler
