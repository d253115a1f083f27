"""Copilot CLI: https://docs.github.com/en/copilot/reference/hooks-configuration; more of it in what 1.0.102 does.

Asked for under Claude Code's names (`UserPromptSubmit`), an event says which it is; under Copilot's own
(`userPromptSubmitted`) it doesn't, and is known by a field that only it has. No turn has a name: the moment at which a
prompt's event came does. What was answered stands in the transcript alone: see `cairn.hooks.transcripts`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from cairn.hooks.answering import adding
from cairn.hooks.events import Answered, Begun, Delegated, Ended, Happening, Hook, Prompted, ToolsUsed, ToolUse
from cairn.hooks.reading import Event, text
from cairn.hooks.transcripts import ANSWER, DELEGATED_BY

_TAKES_CONTEXT: Final = frozenset({"SessionStart", "UserPromptSubmit"})
_KNOWN_BY: Final[Mapping[str, str]] = {
    "agentName": "SubagentStop",
    "transformedPrompt": "",
    "prompt": "UserPromptSubmit",
    "source": "SessionStart",
    "toolResult": "PostToolUse",
    "stopReason": "Stop",
    "reason": "SessionEnd",
}
"""By which field an event without a name is known; the first that it has counts."""
_DELEGATING: Final = frozenset({"Agent", "task"})
"""Tools whose answer comes as that of the agent they asked."""


def read(event: Event) -> Hook:
    """Return what an event tells; nothing of what an agent says to another, whose prompts no user wrote."""
    name = _name(event)
    delegated = bool(text(event, *DELEGATED_BY)) and name != "SubagentStop"
    # Some versions of VS Code give the address of a session, whose last part names it.
    session = text(event, "session_id", "sessionId").rpartition("/")[2]
    return Hook(session, text(event, "cwd"), None if delegated else _happened(name, event))


def answer(event: Event, context: str) -> dict[str, Any]:
    """Return the answer that adds a text to what the model is told: where Copilot CLI looks for it, and VS Code."""
    added = adding(_name(event), context, _TAKES_CONTEXT)
    return {"additionalContext": context, **added} if added else {}


def _happened(name: str, event: Event) -> Happening | None:
    told = _EVENTS.get(name)
    return None if told is None else told(event)


def _prompted(event: Event) -> Prompted | None:
    prompt = text(event, "prompt")
    return Prompted(_moment(event) or None, prompt) if prompt else None


def _used(event: Event) -> ToolsUsed | None:
    name = text(event, "tool_name", "toolName")
    if not name or name in _DELEGATING:
        return None
    use = ToolUse(
        id=text(event, "tool_use_id") or f"{name} {_moment(event)}",
        name=name,
        given=event.get("tool_input", event.get("toolArgs")),
        gave=_gave(event),
    )
    return ToolsUsed(None, (use,))


def _gave(event: Event) -> object:
    """Return a tool's result, of Copilot CLI's the part that its model is told."""
    result = event.get("tool_result", event.get("toolResult"))
    if isinstance(result, Mapping):
        return text(cast("Event", result), "text_result_for_llm", "textResultForLlm")
    return event.get("tool_response")


def _delegated(event: Event) -> Delegated | None:
    agent, name = text(event, "agent_id", "agentId"), text(event, "agent_type", "agentName")
    said = text(event, ANSWER, "response")
    return Delegated(None, agent, name, said) if name and said else None


def _name(event: Event) -> str:
    """Return the event's name, as Claude Code has it."""
    named = text(event, "hook_event_name", "hookEventName")
    return named or next((name for field, name in _KNOWN_BY.items() if field in event), "")


def _moment(event: Event) -> str:
    """Return when the event came: a text, or milliseconds where Copilot's own names were asked for."""
    at = event.get("timestamp")
    return str(at) if isinstance(at, int | str) else ""


_EVENTS: Final[Mapping[str, Callable[[Event], Happening | None]]] = {
    "SessionStart": lambda _event: Begun(),
    "UserPromptSubmit": _prompted,
    "PostToolUse": _used,
    "SubagentStop": _delegated,
    "Stop": lambda event: Answered(None, text(event, ANSWER)),
    "SessionEnd": lambda _event: Ended(),
}
