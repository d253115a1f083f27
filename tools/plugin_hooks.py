"""The hooks of each agent's plugin: which events are told, and how an agent puts their fields into a call.

Claude Code and Codex call the tool `memory_hook` of the plugin's own server, so that nothing of Cairn is needed on the
machine. They cannot share a file: Claude Code calls that server `plugin:cairn:cairn` and Codex `cairn`, a turn is
`prompt_id` here and `turn_id` there, and Codex fails where a field is none of the event's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

CLAUDE_FILE: Final = "hooks/hooks.json"
CODEX_FILE: Final = "hooks/codex.json"
_SECONDS: Final = 5
_EVENTS: Final[Mapping[str, Sequence[str]]] = {
    "UserPromptSubmit": ("prompt",),
    # Of a batch Claude Code would give its list as a text; what one tool was given and gave may be a text.
    "PostToolUse": ("tool_name", "tool_use_id", "tool_input", "tool_response"),
    "SubagentStop": ("agent_id", "agent_type", "last_assistant_message"),
    "Stop": ("last_assistant_message",),
}
"""What each event is told with, beside its session, folder and turn."""
# In the project that the other events are told in, with the plugin's own address and key. Nothing is told in a folder
# whose name cannot be a project's.
_BEGIN: Final = (
    "if command -v cairn >/dev/null 2>&1; then "
    'CAIRN_URL="$CLAUDE_PLUGIN_OPTION_URL" CAIRN_KEY="$CLAUDE_PLUGIN_OPTION_KEY" '
    'CAIRN_PROJECT="${CLAUDE_PROJECT_DIR##*/}" cairn hook claude-code; fi'
)
_GEMINI: Final = ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd")


def claude() -> dict[str, Any]:
    """Return Claude Code's hooks. A session's begin is told by commands alone there, and by none without `cairn`."""
    own = {**_EVENTS, "PostCompact": ("compact_summary",)}
    told = {name: _call("claude-code", "plugin:cairn:cairn", name, ("prompt_id", *own[name])) for name in own}
    return _document({"SessionStart": {"type": "command", "command": _BEGIN, "timeout": _SECONDS}, **told})


def codex() -> dict[str, Any]:
    """Return Codex's hooks. It tells no summary where it compacts, and of a session's begin no turn."""
    told = {name: _call("codex", "cairn", name, ("turn_id", *fields)) for name, fields in _EVENTS.items()}
    return _document({"SessionStart": _call("codex", "cairn", "SessionStart", ()), **told})


def gemini() -> dict[str, Any]:
    """Return Gemini CLI's hooks, which are commands; their time is in milliseconds."""
    command = {"type": "command", "command": "cairn hook gemini", "timeout": _SECONDS * 1000}
    return _document(dict.fromkeys(_GEMINI, command))


def _call(agent: str, server: str, event: str, fields: Sequence[str]) -> dict[str, Any]:
    told = {"hook_event_name": event, **{name: f"${{{name}}}" for name in ("session_id", "cwd", *fields)}}
    given = {"agent": agent, "event": told}
    return {"type": "mcp_tool", "server": server, "tool": "memory_hook", "timeout": _SECONDS, "input": given}


def _document(handlers: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {"hooks": {event: [{"hooks": [handler]}] for event, handler in handlers.items()}}
