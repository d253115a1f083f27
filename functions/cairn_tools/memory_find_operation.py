"""Find what an operation on a memory file came to."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.files.fields import OwnerInput, Version
from cairn.files.receipts import Operation
from cairn.tool.call import Call
from cairn.tool.tool import tool


class FindOperation(OwnerInput):
    """Which operation."""

    operation_id: Annotated[str, Field(min_length=1, max_length=512, description="The id that the call had.")]
    fingerprint: Annotated[str, Field(max_length=256, description="What stood for its arguments.")]


class OperationFound(BaseModel):
    """What it came to."""

    done: Annotated[bool, Field(description="It was done, in the last 30 days.")]
    version: Version
    existed: Annotated[bool, Field(description="There was a file before it.")]


@tool(
    title="Find an operation",
    example={"project": "garden", "user_id": "ada", "operation_id": "write-7", "fingerprint": "7f83b165"},
    grants=("sessions:read", "blobs:read"),
    read_only=True,
    for_programs=True,
)
def memory_find_operation(request: FindOperation, call: Call) -> OperationFound:
    """Call to learn whether a write was done whose answer was lost; CONFLICT if its fingerprint was another."""
    wanted = Operation(request.operation_id, request.fingerprint)
    done = call.services.memory_files.operation(request.owner(call.caller.tenant), wanted)
    return OperationFound(
        done=done is not None, version=done.version if done else None, existed=done is not None and done.existed
    )


handler = memory_find_operation.handler
