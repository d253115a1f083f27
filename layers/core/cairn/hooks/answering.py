"""Answer an agent's event in the form that Claude Code gave to others."""

from __future__ import annotations

from collections.abc import Container
from typing import Any


def adding(name: str, context: str, takes: Container[str]) -> dict[str, Any]:
    """Return the answer that adds a text to what the model is told, {} where the event of that name takes none."""
    if not context or name not in takes:
        return {}
    return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context}}
