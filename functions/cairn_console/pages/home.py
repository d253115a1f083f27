"""Home: what came in today, what is true now of you, how Cairn is and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from cairn_console.page import Shown, page
from cairn_console.visit import Visit

_SESSIONS: Final = 8
_FACTS: Final = 12
_TOOLS: Final = 5
_ASKED: Final = (
    *("memory_tell_health", "memory_tell_costs"),
    *("memory_list_sessions", "memory_count_changes", "memory_list_known"),
)


@page(title="Home", needs=("memory_list_projects",), asks=_ASKED)
def home(visit: Visit) -> Shown:
    """Show what came in lately, what is true now of the user, how Cairn is and what it costs."""
    place = {} if visit.project is None else visit.place()
    today = visit.now.date().isoformat()
    asked = {
        "health": visit.asking("memory_tell_health"),
        **({"costs": visit.asking("memory_tell_costs")} if visit.may("memory_tell_costs") else {}),
        **({"projects": visit.asking("memory_list_projects", limit=100)} if not place else {}),
        **({"sessions": visit.asking("memory_list_sessions", **place, limit=_SESSIONS)} if place else {}),
        **({"days": visit.asking("memory_count_changes", **place, since=today, until=today)} if place else {}),
        **({"known": visit.asking("memory_list_known", **place, limit=_FACTS)} if "user_id" in place else {}),
    }
    visit.together(*asked.values())
    found = {name: each.result for name, each in asked.items()}
    return {
        "health": found["health"],
        "costs": _briefly(found["costs"]) if "costs" in found else None,
        "projects": found["projects"]["projects"] if "projects" in found else [],
        "sessions": found["sessions"]["sessions"] if "sessions" in found else [],
        "today": found["days"]["days"][-1] if "days" in found else None,
        "known": _newest(found["known"]) if "known" in found else None,
    }


def _briefly(costs: Mapping[str, Any]) -> dict[str, Any]:
    """Return what the month costs, and the tools that it costs most for."""
    return {**costs, "by_tool": costs["by_tool"][:_TOOLS]}


def _newest(known: Mapping[str, Any]) -> dict[str, Any]:
    """Return what is known, facts and memories together, the latest first."""
    facts = [{"about": each["about"], "says": each["value"], **_when(each)} for each in known["facts"]]
    kept = [
        {"about": each["type"].replace("_", " "), "says": each["content"], **_when(each)} for each in known["memories"]
    ]
    newest: Sequence[dict[str, Any]] = sorted([*facts, *kept], key=lambda each: each["since"], reverse=True)
    return {"newest": newest[:_FACTS], "more": known["more"] + max(0, len(newest) - _FACTS)}


def _when(known: Mapping[str, Any]) -> dict[str, Any]:
    return {"id": known["id"], "since": known["since"]}
