"""Gemini CLI: https://geminicli.com/docs/hooks.

It names no turns: the moment at which a prompt's event came does. What hooks added at a session's begin it puts before
the first prompt, between tags.
"""

from __future__ import annotations

import re
from typing import Any, Final

from cairn.hooks.answering import adding
from cairn.hooks.events import Answered, Begun, Ended, Happening, Hook, Prompted, ToolsUsed, ToolUse
from cairn.hooks.reading import Event, text, text_or_none

_ADDED: Final = re.compile("<hook_context>.*?</hook_context>", re.DOTALL)
_TAKES_CONTEXT: Final = ("SessionStart", "BeforeAgent")


def read(event: Event) -> Hook:
    """Return what an event tells."""
    return Hook(text(event, "session_id"), text(event, "cwd"), _happened(event))


def answer(event: Event, context: str) -> dict[str, Any]:
    """Return the answer that adds a text to what the model is told."""
    return adding(text(event, "hook_event_name"), context, _TAKES_CONTEXT)


def _happened(event: Event) -> Happening | None:
    prompt = _ADDED.sub("", text(event, "prompt")).strip()
    match text(event, "hook_event_name"):
        case "SessionStart":
            return Begun()
        case "BeforeAgent":
            return Prompted(text_or_none(event, "timestamp"), prompt) if prompt else None
        case "AfterTool":
            at, name = text(event, "timestamp"), text(event, "tool_name")
            use = ToolUse(id=f"{name} {at}", name=name, given=event.get("tool_input"), gave=event.get("tool_response"))
            return ToolsUsed(None, (use,)) if name else None
        case "AfterAgent":
            return Answered(None, text(event, "prompt_response"), prompt or None)
        case "SessionEnd":
            return Ended()
        case _:
            return None
