"""Keep something an agent has settled, for later turns and sessions."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.ground.settings import MemoryScope
from cairn.ground.trust import Trust
from cairn.log.memories import MemoryType
from cairn.memories.fields import Confidence, Content, MemoryInput
from cairn.memories.model import Note
from cairn.tool.call import Call
from cairn.tool.tool import tool


class Remember(MemoryInput):
    """What to remember."""

    content: Annotated[Content, Field(description="One thing, in words that make sense on their own; ≤ 2000 bytes.")]
    type: Annotated[MemoryType, Field(description="What kind of thing it is.")] = "fact"
    confidence: Annotated[Confidence, Field(description="How sure you are, from 0 to 1.")] = 0.8
    rationale: Annotated[Content | None, Field(description="Why it holds.")] = None
    scope: Annotated[
        MemoryScope | None,
        Field(description="Who recalls it: unless told the user, in this project; project is everyone in it."),
    ] = None

    def note(self, trust: Trust) -> Note:
        """Return what the engine keeps, as the word of who calls."""
        return Note(
            content=self.content,
            type=self.type,
            confidence=self.confidence,
            rationale=self.rationale,
            scope=self.scope,
            user_id=self.user_id,
            trust=trust,
        )


class Remembered(BaseModel):
    """What was kept."""

    remembered: Annotated[bool, Field(description="It is stored, and recalled from now on.")] = True
    memory_id: Annotated[str, Field(description="Forget it by this id.")]
    memory_type: Annotated[MemoryType, Field(description="The type it was kept as.")]
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


GRANTS = ("sessions:read", "sessions:change", "logs:read", "logs:write", "blobs:read", "projects:list", "jobs:send")


@tool(title="Remember", example=EXAMPLE, grants=GRANTS)
def remember(request: Remember, call: Call) -> Remembered:
    """Call when something is settled that is worth knowing later: a decision, convention, root cause, lesson, risk.

    Returns its memory_id. Saying the same again in one scope keeps the first; forget it to change its other fields.
    """
    from cairn.memories import remember as memories  # noqa: PLC0415 - loaded when it is first called

    kept = memories.remember(call.services, request.session(call.caller.tenant), request.note(call.caller.trust))
    said = f"Remembered as {kept.type}." if kept.new else f"This was remembered before, as {kept.type}."
    return Remembered(memory_id=kept.id, memory_type=kept.type, message=said)


handler = remember.handler
