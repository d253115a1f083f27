"""Archive: whole sessions that were put away, found by tag."""

from __future__ import annotations

import json
from typing import Any

from cairn_console.page import Shown, page
from cairn_console.visit import Visit


@page(title="Archive", needs=("query_cascade_memories",), asks=("retrieve_session_from_cascade",))
def archive(visit: Visit) -> Shown:
    """List archived sessions, the newest first, and show one."""
    tags, pointer = visit.query.get("tags", "").split(), visit.query.get("pointer", "").strip()
    listed = visit.asking("query_cascade_memories", tags=tags, limit=100)
    held = visit.asking("retrieve_session_from_cascade", pointer=pointer)
    visit.together(listed, *([held] if pointer else []))
    session: dict[str, Any] | None = held.result["session_data"] if pointer else None
    whole = None if session is None else json.dumps(session, ensure_ascii=False, indent=1)
    return {"tags": tags, "pointer": pointer, "listed": listed.result["memories"], "session": whole}
