"""Anthropic's memory tool: files under /memories."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.files.commands import View
from cairn.files.fields import CommandInput, Replayed, Version
from cairn.tool.call import Call
from cairn.tool.tool import tool


class Answered(BaseModel):
    """What the command says."""

    text: Annotated[str, Field(description="The answer in the tool's words.")]
    version: Version
    replayed: Replayed


@tool(
    title="Memory files",
    example={"project": "garden", "user_id": "ada", "command": "view", "path": "/memories"},
    grants=(
        *("sessions:read", "sessions:write", "sessions:delete", "logs:write"),
        *("blobs:read", "blobs:write", "blobs:delete"),
    ),
    destructive=True,
    idempotent=False,
    for_programs=True,
    frees=lambda request: request.command in {"view", "delete"},
)
def memory(request: CommandInput, call: Call) -> Answered:
    """Call to view, create, edit, delete and rename files under /memories, which last across conversations.

    View /memories before a task, and write down there what later conversations need.
    """
    command, files, owner = request.made(), call.services.memory_files, request.owner(call.caller.tenant)
    if isinstance(command, View):
        done = files.view(owner, command)
    else:
        done = files.run(owner, command, request.condition([request.command, request.given()]))
    return Answered(text=done.words, version=done.version, replayed=done.replayed)


handler = memory.handler
