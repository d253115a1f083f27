"""Sessions: the conversations of a project or of a user, the newest first."""

from __future__ import annotations

from typing import Any

from cairn_console.page import Shown, page
from cairn_console.visit import Visit


@page(title="Conversations", needs=("memory_list_sessions",), asks=("memory_list_projects",))
def sessions(visit: Visit) -> Shown:
    """List conversations, of a user where one is named, and those of a page that hold the words of a filter."""
    nothing: dict[str, Any] = {"projects": [], "sessions": [], "cursor": None, "words": visit.query.get("words", "")}
    if visit.project is None:
        return nothing | {"projects": visit.projects()}
    found = visit.ask("memory_list_sessions", **visit.place(), cursor=visit.query.get("cursor"), limit=50)
    wanted = nothing["words"].casefold().split()
    kept = [each for each in found["sessions"] if all(word in _told(each) for word in wanted)]
    return nothing | {"sessions": kept, "cursor": found["cursor"]}


def _told(session: dict[str, Any]) -> str:
    return " ".join((session["session_id"], *session["users"], session["opening"])).casefold()
