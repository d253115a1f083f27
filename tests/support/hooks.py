"""What coding agents tell their hooks, and a way to tell it to the door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cairn.ground.ids import Project, SessionId, UserId
from cairn.ground.session import Session
from cairn.tool.call import Call
from cairn_tools.memory_hook import memory_hook

SESSION = "5f0c1a3e-aaaa-4bbb-8ccc-1d2e3f405162"
FOLDER = "/home/ada/widget"
ADA = UserId("ada")


def prompted(turn: str, prompt: str, session: str = SESSION) -> dict[str, Any]:
    return {**_claude("UserPromptSubmit", session), "prompt_id": turn, "prompt": prompt}


def answered(turn: str, answer: str, session: str = SESSION) -> dict[str, Any]:
    return {**_claude("Stop", session), "prompt_id": turn, "last_assistant_message": answer, "stop_hook_active": False}


def used(turn: str, call: str, command: str, gave: object, session: str = SESSION) -> dict[str, Any]:
    use = {"tool_name": "Bash", "tool_input": {"command": command}, "tool_use_id": call, "tool_response": gave}
    return {**_claude("PostToolBatch", session), "prompt_id": turn, "tool_calls": [use]}


def delegated(turn: str, name: str, answer: str, session: str = SESSION) -> dict[str, Any]:
    said = {"agent_id": "a5b72366", "agent_type": name, "last_assistant_message": answer}
    return {**_claude("SubagentStop", session), "prompt_id": turn, **said}


def compacted(summary: str, session: str = SESSION) -> dict[str, Any]:
    return {**_claude("PostCompact", session), "trigger": "manual", "compact_summary": summary}


def started(session: str = SESSION, source: str = "startup") -> dict[str, Any]:
    return {**_claude("SessionStart", session), "source": source}


def over(session: str = SESSION) -> dict[str, Any]:
    return {**_claude("SessionEnd", session), "reason": "other"}


def _claude(name: str, session: str) -> dict[str, Any]:
    path = f"/home/ada/.claude/projects/-home-ada-widget/{session}.jsonl"
    return {"hook_event_name": name, "session_id": session, "cwd": FOLDER, "transcript_path": path}


def tell(call: Call, event: Mapping[str, Any], agent: str = "claude-code", user: str | None = ADA) -> dict[str, Any]:
    """Tell the door an event; return the agent's answer."""
    said = {"agent": agent, "event": dict(event)}
    return memory_hook.execute(said if user is None else {**said, "user_id": user}, call)


def context(answer: Mapping[str, Any]) -> str:
    """Return what an answer adds to what the model is told, "" where it adds nothing."""
    return str(answer["hookSpecificOutput"]["additionalContext"]) if answer else ""


def items(call: Call, session: str = SESSION) -> list[tuple[str, str]]:
    """Return what is stored of a session, as role and text, in the order in which it was said."""
    from cairn.conversation.items import role_of, text_of  # noqa: PLC0415

    of = Session(call.caller.tenant, Project("widget"), SessionId(session))
    turns = call.services.sessions.history(of)
    return [(role_of(event.item), text_of(event.item)) for _, events in turns for event in events]
