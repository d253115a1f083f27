"""Find what was remembered, and the facts learned from turns."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field

from cairn.memories.fields import MemoryInput, Moment, QueryText, Recalled, TypeFilter
from cairn.memories.model import RecallRequest
from cairn.recall.filter import SearchMode
from cairn.tool.call import Call
from cairn.tool.tool import tool


class Recall(MemoryInput):
    """What to recall."""

    query: Annotated[QueryText | None, Field(description="What to look for; without it the newest come first.")] = None
    search_mode: Annotated[SearchMode, Field(description="By words, by meaning, or both.")] = "hybrid"
    type: Annotated[TypeFilter, Field(description="Only what is of this type.")] = "all"
    min_confidence: Annotated[float, Field(ge=0, le=1, description="Only memories at least this sure.")] = 0.5
    limit: Annotated[int, Field(ge=1, le=50, description="The most memories to return.")] = 10
    include_superseded: Annotated[bool, Field(description="Also what something newer replaced.")] = False
    as_of: Annotated[Moment | None, Field(description="Return what was believed at this time.")] = None
    cursor: Annotated[int, Field(ge=0, le=1000, description="Go on here: the cursor of the answer before.")] = 0
    explain: Annotated[bool, Field(description="Say why each was found.")] = False

    def recall_request(self) -> RecallRequest:
        """Return what the engine answers."""
        return RecallRequest(
            query=self.query or "",
            mode=self.search_mode,
            type=None if self.type == "all" else self.type,
            min_confidence=self.min_confidence,
            limit=self.limit,
            include_superseded=self.include_superseded,
            as_of=self.as_of,
            skip=self.cursor,
            explain=self.explain,
            user_id=self.user_id,
        )


class RecallAnswer(BaseModel):
    """What was found."""

    count: Annotated[int, Field(description="How many.")]
    memories: Annotated[list[Recalled], Field(description="The best match first, or the newest.")]
    more: Annotated[int, Field(description="How many more match.")]
    cursor: Annotated[int | None, Field(description="Where they begin.")]
    searched: Annotated[int, Field(description="How much there was to find: at 0 nothing is stored, not unmatched.")]


EXAMPLE = {"project": "garden", "session_id": "monday", "query": "Where is there sun?", "limit": 5}


@tool(title="Recall", example=EXAMPLE, grants=("table:read", "blobs:read", "key:use", "texts:embed"), read_only=True)
def recall(request: Recall, call: Call) -> RecallAnswer:
    """Call before you decide or answer from memory: finds what was said, remembered and learned, by words and meaning.

    Filters by type, confidence and time apply before the limit.
    """
    from cairn.memories import recall as memories  # noqa: PLC0415 - loaded when it is first called

    answer = memories.recall(call.services, request.session(call.caller.tenant), request.recall_request())
    told = len(answer.found)
    return RecallAnswer(
        count=told,
        memories=[Recalled.of(each) for each in answer.found],
        more=answer.more,
        cursor=request.cursor + told if answer.more else None,
        searched=answer.searched,
    )


handler = recall.handler
