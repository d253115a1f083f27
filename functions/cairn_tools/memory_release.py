"""Tell what is held back from recall and contexts, and release it."""

from __future__ import annotations

from cairn.memories.fields import HeldText, Release, Released
from cairn.tool.call import Call
from cairn.tool.tool import tool


@tool(
    title="Release what is held back",
    example={"project": "garden", "user_id": "ada", "ids": ["0" * 16]},
    grants=("logs:read", "logs:write", "blobs:read"),
    for_operators=True,
)
def memory_release(request: Release, call: Call) -> Released:
    """Call to see what tools of others gave that speaks to a model, and to release by id what a person has read.

    No recall or context has it before. It stays a word from outside. Ids of what is not held back, or no more, change
    nothing. Without a user all logs of the project are read.
    """
    from cairn.memories.release import held_back, release  # noqa: PLC0415 - loaded when it is first called

    session = request.session(call.caller.tenant)
    released = release(call.services, session, request.owner, request.ids) if request.ids else ()
    held = held_back(call.services, session, request.owner)
    return Released(released=[HeldText.of(each) for each in released], held=[HeldText.of(each) for each in held])


handler = memory_release.handler
