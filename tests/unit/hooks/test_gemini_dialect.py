"""Gemini CLI's hooks: events that name no turn, and prompts that begin with what hooks had added."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.hooks import gemini
from cairn.hooks.events import Answered, Begun, Ended, Happening, Prompted, ToolsUsed
from cairn.tool.call import Call
from support.hooks import ADA, items, tell

AT = "2026-11-26T12:05:59.618Z"


def event(name: str, **more: Any) -> dict[str, Any]:
    return {"hook_event_name": name, "session_id": "g", "cwd": "/home/ada/widget", "timestamp": AT, **more}


@pytest.mark.parametrize(
    ("told", "happened"),
    [
        (event("SessionStart", source="startup"), Begun()),
        (event("BeforeAgent", prompt="Hello?"), Prompted(AT, "Hello?")),
        (event("AfterAgent", prompt="Hello?", prompt_response="Here."), Answered(None, "Here.", "Hello?")),
        (event("SessionEnd", reason="exit"), Ended()),
        (event("PreCompress", trigger="auto"), None),
        (event("BeforeAgent", prompt=" "), None),
    ],
)
def test_an_event_is_read(told: dict[str, Any], happened: Happening | None) -> None:
    assert gemini.read(told).happened == happened


def test_a_tool_is_told_under_its_name_and_moment() -> None:
    told = event("AfterTool", tool_name="shell", tool_input={"command": "ls"}, tool_response={"llmContent": "a b"})

    happened = gemini.read(told).happened

    assert isinstance(happened, ToolsUsed)
    assert [(use.id, use.given) for use in happened.uses] == [(f"shell {AT}", {"command": "ls"})]


def test_memory_is_added_where_gemini_takes_it_and_nowhere_else() -> None:
    for name in ("SessionStart", "BeforeAgent"):
        added = {"hookSpecificOutput": {"hookEventName": name, "additionalContext": "Beans."}}
        assert gemini.answer(event(name), "Beans.") == added
        assert gemini.answer(event(name), "") == {}
    assert gemini.answer(event("AfterAgent"), "Beans.") == {}


@pytest.mark.req("R312")
def test_what_hooks_had_added_before_a_prompt_is_not_stored(call: Call) -> None:
    said = "<hook_context>For memory tools: project\nand more</hook_context>\n\nWe use pnpm."
    for told in (event("BeforeAgent", prompt=said), event("AfterAgent", prompt=said, prompt_response="Noted.")):
        tell(call, told, "gemini", ADA)

    assert items(call, "g") == [("user", "We use pnpm."), ("assistant", "Noted.")]
