"""Search: what a question finds and why, what it nearly found, and the context that an agent would get for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from cairn.ground.codec import rfc3339
from cairn.ground.errors import InvalidArgument
from cairn_console.absence import expecting, why_absent
from cairn_console.page import Shown, page
from cairn_console.visit import Visit

_FOUND: Final = 10
_NEARLY: Final = 10
_MOST_DAYS: Final = 3650
_PREVIEW: Final = "preview-of-the-console"
"""The session of which a context is asked for: one in which nothing was said."""


@page(title="Search", needs=("recall",), asks=("memory_before_turn", "memory_list_changes", "memory_list_projects"))
def search(visit: Visit) -> Shown:
    """Show what a question finds, by which signals, and what it does not find."""
    shown: dict[str, Any] = {"projects": [], "asked": _asked(visit), "found": None, "context": None, "absent": None}
    if visit.project is None:
        return shown | {"projects": visit.projects()}
    question = visit.query.get("q", "").strip()
    if not question:
        return shown
    answer = visit.asking("recall", **visit.place(), **_recalled(visit, question), limit=_FOUND + _NEARLY)
    preview = {**visit.place(), "session_id": _PREVIEW, "current_input": question}
    context = visit.asking("memory_before_turn", **preview, format="text", explain=True)
    is_now = not _days_ago(visit)
    expected = visit.query.get("expected", "").strip()
    expectation = expecting(visit, question, expected) if expected else None
    beside = expectation.questions if expectation else []
    visit.together(answer, *([context] if is_now else []), *beside)
    return shown | {
        "found": _ranked(answer.result),
        "context": context.result if is_now else None,
        "absent": why_absent(expectation, answer.result["memories"][:_FOUND]) if expectation else None,
    }


def _asked(visit: Visit) -> dict[str, Any]:
    days = _days_ago(visit)
    at = visit.now - timedelta(days=days)
    return {
        "q": visit.query.get("q", ""),
        "days": days,
        "as_of": rfc3339(at) if days else None,
        "type": visit.query.get("type", "all"),
        "superseded": visit.query.get("superseded") == "yes",
        "expected": visit.query.get("expected", ""),
    }


def _recalled(visit: Visit, question: str) -> dict[str, Any]:
    asked = _asked(visit)
    return {
        "query": question,
        "type": asked["type"],
        "as_of": asked["as_of"],
        "include_superseded": asked["superseded"],
        "min_confidence": 0.0,
        "explain": True,
        "origin": True,
    }


def _days_ago(visit: Visit) -> int:
    """Return how many days ago the question is asked of; InvalidArgument for what is none of these days."""
    given = visit.query.get("days", "0") or "0"
    if not given.isascii() or not given.isdecimal() or int(given) > _MOST_DAYS:
        raise InvalidArgument("days", f"must be 0 to {_MOST_DAYS}")
    return int(given)


def _ranked(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was found and what nearly was, each with its signals, and the strongest of all for the bars."""
    memories: Sequence[Mapping[str, Any]] = answer["memories"]
    strengths = [abs(value) for each in memories for value in each["why"]["signals"].values()]
    return {
        "says": answer["says"],
        "likelihood": answer.get("likelihood"),
        "best": memories[:_FOUND],
        "nearly": memories[_FOUND:],
        "more": answer["more"],
        "searched": answer["searched"],
        "by": answer["by"],
        "strongest": max(strengths, default=1.0),
    }
