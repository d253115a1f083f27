"""What was answered, read from transcripts: lines as Copilot CLI 1.0.102 wrote them, and in the forms of others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cairn.hooks.transcripts import is_behind, last_answer, transcript

PATH = "/home/ada/.copilot/session-state/8d000762/events.jsonl"
AT, MOMENT = "2026-11-26T12:21:54.251Z", 1795695714251


def line(kind: str, data: object, **fields: object) -> str:
    return json.dumps({"type": kind, "data": data, "id": "29f", "timestamp": "2026-11-26T12:21:50.000Z", **fields})


def user(content: str) -> str:
    return line("user.message", {"content": content, "transformedContent": f"<current_datetime/>\n\n{content}"})


def assistant(content: str, **fields: object) -> str:
    return line("assistant.message", {"messageId": "a5c7", "content": content, "toolRequests": []}, **fields)


def stop_hook(moment: int = MOMENT, at: str = AT) -> str:
    return line("hook.start", {"hookType": "agentStop", "input": {"timestamp": moment}}, timestamp=at)


def of_cursor(role: str, *said: str) -> str:
    parts = [{"type": "text", "text": each} for each in said]
    used = {"type": "tool_use", "name": "Shell", "input": {"command": "ls"}}
    return json.dumps({"role": role, "message": {"content": [*parts, used]}})


TURN = [user("How are invoices numbered?"), assistant("", toolRequests=[{"name": "bash"}]), assistant("By month.")]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (TURN, "By month."),
        ([*TURN, line("assistant.turn_end", {"turnId": "1"}), stop_hook()], "By month."),
        ([*TURN, assistant("Found it.", agentId="5857f356")], "By month."),
        ([*TURN, user("And receipts?")], ""),
        ([*TURN, user("And receipts?"), assistant("By day.")], "By day."),
        ([of_cursor("user", "Tabs?"), of_cursor("assistant", "Yes,", "tabs."), of_cursor("assistant")], "Yes,\ntabs."),
        ([*TURN, "", "[]", '{"type": "assistant.mess', '{"type": "assistant.message", "data": 7}'], "By month."),
        ([], ""),
    ],
)
def test_the_answer_is_what_was_said_last_to_what_the_user_said_last(lines: list[str], said: str) -> None:
    assert last_answer(lines) == said


@pytest.mark.parametrize(
    ("event", "path"),
    [
        ({"hook_event_name": "Stop", "transcript_path": PATH}, PATH),
        ({"hookEventName": "Stop", "transcript_path": PATH}, PATH),
        ({"hook_event_name": "stop", "transcript_path": PATH}, PATH),
        ({"stopReason": "end_turn", "transcriptPath": PATH}, PATH),
        ({"hook_event_name": "stop", "transcript_path": None}, ""),
        ({"hook_event_name": "Stop", "transcript_path": PATH, "last_assistant_message": "By month."}, ""),
        ({"hook_event_name": "Stop", "transcript_path": PATH, "parent_agent_id": "8d000762"}, ""),
        ({"hook_event_name": "UserPromptSubmit", "transcript_path": PATH, "prompt": "And receipts?"}, ""),
    ],
)
def test_only_an_end_without_its_answer_needs_a_transcript(event: dict[str, Any], path: str) -> None:
    assert transcript(event) == path


@pytest.mark.parametrize("at", [AT, MOMENT])
def test_copilots_transcript_is_behind_until_it_notes_the_hook_of_this_event(at: str | int) -> None:
    earlier = [*TURN, stop_hook(MOMENT - 90_000, "2026-11-26T12:20:24.251Z")]

    assert is_behind({"timestamp": at}, earlier)
    assert not is_behind({"timestamp": at}, [*earlier, user("And receipts?"), assistant("By day."), stop_hook()])


def test_a_transcript_that_notes_no_hooks_is_behind_until_it_has_an_answer() -> None:
    assert is_behind({"timestamp": AT}, TURN[:2])
    assert not is_behind({"timestamp": AT}, TURN)
