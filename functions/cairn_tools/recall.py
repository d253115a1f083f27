"""Find what was remembered, and the facts learned from turns."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, ClassVar

from pydantic import Field

from cairn.edge.fields import LeastTrust
from cairn.ground.settings import RecallScope
from cairn.ground.trust import Trust
from cairn.memories.fields import MemoryInput, Moment, QueryText, RecallAnswer, TypeFilter
from cairn.memories.model import RecallRequest
from cairn.recall.filter import SearchMode
from cairn.tool.call import Call
from cairn.tool.tool import tool


class Recall(MemoryInput):
    """What to recall."""

    replayed_by: ClassVar[str] = "recall"

    query: Annotated[QueryText | None, Field(description="What to look for; without it the newest come first.")] = None
    search_mode: Annotated[SearchMode, Field(description="By words, by meaning, or both.")] = "hybrid"
    type: Annotated[TypeFilter, Field(description="Only what is of this type.")] = "all"
    min_confidence: Annotated[float, Field(ge=0, le=1, description="Only memories at least this sure.")] = 0.5
    limit: Annotated[int, Field(ge=1, le=50, description="The most memories to return.")] = 10
    include_superseded: Annotated[bool, Field(description="Also what something newer replaced.")] = False
    as_of: Annotated[Moment | None, Field(description="Return what was believed at this time.")] = None
    cursor: Annotated[int, Field(ge=0, le=1000, description="Go on here: the cursor of the answer before.")] = 0
    explain: Annotated[bool, Field(description="Say why each was found.")] = False
    origin: Annotated[bool, Field(description="Say apart who said each, and where.")] = False
    recall_scope: Annotated[
        RecallScope | None,
        Field(description="Whose past; the user's unless told."),
    ] = None
    min_trust: LeastTrust = "outside"

    def recall_request(self, at: datetime | None = None) -> RecallRequest:
        """Return what the engine answers, as of the moment of the call."""
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
            scope=self.recall_scope,
            at=at,
            min_trust=Trust.of(self.min_trust),
        )


EXAMPLE = {"project": "garden", "session_id": "monday", "query": "Where is there sun?", "limit": 5}


@tool(
    title="Recall",
    example=EXAMPLE,
    grants=("sessions:read", "logs:read", "blobs:read", "texts:embed", "asked:put"),
    read_only=True,
)
def recall(request: Recall, call: Call) -> RecallAnswer:
    """Call before you decide or answer from memory: finds what was said, remembered, learned, by words and meaning."""
    from cairn.memories import recall as memories  # noqa: PLC0415 - loaded when it is first called

    answer = memories.recall(call.services, request.session(call.caller.tenant), request.recall_request(call.at))
    return RecallAnswer.of(answer, request.cursor, origin=request.origin)


handler = recall.handler
