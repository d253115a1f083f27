"""Read a memory file."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import BaseModel, Field

from cairn.files.fields import OwnerInput, Path
from cairn.ground.errors import NotFound
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ReadFile(OwnerInput):
    """Which file."""

    path: Annotated[Path, Field(description="Such as /memories/notes.md.")]
    version: Annotated[int | None, Field(ge=1, description="The version to read; the newest unless told.")] = None


class FileRead(BaseModel):
    """The file."""

    path: Annotated[str, Field(description="Where it is.")]
    content: Annotated[str, Field(description="All that it holds.")]
    version: Annotated[int, Field(description="Which version that is.")]
    updated_at: Annotated[datetime, Field(description="When it was written, in UTC.")]
    operation_id: Annotated[
        str | None,
        Field(description="The id of the call that wrote it; null for none, and for one that begins with retry:"),
    ]


@tool(
    title="Read a memory file",
    example={"project": "garden", "user_id": "ada", "path": "/memories/notes.md"},
    grants=("sessions:read", "blobs:read"),
    read_only=True,
    for_programs=True,
)
def memory_read_file(request: ReadFile, call: Call) -> FileRead:
    """Call to read a whole file of the memory tool, as it is or as it was in an earlier version that is kept."""
    found = call.services.memory_files.read(request.owner(call.caller.tenant), request.path, request.version)
    if found is None:
        raise NotFound("no such file, or not in this version", {"path": request.path})
    return FileRead(
        path=found.path,
        content=found.content,
        version=found.version,
        updated_at=found.updated_at,
        operation_id=found.operation_id,
    )


handler = memory_read_file.handler
