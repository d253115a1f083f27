"""Find archived sessions in the archive's index."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from cairn.archive.fields import Pointer
from cairn.archive.model import MAX_TAG_CHARACTERS, MAX_TAGS, pointer
from cairn.tool.call import Call
from cairn.tool.tool import tool


class QueryArchive(BaseModel):
    """What to look for."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    query: Annotated[
        str | None, Field(max_length=1000, description="Part of a tag, a session id or a tool's name, taken literally.")
    ] = None
    tags: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=MAX_TAG_CHARACTERS)]],
        Field(max_length=MAX_TAGS, description="Tags, or parts of tags, that a session has all of."),
    ] = []
    limit: Annotated[int, Field(ge=1, le=100, description="The most sessions to return.")] = 10


class ArchivedSession(BaseModel):
    """One archived session."""

    pointer: Annotated[Pointer, Field(description="What retrieves it.")]
    tags: Annotated[list[str], Field(description="Its tags.")]
    created_at: Annotated[datetime, Field(description="When it was archived, in UTC.")]


class ArchiveMatches(BaseModel):
    """The sessions found."""

    memories: Annotated[list[ArchivedSession], Field(description="The newest first.")]


EXAMPLE = {"tags": ["garden"], "limit": 5}


@tool(title="Find archived sessions", example=EXAMPLE, grants=("archive:read",), read_only=True)
def query_cascade_memories(request: QueryArchive, call: Call) -> ArchiveMatches:
    """Call to find archived sessions by tag, session id or tool, newest first; without any, the newest.

    A whole tag or session id is found however old, a part of one among the newest 1,000 sessions.
    """
    text = (request.query or "").strip()
    caller = call.caller
    found = call.services.archive.query(caller.tenant, text, request.tags, request.limit, caller.users)
    return ArchiveMatches(
        memories=[
            ArchivedSession(pointer=pointer(each.digest), tags=list(each.tags), created_at=each.created_at)
            for each in found
        ]
    )


handler = query_cascade_memories.handler
