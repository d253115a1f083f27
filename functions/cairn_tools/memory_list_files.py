"""List memory files, or the versions of one."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import Annotated

from pydantic import BaseModel, Field

from cairn.files.fields import OwnerInput, Path
from cairn.files.memory_files import MemoryFile
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListFiles(OwnerInput):
    """Which files."""

    prefix: Annotated[Path, Field(description="What their paths begin with.")] = "/memories/"
    after: Annotated[Path | None, Field(description="Those behind this path, from there on.")] = None
    limit: Annotated[int, Field(ge=1, le=1000, description="The most files or versions.")] = 1000
    path: Annotated[Path | None, Field(description="List the kept versions of this file, the newest last.")] = None


class FileLine(BaseModel):
    """A file, or a version of it."""

    path: Annotated[str, Field(description="Where it is.")]
    version: Annotated[int, Field(description="Its version.")]
    size: Annotated[int, Field(description="How many bytes it holds.")]
    updated_at: Annotated[datetime, Field(description="When it was written, in UTC.")]

    @classmethod
    def of(cls, file: MemoryFile) -> FileLine:
        """Return the line of a file."""
        return cls(path=file.path, version=file.version, size=file.size, updated_at=file.updated_at)


class FilesListed(BaseModel):
    """The files found."""

    files: Annotated[list[FileLine], Field(description="By percent-encoded path; versions by their number.")]
    more: Annotated[bool, Field(description="There are more, after the last one; of versions, older ones.")]


@tool(
    title="List memory files",
    example={"project": "garden", "user_id": "ada"},
    grants=("sessions:read",),
    read_only=True,
    for_programs=True,
)
def memory_list_files(request: ListFiles, call: Call) -> FilesListed:
    """Call to list the files of the memory tool, whose paths begin so; or the versions of one that are kept."""
    files, owner, limit = call.services.memory_files, request.owner(call.caller.tenant), request.limit
    if request.path is not None:
        found = list(files.versions(owner, request.path))
        return FilesListed(files=[FileLine.of(each) for each in found[-limit:]], more=len(found) > limit)
    listed = list(islice(files.list(owner, request.prefix, request.after), limit + 1))
    return FilesListed(files=[FileLine.of(each) for each in listed[:limit]], more=len(listed) > limit)


handler = memory_list_files.handler
