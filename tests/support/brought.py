"""What agents and other memories write, in the form of their files, and a way to bring it along."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from cairn.conversation.items import role_of, text_of
from cairn.ground.ids import Project, SessionId, UserId
from cairn.ground.session import NO_SESSION, Session
from cairn.ground.settings import MemoryScope
from cairn.local.bring.bringing import bring
from cairn.local.bring.sources import SOURCES
from cairn.local.bring.storing import Into, Outcome, Storing
from cairn.log.layout import memory_owner
from cairn.log.memories import Memory
from cairn.tool.call import Call

BEGAN = datetime(2025, 4, 2, 9, tzinfo=UTC)
SESSION = "5f0c1a3e-aaaa-4bbb-8ccc-1d2e3f405162"
FOLDER = "/home/ada/widget"
ADA = UserId("ada")
MEMORY = "What follows, as far as [End of memory], is memory of earlier conversation."
"""How what hooks add to a prompt begins."""


def brought(call: Call, source: str, path: Path, *, dry: bool = False, owner: UserId = ADA, **into: Any) -> Outcome:
    """Bring along what a source has at a path, for Ada unless told."""
    where = Into(tenant=call.caller.tenant, owner=owner, **into)
    return bring(SOURCES[source], path, Storing(call.services, source, where, dry=dry))


def figures(outcome: Outcome) -> dict[tuple[str, str], tuple[int, int, int, int, int]]:
    """Return the counts by project and user: sessions, turns, memories, turns and memories that were there."""
    return {
        names: (len(each.sessions), each.turns, each.memories, each.turns_there, each.memories_there)
        for names, each in outcome.counts.items()
    }


def memories(call: Call, project: str = "widget") -> dict[str, Memory]:
    """Return the memories that are kept of Ada and of all in a project, and of her everywhere, by what they say."""
    found: dict[str, Memory] = {}
    scopes: tuple[MemoryScope, ...] = ("user", "project", "user_everywhere")
    for owner in (memory_owner(scope, ADA, NO_SESSION) for scope in scopes):
        call.services.log.refresh(call.caller.tenant, Project(project), owner)
        with call.services.log.view(call.caller.tenant, Project(project), owner) as view:
            found.update({each.content: each for each in view.memories()})
    return found


def history(call: Call, session: str = SESSION, project: str = "widget") -> list[tuple[str, list[tuple[str, str]]]]:
    """Return the turns of a session: the id of each, and what was said as role and text."""
    of = Session(call.caller.tenant, Project(project), SessionId(session))
    return [
        (events[0].turn_id, [(role_of(event.item), text_of(event.item)) for event in events])
        for _, events in call.services.sessions.history(of)
    ]


def at(minutes: float) -> str:
    return (BEGAN + timedelta(minutes=minutes)).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write(file: Path, lines: Iterable[Mapping[str, Any] | str]) -> Path:
    """Write lines, each a JSON object or as it is."""
    file.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines)
    file.write_text(text, encoding="utf-8")
    return file


def document(file: Path, value: object) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(value), encoding="utf-8")
    return file


class ClaudeCode:
    """A transcript of Claude Code's, line by line."""

    def __init__(self, session: str = SESSION, folder: str = FOLDER) -> None:
        self.session = session
        self.folder = folder
        self.lines: list[dict[str, Any] | str] = []

    def line(self, kind: str, minutes: float, **fields: Any) -> None:
        """Add a line that is of the conversation."""
        same = {"type": kind, "isSidechain": False, "timestamp": at(minutes), "uuid": f"line-{len(self.lines)}"}
        self.lines.append({**same, "sessionId": self.session, "cwd": self.folder, **fields})

    def prompt(self, turn: str, said: object, minutes: float = 0, **fields: Any) -> None:
        self.line("user", minutes, promptId=turn, message={"role": "user", "content": said}, **fields)

    def answer(self, said: str, minutes: float = 0, **fields: Any) -> None:
        self.blocks([{"type": "text", "text": said}], minutes, **fields)

    def blocks(self, content: list[dict[str, Any]], minutes: float = 0, **fields: Any) -> None:
        said = {"role": "assistant", "model": "claude-opus-5-5", "content": content}
        self.line("assistant", minutes, **{"message": said, "madeBy": "model", **fields})

    def tool(self, call: str, name: str, given: object, gave: object, minutes: float = 0) -> None:
        self.blocks([{"type": "tool_use", "id": call, "name": name, "input": given}], minutes)
        result = [{"type": "tool_result", "tool_use_id": call, "content": "as it was shown"}]
        self.line("user", minutes, message={"role": "user", "content": result}, toolUseResult=gave)

    def added(self, text: str) -> None:
        """Add what a hook added to the prompt before."""
        told = {"type": "hook_additional_context", "hookEvent": "UserPromptSubmit", "content": [text]}
        self.lines.append({"type": "attachment", "attachment": told, "rendered": [{"content": text}]})

    def write(self, projects: Path) -> Path:
        return write(projects / "-home-ada-widget" / f"{self.session}.jsonl", self.lines)


class Codex:
    """A rollout of Codex's."""

    def __init__(self, session: str = SESSION, **meta: Any) -> None:
        self.session = session
        told = {"id": session, "cwd": FOLDER, "source": "exec", "thread_source": "user", **meta}
        self.lines: list[dict[str, Any]] = [{"timestamp": at(0), "type": "session_meta", "payload": told}]

    def item(self, minutes: float, **payload: Any) -> None:
        self.lines.append({"timestamp": at(minutes), "type": "response_item", "payload": payload})

    def event(self, minutes: float, **payload: Any) -> None:
        self.lines.append({"timestamp": at(minutes), "type": "event_msg", "payload": payload})

    def message(self, role: str, text: str, minutes: float = 0) -> None:
        kind = "output_text" if role == "assistant" else "input_text"
        self.item(minutes, type="message", role=role, content=[{"type": kind, "text": text}])

    def prompt(self, turn: str, said: str, minutes: float = 0) -> None:
        self.event(minutes, type="task_started", turn_id=turn)
        self.message("user", "<environment_context>\n  <cwd>/home/ada/widget</cwd>\n</environment_context>", minutes)
        self.message("user", said, minutes)
        item = {"type": "UserMessage", "content": [{"type": "text", "text": said}]}
        self.event(minutes, type="item_completed", turn_id=turn, item=item)

    def write(self, sessions: Path) -> Path:
        return write(sessions / "2025" / "04" / "02" / f"rollout-2025-04-02T09-00-00-{self.session}.jsonl", self.lines)


class Gemini:
    """A chat of Gemini CLI's."""

    def __init__(self, session: str = SESSION, kind: str = "main") -> None:
        context = self.message(
            -0.1, "user", [{"text": "<session_context>\nThis is the Gemini CLI.\n</session_context>"}]
        )
        self.lines: list[dict[str, Any]] = [
            {"sessionId": session, "startTime": at(-0.1), "kind": kind},
            {"$set": {"messages": [context]}},
        ]

    @staticmethod
    def message(minutes: float, kind: str, content: object, **fields: Any) -> dict[str, Any]:
        name = f"{kind}-{minutes}"
        return {"id": name, "timestamp": at(minutes), "type": kind, "content": content, **fields}

    def say(self, minutes: float, kind: str, content: object, **fields: Any) -> None:
        self.lines.append(self.message(minutes, kind, content, **fields))

    def write(self, tmp: Path) -> Path:
        chats = tmp / "widget" / "chats"
        file = write(chats / "session-2025-04-02T09-00-5f0c1a3e.jsonl", self.lines)
        (chats.parent / ".project_root").write_text(FOLDER, encoding="utf-8")
        return file
