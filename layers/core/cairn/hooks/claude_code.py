"""Claude Code: https://code.claude.com/docs/en/hooks.

VS Code runs Claude Code's hooks too, and names no turn in their events: the moment at which a prompt's event came does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from cairn.hooks.answering import adding
from cairn.hooks.events import (
    Answered,
    Begun,
    Compacted,
    Delegated,
    Ended,
    Happening,
    Hook,
    Prompted,
    ToolsUsed,
    ToolUse,
)
from cairn.hooks.reading import Event, events, text, text_or_none

_TAKES_CONTEXT: Final = ("SessionStart", "UserPromptSubmit")
DELEGATING: Final = frozenset({"Agent", "Task"})
"""Tools whose answer comes as that of the agent they asked."""


def read(event: Event) -> Hook:
    """Return what an event tells."""
    return Hook(text(event, "session_id"), text(event, "cwd"), _happened(event))


def answer(event: Event, context: str) -> dict[str, Any]:
    """Return the answer that adds a text to what the model is told; with any other field it would be dropped."""
    return adding(text(event, "hook_event_name"), context, _TAKES_CONTEXT)


def _happened(event: Event) -> Happening | None:
    told = _EVENTS.get(text(event, "hook_event_name"))
    return None if told is None else told(event, text_or_none(event, "prompt_id", "turn_id"))


def _prompted(event: Event, turn: str | None) -> Prompted | None:
    prompt = text(event, "prompt")
    return Prompted(turn or text_or_none(event, "timestamp"), prompt) if prompt else None


def _used(event: Event, turn: str | None) -> ToolsUsed | None:
    calls = events(event, "tool_calls") or [event]
    uses = tuple(
        ToolUse(
            id=text(call, "tool_use_id"),
            name=text(call, "tool_name"),
            given=call.get("tool_input"),
            gave=call.get("tool_response"),
        )
        for call in calls
    )
    told = tuple(use for use in uses if use.name and use.name not in DELEGATING)
    return ToolsUsed(turn, told) if told else None


def _delegated(event: Event, turn: str | None) -> Delegated | None:
    """Return another agent's answer; those that have no type are the agent's own, as when it sums up."""
    name, said = text(event, "agent_type"), text(event, "last_assistant_message")
    return Delegated(turn, text(event, "agent_id"), name, said) if name and said else None


def _compacted(event: Event) -> Compacted | None:
    summary = text(event, "compact_summary")
    return Compacted(summary) if summary else None


_EVENTS: Final[Mapping[str, Callable[[Event, str | None], Happening | None]]] = {
    "SessionStart": lambda _event, _turn: Begun(),
    "UserPromptSubmit": _prompted,
    "PostToolUse": _used,
    "PostToolBatch": _used,
    "SubagentStop": _delegated,
    "Stop": lambda event, turn: Answered(turn, text(event, "last_assistant_message")),
    "PostCompact": lambda event, _turn: _compacted(event),
    "SessionEnd": lambda _event, _turn: Ended(),
}
