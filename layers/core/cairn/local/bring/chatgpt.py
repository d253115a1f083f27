"""The export of ChatGPT's data: `conversations.json`, also in parts, and `memory.json` where there is one.

A conversation is a tree of messages, of which the branch counts that was shown last. A memory that is switched off
there is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, cast

from cairn.hooks.events import Answered, Prompted
from cairn.hooks.reading import Event, text
from cairn.local.bring.entries import entries
from cairn.local.bring.found import Found, Place, Unreadable
from cairn.local.bring.json_files import files, moment, part
from cairn.local.bring.kept import memory_of
from cairn.local.bring.transcript import Step, turns_of

_MEMORIES: Final = ("memory.json", "memories.json")
_SAID: Final = frozenset({"text", "multimodal_text"})


def read(path: Path) -> Iterator[Found]:
    """Yield the turns of every conversation and the memories below a path."""
    for file in files(path, "conversations*.json", *_MEMORIES):
        for entry in entries(file, "conversations", "memories", "items"):
            if isinstance(entry, Unreadable):
                yield entry
            elif file.name in _MEMORIES:
                if entry[1].get("enabled") is not False:
                    yield memory_of(*entry)
            else:
                yield from _conversation(*entry)


def _conversation(place: Place, told: Event) -> Iterator[Found]:
    name, mapping = text(told, "conversation_id", "id"), part(told, "mapping")
    if not name or not mapping:
        yield Unreadable(place)
        return
    yield from turns_of(name, "", _steps(place, mapping, text(told, "current_node") or _newest(mapping)))


def _steps(place: Place, mapping: Event, shown: str) -> Iterator[Step]:
    branch: list[Event] = []
    while shown and len(branch) < len(mapping):
        node = part(mapping, shown)
        branch.append(part(node, "message"))
        shown = text(node, "parent")
    for message in reversed(branch):
        said, at = _said(message), moment(message.get("create_time"))
        match text(part(message, "author"), "role") if said else "":
            case "user":
                yield Step(place, at, Prompted(text(message, "id") or said, said))
            case "assistant" if text(message, "recipient") in {"", "all"}:
                yield Step(place, at, Answered(None, said))
            case _:
                pass


def _newest(mapping: Event) -> str:
    """Return the node of the message that was made last."""
    made = {name: moment(part(part(mapping, name), "message").get("create_time")) for name in mapping}
    return max(made, key=lambda name: at.timestamp() if (at := made[name]) else 0.0)


def _said(message: Event) -> str:
    """Return what a message says; one that is not shown, as what a user tells in each conversation, says nothing."""
    content = part(message, "content")
    is_hidden = part(message, "metadata").get("is_visually_hidden_from_conversation")
    if is_hidden or text(content, "content_type") not in _SAID:
        return ""
    listed: Any = content.get("parts")
    parts = cast("list[object]", listed) if isinstance(listed, list) else []
    return "\n".join(each for each in parts if isinstance(each, str) and each.strip())
