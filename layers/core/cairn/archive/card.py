"""Summarise an archived session as a short card."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

TITLE_CHARACTERS = 80
SUMMARY_CHARACTERS = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryCard:
    """A short description of a session; the title is the first line of its summary, or else its id."""

    session_id: str
    title: str
    summary: str
    tags: tuple[str, ...]
    tool_name: str | None
    success: bool | None
    timestamp: str | None


def card(kept: Mapping[str, Any], tags: tuple[str, ...]) -> MemoryCard:
    """Return the card of what is archived of a session, and of nothing else; the same each time."""
    summary = _text(kept, "summary") or ""
    lines = summary.strip().splitlines()
    success = kept.get("success")
    return MemoryCard(
        session_id=kept["session_id"],
        title=_cut(lines[0] if lines else kept["session_id"], TITLE_CHARACTERS),
        summary=_cut(summary, SUMMARY_CHARACTERS),
        tags=tags,
        tool_name=_text(kept, "tool_name"),
        success=success if isinstance(success, bool) else None,
        timestamp=_text(kept, "timestamp"),
    )


def _text(kept: Mapping[str, Any], name: str) -> str | None:
    value = kept.get(name)
    return value if isinstance(value, str) else None


def _cut(text: str, characters: int) -> str:
    said = " ".join(text.split())
    return said if len(said) <= characters else f"{said[: characters - 1].rstrip()}…"
