"""Write or delete a memory file."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import BaseModel, Field, model_validator

from cairn.edge.validation import refused
from cairn.files.commands import Write
from cairn.files.fields import ChangeInput, Path, Replayed, Version
from cairn.tool.call import Call
from cairn.tool.tool import tool


class WriteFile(ChangeInput):
    """What to write where."""

    path: Annotated[Path, Field(description="Such as /memories/notes.md.")]
    content: Annotated[str | None, Field(description="All that the file shall hold.")] = None
    delete: Annotated[bool, Field(description="Delete the file; takes the place of content.")] = False
    fingerprint: Annotated[
        str | None,
        Field(max_length=256, description="Stands for this call's arguments, in place of a hash of them."),
    ] = None

    @model_validator(mode="after")
    def _check(self) -> Self:
        if (self.content is None) is not self.delete:
            raise refused("is required, or delete, and not both", "content")
        return self


class FileWritten(BaseModel):
    """The file afterwards."""

    version: Version
    existed: Annotated[bool, Field(description="There was a file before.")]
    replayed: Replayed


@tool(
    title="Write a memory file",
    example={"project": "garden", "user_id": "ada", "path": "/memories/notes.md", "content": "Beans in row four."},
    grants=(
        *("sessions:read", "sessions:write", "sessions:delete", "logs:write"),
        *("blobs:read", "blobs:write", "blobs:delete"),
    ),
    destructive=True,
    for_programs=True,
)
def memory_write_file(request: WriteFile, call: Call) -> FileWritten:
    """Call to put a content in the place of a file's, made if absent, or to delete it; what it held before is kept.

    With expected_version it is done only if nobody else changed the file meanwhile. With an operation_id it is done
    once; the same id with other arguments is a CONFLICT.
    """
    condition = request.condition([request.path, request.content], request.fingerprint)
    write = Write(request.path, request.content)
    done = call.services.memory_files.run(request.owner(call.caller.tenant), write, condition)
    return FileWritten(version=done.version, existed=done.existed, replayed=done.replayed)


handler = memory_write_file.handler
