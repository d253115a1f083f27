"""Copilot CLI's events, as 1.0.102 gave them to a hook that wrote them down, and what it takes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from cairn.hooks import copilot
from cairn.hooks.events import Answered, Begun, Delegated, Ended, Happening, Prompted, ToolsUsed, ToolUse
from cairn.tool.call import Call
from support.hooks import items, tell

SESSION = "8d000762-32f4-4f78-b0b7-253ed28d04c2"
SUBAGENT = "5857f356-d5c9-4048-a7c9-9f123a317be3"
TRANSCRIPT = f"/home/ada/.copilot/session-state/{SESSION}/events.jsonl"
AT = "2026-11-26T12:21:53.761Z"
ASKED_BY_SESSION = {"agent_id": SUBAGENT, "agent_type": "general-purpose", "parent_agent_id": SESSION}
PROMPT = "Our invoices are numbered by month."


def named(name: str, session: str = SESSION, **fields: object) -> dict[str, Any]:
    """Return an event as it comes where hooks are configured under Claude Code's names."""
    return {"hook_event_name": name, "session_id": session, "timestamp": AT, "cwd": "/home/ada/widget", **fields}


def nameless(**fields: object) -> dict[str, Any]:
    """Return an event as it comes where hooks are configured under Copilot's own names."""
    return {"sessionId": SESSION, "timestamp": 1795695643373, "cwd": "/home/ada/widget", **fields}


def prompted(prompt: str, at: str = AT) -> dict[str, Any]:
    return named("UserPromptSubmit", prompt=prompt) | {"timestamp": at}


def stopped(answer: str) -> dict[str, Any]:
    """Return the end of a turn, with what `cairn hook` adds to it from the transcript."""
    return named("Stop", transcript_path=TRANSCRIPT, stop_reason="end_turn", last_assistant_message=answer)


BASH = {"command": "echo hello", "description": "say"}
EVENTS: list[tuple[dict[str, Any], Happening | None]] = [
    (named("SessionStart", source="new", initial_prompt=PROMPT), Begun()),
    (prompted(PROMPT), Prompted(AT, PROMPT)),
    (
        named(
            "PostToolUse",
            tool_name="Bash",
            tool_input=BASH,
            tool_result={"result_type": "success", "text_result_for_llm": "hello"},
        ),
        ToolsUsed(None, (ToolUse(id=f"Bash {AT}", name="Bash", given=BASH, gave="hello"),)),
    ),
    (
        named("SubagentStop", **ASKED_BY_SESSION, agent_name="general-purpose", last_assistant_message="Found it."),
        Delegated(None, SUBAGENT, "general-purpose", "Found it."),
    ),
    (stopped("Noted."), Answered(None, "Noted.")),
    (named("SessionEnd", reason="complete"), Ended()),
    (nameless(source="new", initialPrompt=PROMPT), Begun()),
    (nameless(prompt=PROMPT), Prompted("1795695643373", PROMPT)),
    (
        nameless(toolName="bash", toolArgs=BASH, toolResult={"resultType": "success", "textResultForLlm": "hello"}),
        ToolsUsed(None, (ToolUse(id="bash 1795695643373", name="bash", given=BASH, gave="hello"),)),
    ),
    (
        nameless(
            transcriptPath=TRANSCRIPT,
            agentId=SUBAGENT,
            agentType="general-purpose",
            agentName="general-purpose",
            response="Found it.",
            stopReason="end_turn",
            parentAgentId=SESSION,
        ),
        Delegated(None, SUBAGENT, "general-purpose", "Found it."),
    ),
    (
        nameless(transcriptPath=TRANSCRIPT, stopReason="end_turn", last_assistant_message="Noted."),
        Answered(None, "Noted."),
    ),
    (nameless(reason="complete"), Ended()),
]
OTHERS = [
    nameless(prompt=PROMPT, transformedPrompt=f"<current_datetime>…</current_datetime>\n\n{PROMPT}"),
    nameless(toolName="bash", toolArgs=BASH),
    named("PreCompact", trigger="auto", transcript_path=TRANSCRIPT),
    named("UserPromptSubmit", prompt=" "),
    named("PostToolUse", tool_name="Agent", tool_result={"text_result_for_llm": "Found it."}),
    nameless(toolName="task", toolResult={"textResultForLlm": "Found it."}),
    named("UserPromptSubmit", SUBAGENT, **ASKED_BY_SESSION, prompt="Look around."),
    named("Stop", SUBAGENT, **ASKED_BY_SESSION, transcript_path=TRANSCRIPT),
    nameless(prompt="Look around.", agentId=SUBAGENT, agentType="general-purpose", parentAgentId=SESSION),
    {},
]


@pytest.mark.parametrize(("event", "happened"), EVENTS)
def test_an_event_tells_what_happened_under_either_of_its_names(
    event: Mapping[str, Any], happened: Happening | None
) -> None:
    hook = copilot.read(event)

    assert (hook.session, hook.folder, hook.happened) == (SESSION, "/home/ada/widget", happened)


@pytest.mark.parametrize("event", OTHERS)
def test_what_no_user_said_and_no_agent_answered_tells_nothing(event: Mapping[str, Any]) -> None:
    assert copilot.read(event).happened is None


@pytest.mark.parametrize("event", [prompted(PROMPT), named("SessionStart"), nameless(prompt=PROMPT)])
def test_context_stands_where_copilot_cli_looks_for_it_and_where_vs_code_does(event: Mapping[str, Any]) -> None:
    answer = copilot.answer(event, "Memory.")

    assert answer["additionalContext"] == answer["hookSpecificOutput"]["additionalContext"] == "Memory."


@pytest.mark.parametrize(
    ("event", "context"), [(stopped("Noted."), "Memory."), (prompted(PROMPT), ""), ({}, "Memory.")]
)
def test_where_nothing_is_to_be_added_the_answer_changes_nothing(event: Mapping[str, Any], context: str) -> None:
    assert copilot.answer(event, context) == {}


@pytest.mark.req("R311")
def test_each_turn_is_stored_once_however_often_its_events_come(call: Call) -> None:
    for at, prompt, answer in [(AT, PROMPT, "Noted."), ("2026-11-26T12:25:00.000Z", PROMPT, "I know.")]:
        for event in (prompted(prompt, at), stopped(answer)):
            tell(call, event, "copilot")
            tell(call, event, "copilot")

    said = [("user", PROMPT), ("assistant", "Noted."), ("user", PROMPT), ("assistant", "I know.")]
    assert items(call, SESSION) == said


def test_what_one_session_said_comes_with_the_prompt_of_the_next(call: Call) -> None:
    tell(call, prompted(PROMPT), "copilot")
    tell(call, stopped("Noted."), "copilot")

    asked = prompted("How are invoices numbered?") | {"session_id": "another-session"}
    assert PROMPT in tell(call, asked, "copilot")["additionalContext"]
