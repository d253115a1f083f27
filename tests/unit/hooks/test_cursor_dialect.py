"""Cursor's events, as its documentation and @cursor/sdk 1.0.32 have them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from cairn.hooks import cursor
from cairn.hooks.events import Answered, Begun, Ended, Happening, Prompted, ToolsUsed, ToolUse
from cairn.tool.call import Call
from support.hooks import items, tell

SESSION = "668320d2-2fd8-4888-b33c-2a466fec86e7"
TURN = "490b90b7-a2ce-4c2c-bb76-cb77b125df2f"
PROMPT = "We use tabs here."


def event(name: str, turn: str = TURN, session: str = SESSION, **fields: object) -> dict[str, Any]:
    common = {
        "conversation_id": session,
        "generation_id": turn,
        "model": "default",
        "session_id": session,
        "cursor_version": "3.1.0",
        "workspace_roots": ["/home/ada/widget", "/home/ada/docs"],
        "user_email": None,
        "transcript_path": None,
    }
    return {**common, "hook_event_name": name, **fields}


def prompted(prompt: str, turn: str = TURN, session: str = SESSION) -> dict[str, Any]:
    return event("beforeSubmitPrompt", turn, session, prompt=prompt, attachments=[])


def answered(said: str) -> dict[str, Any]:
    return event("afterAgentResponse", text=said, input_tokens=12, output_tokens=3)


def stopped(**added: object) -> dict[str, Any]:
    return event("stop", TURN, SESSION, status="completed", loop_count=0, **added)


CALL = "call_1\nctc_1"
EVENTS: list[tuple[dict[str, Any], Happening | None]] = [
    (event("sessionStart", is_background_agent=False), Begun()),
    (prompted(PROMPT), Prompted(TURN, PROMPT)),
    (prompted(PROMPT, ""), Prompted(None, PROMPT)),
    (
        event(
            "postToolUse",
            tool_name="Shell",
            tool_input={"command": "ls"},
            tool_output='{"output":"src"}',
            tool_use_id=CALL,
        ),
        ToolsUsed(TURN, (ToolUse(id=CALL, name="Shell", given={"command": "ls"}, gave='{"output":"src"}'),)),
    ),
    (answered("Noted."), Answered(None, "Noted.")),
    (stopped(last_assistant_message="Noted."), Answered(TURN, "Noted.")),
    (event("sessionEnd", reason="completed", duration_ms=5505, final_status="completed"), Ended()),
]
OTHERS = [
    stopped(),
    answered(" "),
    prompted(""),
    event("afterShellExecution", command="ls", output="src", duration=3),
    event("afterMCPExecution", tool_name="look", tool_input="{}", result_json="{}", duration=3),
    event("preCompact", trigger="auto", context_usage_percent=91),
    {},
]


@pytest.mark.parametrize(("told", "happened"), EVENTS)
def test_an_event_tells_what_happened(told: Mapping[str, Any], happened: Happening) -> None:
    hook = cursor.read(told)

    assert (hook.session, hook.folder, hook.happened) == (SESSION, "/home/ada/widget", happened)


@pytest.mark.parametrize("told", OTHERS)
def test_other_events_tell_nothing(told: Mapping[str, Any]) -> None:
    assert cursor.read(told).happened is None


def test_a_window_without_a_folder_has_none() -> None:
    assert cursor.read(event("stop", workspace_roots=[])).folder == ""


def test_context_comes_with_a_prompt_and_with_a_session_alone() -> None:
    assert cursor.answer(prompted(PROMPT), "Memory.") == {"additional_context": "Memory."}
    assert cursor.answer(event("sessionStart"), "Memory.") == {"additional_context": "Memory."}
    assert cursor.answer(stopped(), "Memory.") == cursor.answer(prompted(PROMPT), "") == {}


@pytest.mark.req("R311")
def test_a_turn_is_stored_once_whether_its_answer_comes_twice_or_at_its_stop_again(call: Call) -> None:
    for told in (prompted(PROMPT), answered("Noted."), stopped(), stopped(last_assistant_message="Noted.")):
        tell(call, told, "cursor")
        tell(call, told, "cursor")

    assert items(call, SESSION) == [("user", PROMPT), ("assistant", "Noted.")]


def test_where_no_answer_was_told_the_stop_brings_it(call: Call) -> None:
    tell(call, prompted(PROMPT), "cursor")
    tell(call, stopped(last_assistant_message="Noted."), "cursor")

    assert items(call, SESSION) == [("user", PROMPT), ("assistant", "Noted.")]


def test_of_a_turn_with_several_messages_none_is_lost(call: Call) -> None:
    told = (prompted(PROMPT), answered("I look at the files."), answered("They have tabs."), stopped())
    for each in told:
        tell(call, each, "cursor")

    assert items(call, SESSION) == [
        ("user", PROMPT),
        ("assistant", "I look at the files."),
        ("assistant", "They have tabs."),
    ]


def test_what_one_session_said_comes_with_the_prompt_of_the_next(call: Call) -> None:
    tell(call, prompted(PROMPT), "cursor")
    tell(call, answered("Noted."), "cursor")

    answer = tell(call, prompted("Do we use tabs or spaces?", "another-turn", "another-session"), "cursor")

    assert PROMPT in answer["additional_context"]
