"""Gemini CLI's chats, as 0.61.0 writes them: `tmp/<project>/chats/session-*.jsonl`, and `.json` before.

A message comes again where more of it is known, and all of them where the session is gone on with; the last of one id
counts. What was taken back by a rewind was said all the same. The file `.project_root` beside `chats` holds the folder.
Hooks know a turn by the moment at which its prompt's event came, shortly before the prompt is written here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Final, cast

from cairn.hooks.events import Answered, Prompted, ToolsUsed, ToolUse
from cairn.hooks.reading import Event, events, text
from cairn.local.bring.found import FoundTurn, Place, Unreadable
from cairn.local.bring.json_files import document, files, lines, moment, part
from cairn.local.bring.transcript import Step, turns_of

_ADDED: Final = ("<session_context>", "<hook_context>")
"""How texts begin that the program adds to what the user said."""


def read(path: Path) -> Iterator[FoundTurn | Unreadable]:
    """Yield the turns of every session below a path."""
    for file in files(path, "**/session-*.jsonl", "**/session-*.json"):
        yield from _session(file)


def _session(file: Path) -> Iterator[FoundTurn | Unreadable]:
    head, messages = dict[str, object](), dict[str, tuple[Place, Event]]()
    for record in _records(file):
        if isinstance(record, Unreadable):
            yield record
            continue
        place, told = record
        change = part(told, "$set")
        head.update({name: value for name, value in {**told, **change}.items() if name in {"sessionId", "kind"}})
        message = [told] if text(told, "id") and text(told, "type") else []
        for each in (*message, *events(told, "messages"), *events(change, "messages")):
            messages[text(each, "id")] = (messages.get(text(each, "id"), (place, each))[0], each)
    if text(head, "kind") in {"", "main"}:
        yield from turns_of(text(head, "sessionId") or file.stem, _folder(file), _steps(messages.values()))


def _records(file: Path) -> Iterator[tuple[Place, Event] | Unreadable]:
    if file.suffix == ".jsonl":
        yield from lines(file)
        return
    place, found = Place(file, 1), document(file)
    yield (place, cast("Event", found)) if isinstance(found, dict) else Unreadable(place)


def _folder(file: Path) -> str:
    with suppress(OSError, UnicodeDecodeError):
        return (file.parent.parent / ".project_root").read_text(encoding="utf-8").strip()
    return ""


def _steps(messages: Iterable[tuple[Place, Event]]) -> Iterator[Step]:
    since: datetime | None = None
    for place, message in messages:
        at, kind = moment(message.get("timestamp")), text(message, "type")
        if kind == "user" and (prompt := _said(message)):
            yield Step(place, at, Prompted(text(message, "timestamp") or text(message, "id"), prompt), since)
        elif kind == "gemini":
            if answer := _said(message):
                yield Step(place, at, Answered(None, answer))
            for call in events(message, "toolCalls"):
                use = ToolUse(
                    id=text(call, "id"), name=text(call, "name"), given=call.get("args"), gave=call.get("result")
                )
                yield Step(place, at, ToolsUsed(None, (use,)))
        since = at or since


def _said(message: Event) -> str:
    """Return what a message says, as it was shown where the program added to it."""
    shown = "displayContent" if message.get("displayContent") else "content"
    texts = (text(message, shown), *(text(each, "text") for each in events(message, shown)))
    return "\n".join(each for each in texts if each and not each.startswith(_ADDED))
