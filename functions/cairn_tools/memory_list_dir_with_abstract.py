"""Look around a session's memory: its directories, what is in each, and the files."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from cairn.edge.explained import is_absent
from cairn.edge.fields import SessionInput
from cairn.ground.errors import NotFound
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListDirectories(SessionInput):
    """The directories to list, or the file to read."""

    path: Annotated[str, Field(max_length=1024, description="List only below this directory; empty for all.")] = ""
    content: Annotated[bool, Field(description="Read the file at path, such as a directory's `.overview`.")] = False
    offset: Annotated[int, Field(ge=0, description="The byte of the content to begin at.")] = 0
    depth: Annotated[int, Field(ge=0, description="How many levels below the path to list.")] = 8
    limit: Annotated[int, Field(ge=1, le=1000, description="The most directories to list.")] = 200


class Directory(BaseModel):
    """One directory."""

    path: Annotated[str, Field(description="Where it is.")]
    abstract: Annotated[str, Field(description="What it holds, in some sentences.")]
    updated_at: Annotated[datetime, Field(description="When something in it last changed, in UTC.")]
    has_overview: Annotated[bool, Field(description="A longer text is in its file `.overview`.")]


class Listing(BaseModel):
    """The directories found, or what the file holds."""

    summaries: Annotated[list[Directory], Field(description="Directories, parents before children.")]
    content: Annotated[str | None, Field(description="Up to 16,000 bytes of the file.", exclude_if=is_absent)] = None
    next_offset: Annotated[int | None, Field(description="Where the file goes on.", exclude_if=is_absent)] = None


EXAMPLE = {"project": "garden", "session_id": "monday", "depth": 2}


@tool(
    title="List a session's memory",
    example=EXAMPLE,
    grants=("sessions:read", "logs:read", "blobs:read"),
    read_only=True,
)
def memory_list_dir_with_abstract(request: ListDirectories, call: Call) -> Listing:
    """Call to see what is known of a session: lists its memory directories, each with an abstract; or reads a file."""
    session = request.session(call.caller.tenant)
    if request.content and (page := call.services.files.page(session, request.path.rstrip("/"), request.offset)):
        return Listing(summaries=[], content=page.text, next_offset=page.next)
    found = call.services.directories.list(session, request.path, request.depth, request.limit)
    if request.content and not found:
        raise NotFound("no such file or directory in this session", {"path": request.path})
    return Listing(
        summaries=[
            Directory(
                path=each.path, abstract=each.abstract, updated_at=each.updated_at, has_overview=each.has_overview
            )
            for each in found
        ]
    )


handler = memory_list_dir_with_abstract.handler
