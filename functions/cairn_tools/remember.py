"""Keep something an agent has settled, for later turns and sessions."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.ground.errors import InvalidArgument
from cairn.ground.settings import RecallScope
from cairn.log.memories import MemoryType
from cairn.memories.fields import Confidence, Content, MemoryInput
from cairn.memories.model import Note
from cairn.tool.call import Call
from cairn.tool.tool import tool


class Remember(MemoryInput):
    """What to remember."""

    content: Annotated[Content, Field(description="One thing, in words that make sense on their own; ≤ 2000 bytes.")]
    type: Annotated[MemoryType, Field(description="What kind of thing it is.")] = "fact"
    confidence: Annotated[Confidence, Field(description="How sure you are: 0 to 1, or high, medium, low.")] = 0.8
    rationale: Annotated[Content | None, Field(description="Why it holds; ≤ 2000 bytes.")] = None
    scope: Annotated[
        RecallScope,
        Field(description="Who recalls it: this session, all of user_id's sessions, or everyone in the project."),
    ] = "session"

    def note(self) -> Note:
        """Return what the engine keeps."""
        if self.scope == "user" and self.user_id is None:
            raise InvalidArgument("user_id", "is required where scope is user")
        return Note(
            content=self.content,
            type=self.type,
            confidence=self.confidence,
            rationale=self.rationale,
            scope=self.scope,
            user_id=self.user_id,
        )


class Remembered(BaseModel):
    """What was kept."""

    remembered: Annotated[bool, Field(description="It is stored, and recalled from now on.")] = True
    memory_id: Annotated[str, Field(description="Forget it by this id.")]
    memory_type: Annotated[MemoryType, Field(description="Its type.")]
    message: Annotated[str, Field(description="The same in words.")]


EXAMPLE = {
    "project": "garden",
    "session_id": "monday",
    "content": "The north bed gets four hours of sun; plant nothing there that needs six.",
    "type": "decision",
    "confidence": "high",
    "rationale": "Measured on three days in May.",
    "scope": "project",
}


@tool(title="Remember", example=EXAMPLE, grants=("table:read", "table:write", "key:use", "jobs:send"))
def remember(request: Remember, call: Call) -> Remembered:
    """Call when something is settled that is worth knowing later: a decision, convention, root cause, lesson, risk.

    Returns its memory_id. Saying the same again keeps one memory.
    """
    from cairn.memories import remember as memories  # noqa: PLC0415 - loaded when it is first called

    name = memories.remember(call.services, request.session(call.caller.tenant), request.note())
    return Remembered(memory_id=name, memory_type=request.type, message=f"Remembered as {request.type}.")


handler = remember.handler
