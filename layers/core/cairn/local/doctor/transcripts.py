"""What agents themselves keep of their sessions: which were begun, and when their newest answered prompt was."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias, cast

from cairn.local.connect.agent import Machine

_NEWEST: Final = 5
"""How many sessions are looked at."""
Entry: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Transcript:
    """A session as its agent knows it, in a folder. `answered` is when the newest prompt came that has an answer."""

    session: str
    folder: Path
    begun: datetime
    answered: datetime | None


Reader: TypeAlias = Callable[[Path, list[Entry]], Transcript | None]


def newest(agent: str, machine: Machine, since: datetime) -> list[Transcript] | None:
    """Return an agent's newest sessions that began since a moment, the newest first.

    None for an agent whose transcripts are not understood.
    """
    if agent not in _KEPT:
        return None
    root, pattern, reader = _KEPT[agent](machine)
    files = sorted(((_changed(path), path) for path in root.glob(pattern)), reverse=True)
    changed = (path for at, path in files if at >= since.timestamp())
    read = (found for path in changed if (found := reader(path, _entries(path))) is not None)
    begun = (found for found in read if found.begun >= since and found.answered is not None)
    return [found for _, found in zip(range(_NEWEST), begun, strict=False)]


def _claude_code(path: Path, entries: list[Entry]) -> Transcript | None:
    main = [each for each in entries if not each.get("isSidechain") and not each.get("isMeta")]
    said = [each for each in main if each.get("type") in {"user", "assistant"}]
    if not said:
        return None
    answered = prompt = None
    for each in said:
        if each["type"] == "user" and _is_prompt(_field(each, "message", "content")):
            prompt = _moment(each.get("timestamp"))
        elif each["type"] == "assistant" and _field(each, "message", "stop_reason") == "end_turn":
            answered = prompt
    return _transcript(path.stem, said[0].get("cwd"), said[0].get("timestamp"), answered)


def _codex(_path: Path, entries: list[Entry]) -> Transcript | None:
    begun = next((each for each in entries if each.get("type") == "session_meta"), Entry())
    if not begun or isinstance(_field(begun, "payload", "source"), dict):  # that is a subagent's
        return None
    answered = prompt = None
    for each in entries:
        kinds = {_field(each, "payload", "type"), _field(each, "payload", "item", "type")}
        if kinds & {"user_message", "UserMessage"}:
            prompt = _moment(each.get("timestamp"))
        elif "task_complete" in kinds and _field(each, "payload", "last_agent_message"):
            answered = prompt
    at = begun.get("timestamp")
    return _transcript(_field(begun, "payload", "id"), _field(begun, "payload", "cwd"), at, answered)


def _gemini(path: Path, entries: list[Entry]) -> Transcript | None:
    begun = next((each for each in entries if "sessionId" in each), Entry())
    if not begun or begun.get("kind", "main") != "main":
        return None
    answered = prompt = None
    for each in entries:
        if each.get("type") == "user":
            prompt = _moment(each.get("timestamp"))
        elif each.get("type") == "gemini" and each.get("content") and not each.get("toolCalls"):
            answered = prompt
    folder = path.parent.parent / ".project_root"
    root = folder.read_text(encoding="utf-8").strip() if folder.is_file() else None
    return _transcript(begun["sessionId"], root, begun.get("startTime"), answered)


_KEPT: Final[dict[str, Callable[[Machine], tuple[Path, str, Reader]]]] = {
    "claude-code": lambda on: (on.folder("CLAUDE_CONFIG_DIR", ".claude"), "projects/*/*.jsonl", _claude_code),
    "codex": lambda on: (on.folder("CODEX_HOME", ".codex"), "sessions/**/rollout-*.jsonl", _codex),
    "gemini": lambda on: (on.folder("GEMINI_CLI_HOME", "") / ".gemini", "tmp/*/chats/session-*.jsonl", _gemini),
}
"""Where an agent keeps its transcripts, by its name, and how one is read."""


def _transcript(session: object, folder: object, begun: object, answered: datetime | None) -> Transcript | None:
    at = _moment(begun)
    if not isinstance(session, str) or not isinstance(folder, str) or at is None:
        return None
    return Transcript(session, Path(folder), at, answered)


def _is_prompt(content: object) -> bool:
    """Tell whether a user's entry is what they said, and neither what a tool gave nor a command of the agent."""
    if isinstance(content, str):
        return not content.startswith("<")
    blocks = [cast("Entry", each) for each in cast("list[object]", content or []) if isinstance(each, dict)]
    return any(each.get("type") == "text" for each in blocks) and all(
        each.get("type") != "tool_result" for each in blocks
    )


def _entries(path: Path) -> list[Entry]:
    return list(_objects(path))


def _objects(path: Path) -> Iterator[Entry]:
    """Yield the objects in the lines of a file; a line that is being written is left out."""
    try:
        with path.open("rb") as lines:
            for line in lines:
                try:
                    found = json.loads(line)
                except ValueError:
                    continue
                if isinstance(found, dict):
                    yield cast("Entry", found)
    except OSError:
        return


def _field(entry: object, *names: str) -> Any:
    for name in names:
        entry = cast("Entry", entry).get(name) if isinstance(entry, dict) else None
    return entry


def _moment(value: object) -> datetime | None:
    try:
        at = datetime.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
    return at if at is None or at.tzinfo else at.replace(tzinfo=UTC)


def _changed(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
