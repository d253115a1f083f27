"""Archive a session: refused if it holds a secret, else encrypted, stored once and indexed."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Self

from pydantic import BaseModel, Field

from cairn.archive.fields import Card, DepositFields, Pointer
from cairn.archive.model import Receipt, pointer
from cairn.tool.call import Call
from cairn.tool.tool import tool


class StoreSession(DepositFields):
    """The session to archive."""

    dry_run: Annotated[bool, Field(description="Show the card of what would be archived, and write nothing.")] = False


class StoredSession(BaseModel):
    """Where the session is; a dry run points nowhere."""

    pointer: Annotated[Pointer | None, Field(description="What retrieves it.")] = None
    hash: Annotated[str | None, Field(description="SHA-256 of the stored bytes.")] = None
    content_hash: Annotated[str | None, Field(description="The same as hash.")] = None
    indexed: Annotated[bool, Field(description="It can be found by query_cascade_memories.")] = False
    memory_card: Card

    @classmethod
    def of(cls, receipt: Receipt) -> Self:
        """Return the answer for a session that is archived."""
        digest = receipt.digest
        card = Card.of(receipt.card)
        return cls(pointer=pointer(digest), hash=digest, content_hash=digest, indexed=True, memory_card=card)


EXAMPLE = {
    "session_id": "monday",
    "tags": ["garden", "beans"],
    "session": {
        "timestamp": "2026-03-01T12:00:00Z",
        "tool_name": "garden-planner",
        "success": True,
        "summary": "Planned the bean rows.\nRunner beans go along the south fence, dwarf beans beside the path.",
    },
}


@tool(
    title="Archive a session",
    example=EXAMPLE,
    grants=("archive:put", "sessions:read", "logs:read", "blobs:read", "blobs:write"),
    timeout=29,
)
def store_session_to_cascade(request: StoreSession, call: Call) -> StoredSession:
    """Call when a session is over, to keep it: archives its summary encrypted and returns a pointer and a card.

    Refused if anything in it is a secret or personal data. Only session_id, timestamp, tool_name, success, summary
    and tags are kept. Safe to repeat: the same session is stored once.
    """
    archive, tenant = call.services.archive, call.caller.tenant
    deposit = replace(request.deposit(), user=call.speaker)
    if request.dry_run:
        return StoredSession(memory_card=Card.of(archive.preview(tenant, deposit)))
    return StoredSession.of(archive.store(tenant, deposit))


handler = store_session_to_cascade.handler
