"""Cursor: https://cursor.com/docs/hooks; more of it in what @cursor/sdk 1.0.32 does.

A turn is named `generation_id`. An answer comes for each message of the model: the first ends the turn, and others are
kept behind it. `stop` comes last, and counts where no answer came: `cairn hook` adds what the transcript says. Of tools
`postToolUse` tells, with the call's id; what `afterShellExecution` and `afterMCPExecution` tell of the same call is not
read, or it would be kept twice.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast

from cairn.hooks.events import Answered, Begun, Ended, Happening, Hook, Prompted, ToolsUsed, ToolUse
from cairn.hooks.reading import Event, text, text_or_none
from cairn.hooks.transcripts import ANSWER

_TAKES_CONTEXT: Final = frozenset({"sessionStart", "beforeSubmitPrompt"})


def read(event: Event) -> Hook:
    """Return what an event tells."""
    return Hook(text(event, "conversation_id", "session_id"), _folder(event), _happened(event))


def answer(event: Event, context: str) -> dict[str, Any]:
    """Return the answer that adds a text to what the model is told; agents run by @cursor/sdk itself pass over it."""
    takes = bool(context) and text(event, "hook_event_name") in _TAKES_CONTEXT
    return {"additional_context": context} if takes else {}


def _happened(event: Event) -> Happening | None:
    told = _EVENTS.get(text(event, "hook_event_name"))
    return None if told is None else told(event, text_or_none(event, "generation_id"))


def _prompted(event: Event, turn: str | None) -> Prompted | None:
    prompt = text(event, "prompt")
    return Prompted(turn, prompt) if prompt else None


def _used(event: Event, turn: str | None) -> ToolsUsed | None:
    use = ToolUse(
        id=text(event, "tool_use_id"),
        name=text(event, "tool_name"),
        given=event.get("tool_input"),
        gave=event.get("tool_output"),
    )
    return ToolsUsed(turn, (use,)) if use.name else None


def _answered(turn: str | None, said: str) -> Answered | None:
    return Answered(turn, said) if said else None


def _folder(event: Event) -> str:
    """Return the workspace's first folder."""
    roots = event.get("workspace_roots")
    listed = cast("list[object]", roots) if isinstance(roots, list) else []
    return next((root for root in listed if isinstance(root, str)), "")


_EVENTS: Final[Mapping[str, Callable[[Event, str | None], Happening | None]]] = {
    "sessionStart": lambda _event, _turn: Begun(),
    "beforeSubmitPrompt": _prompted,
    "postToolUse": _used,
    "afterAgentResponse": lambda event, _turn: _answered(None, text(event, "text")),
    "stop": lambda event, turn: _answered(turn, text(event, ANSWER)),
    "sessionEnd": lambda _event, _turn: Ended(),
}
