"""What our plugin for OpenCode tells: turns under the ids of OpenCode's messages, and summaries."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.tool.call import Call
from support.hooks import context, items, tell

SESSION = "ses_de82bf56affeBX1bri0Edmoxx3"
TURN = "msg_217d40b25001jz4aW9lRePeKr6"
PROMPT = "We deploy on Tuesdays."


def event(name: str, **fields: object) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": SESSION, "cwd": "/home/ada/widget", "turn_id": TURN, **fields}


@pytest.mark.req("R311")
def test_a_turn_is_stored_once_with_what_its_tools_did(call: Call) -> None:
    use = {"tool_name": "bash", "tool_use_id": "toolu_1", "tool_input": {"command": "ls"}, "tool_response": "src"}
    told = (
        event("UserPromptSubmit", prompt=PROMPT),
        event("PostToolBatch", tool_calls=[use]),
        event("Stop", last_assistant_message="Noted."),
    )
    for each in told:
        tell(call, each, "opencode")
        tell(call, each, "opencode")

    stored = items(call, SESSION)
    assert (stored[0], stored[-1], len(stored)) == (("user", PROMPT), ("assistant", "Noted."), 4)


def test_a_summary_is_stored_and_a_later_session_is_told(call: Call) -> None:
    tell(call, event("PostCompact", compact_summary="The user deploys on Tuesdays."), "opencode")

    asked = event("UserPromptSubmit", prompt="When does the user deploy?") | {"session_id": "another-session"}

    assert "The user deploys on Tuesdays." in context(tell(call, asked, "opencode"))
