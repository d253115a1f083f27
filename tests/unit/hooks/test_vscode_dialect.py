"""VS Code's events, as its reference and the source of its agents have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from cairn.hooks import vscode
from cairn.hooks.events import Answered, Begun, Happening, Prompted, ToolsUsed, ToolUse

COMMON = {"timestamp": "2026-02-09T10:30:00.000Z", "transcript_path": "/home/ada/transcript.jsonl"}
FILES = {"files": ["src/main.ts"]}
USED = {"tool_name": "editFiles", "tool_input": FILES, "tool_use_id": "tool-123", "tool_response": "Edited."}
EVENTS: list[tuple[str, dict[str, Any], Happening | None]] = [
    ("SessionStart", {"source": "new"}, Begun()),
    ("UserPromptSubmit", {"prompt": "Use tabs."}, Prompted("2026-02-09T10:30:00.000Z", "Use tabs.")),
    (
        "PostToolUse",
        USED,
        ToolsUsed(None, (ToolUse(id="tool-123", name="editFiles", given=FILES, gave="Edited."),)),
    ),
    ("Stop", {"stop_hook_active": False, "last_assistant_message": "Done."}, Answered(None, "Done.")),
    ("SubagentStop", {"agent_id": "subagent-456", "agent_type": "Plan", "stop_hook_active": False}, None),
    ("PreCompact", {"trigger": "auto"}, None),
]


@pytest.mark.parametrize(("name", "fields", "happened"), EVENTS)
def test_an_event_tells_what_happened(name: str, fields: Mapping[str, Any], happened: Happening | None) -> None:
    event = {**COMMON, "hook_event_name": name, "session_id": "5f0c1a3e", "cwd": "/home/ada/widget", **fields}

    hook = vscode.read(event)

    assert (hook.session, hook.folder, hook.happened) == ("5f0c1a3e", "/home/ada/widget", happened)


@pytest.mark.parametrize(("name", "fields", "happened"), EVENTS)
def test_an_event_of_the_reference_names_itself_and_its_session_otherwise(
    name: str, fields: Mapping[str, Any], happened: Happening | None
) -> None:
    event = {**COMMON, "hookEventName": name, "sessionId": "vscode-chat-session://local/5f0c1a3e", **fields}

    hook = vscode.read(event)

    assert (hook.session, hook.folder, hook.happened) == ("5f0c1a3e", "", happened)


def test_context_names_the_event_that_it_answers_or_it_would_be_dropped() -> None:
    answer = vscode.answer({**COMMON, "hook_event_name": "UserPromptSubmit", "prompt": "Use tabs."}, "Memory.")

    assert answer["hookSpecificOutput"] == {"hookEventName": "UserPromptSubmit", "additionalContext": "Memory."}
