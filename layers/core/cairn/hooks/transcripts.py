"""What an agent answered, where its event doesn't say so and names the session's transcript instead.

Copilot CLI (1.0.102, run) and VS Code write a line for each event: `{"type": "assistant.message", "data": {"content":
…}}`; Cursor one for each message: `{"role": "assistant", "message": {"content": [{"type": "text", "text": …}]}}`.
Copilot CLI writes up to 0.15 s late: whoever reads at its event waits while `is_behind`. `cairn hook` reads them on the
agent's machine, and starts for each event: nothing is imported here that takes time.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, cast

from cairn.hooks.reading import Event, events, text

ANSWER: Final = "last_assistant_message"
"""The field in which an event says what was answered."""
DELEGATED_BY: Final = ("parent_agent_id", "parentAgentId")
"""The fields in which Copilot CLI says which agent has asked the one whose event it is."""
_ENDS: Final = frozenset({"Stop", "stop"})
_USER: Final = frozenset({"user.message", "user"})
_ASSISTANT: Final = frozenset({"assistant.message", "assistant"})


def transcript(event: Event) -> str:
    """Return the path of the transcript in which the answer stands that an event lacks, "" where it lacks none."""
    ends = text(event, "hook_event_name", "hookEventName") in _ENDS or "stopReason" in event
    if not ends or text(event, ANSWER) or text(event, *DELEGATED_BY):
        return ""
    return text(event, "transcript_path", "transcriptPath")


def is_behind(event: Event, lines: Sequence[str]) -> bool:
    """Tell whether the answer that an event lacks has still to be written: Copilot CLI notes its hooks behind it."""
    hooks = [entry for line in lines if text(entry := _object(line), "type") == "hook.start"]
    at = event.get("timestamp")
    noted = any(
        at in (entry.get("timestamp"), _part(_part(entry, "data"), "input").get("timestamp")) for entry in hooks
    )
    return not noted if hooks else not last_answer(lines)


def last_answer(lines: Iterable[str]) -> str:
    """Return what the agent said last to what the user said last, "" where it said nothing or a line is no JSON."""
    said = ""
    for line in lines:
        entry = _object(line)
        who = text(entry, "type", "role")
        if "agentId" in entry:  # of an agent that this one asked
            continue
        if who in _USER:
            said = ""
        elif who in _ASSISTANT:
            said = _said(entry) or said
    return said


def _said(entry: Event) -> str:
    content = _part(entry, "data") or _part(entry, "message")
    parts = (text(part, "text") for part in events(content, "content") if text(part, "type") == "text")
    return text(content, "content") or "\n".join(part for part in parts if part)


def _object(line: str) -> Event:
    try:
        found = json.loads(line)
    except ValueError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _part(entry: Event, name: str) -> Event:
    value = entry.get(name)
    return cast("Event", value) if isinstance(value, Mapping) else {}
