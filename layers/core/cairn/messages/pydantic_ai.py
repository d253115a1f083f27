"""pydantic-ai: ModelRequest and ModelResponse, told apart by `kind`, with parts told apart by `part_kind`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cairn.conversation.media import media_of
from cairn.messages.content import shown
from cairn.messages.field import Field
from cairn.messages.parts import Calls, Message, Part, Text, as_json

_SHAPE: Final = "must be a part of pydantic-ai: user-prompt, system-prompt, text, tool-call, tool-return, thinking"
_THOUGHTS: Final = frozenset(("thinking", "compaction", "cache-point"))


def is_pydantic_ai(item: Field) -> bool:
    """Tell whether the item is a request or a response."""
    return item.get("kind") in {"request", "response"} and "parts" in item.map()


def read(item: Field, calls: Calls) -> list[Message]:
    """Return what a request or a response says: each run of parts by one speaker is a message."""
    told = [Message("system", (Text(item.at("instructions").text()),))] if item.has("instructions") else []
    messages: list[Message] = [*told]
    for part in item.at("parts").list():
        role, parts = _read(part.object(), calls)
        if messages and messages[-1].role == role != "system":
            messages[-1] = messages[-1]._replace(parts=(*messages[-1].parts, *parts))
        else:
            messages.append(Message(role, tuple(parts)))
    return messages


def _read(part: Field, calls: Calls) -> tuple[str, Iterable[Part]]:  # noqa: PLR0911 - one for each kind of part
    kind = part.get("part_kind")
    if kind in _THOUGHTS:
        return "assistant", []
    if kind in {"system-prompt", "instruction"}:
        return "system", [Text(part.at("content").text())]
    if kind == "user-prompt":
        return "user", _prompt(part.at("content"))
    if kind == "text":
        return "assistant", [Text(part.at("content").text())]
    if kind == "file":
        return "assistant", _shown(part.at("content"))
    name = part.at("tool_name").value
    if kind in {"tool-call", "builtin-tool-call", "native-tool-call"}:
        called = calls.made(part.get("tool_call_id"), part.at("tool_name").text(), part.at("args").value)
        return "assistant", [called]
    if kind == "retry-prompt" and name is None:
        return "user", [Text(as_json(part.at("content").value))]
    if kind in {"tool-return", "retry-prompt", "builtin-tool-return", "native-tool-return"}:
        answer = shown(part.at("content"), calls)
        return "tool", [calls.answered(part.get("tool_call_id"), part.get("tool_name"), answer)]
    raise part.refused(_SHAPE)


def _prompt(said: Field) -> list[Part]:
    if isinstance(said.value, str):
        return [Text(said.text())]
    return [part for each in said.list("text or a list of content") for part in _shown(each)]


def _shown(part: Field) -> list[Part]:
    kind = part.get("kind")
    if isinstance(part.value, str):
        return [Text(part.text())]
    if part.object().has("content") and kind == "text-content":
        return [Text(part.at("content").text())]
    if kind in _THOUGHTS:
        return []
    media = media_of(part.map(), "file" if kind in {"binary", "document-url", "uploaded-file"} else kind[:5])
    if media is None or not (media.place or media.file_id):
        raise part.refused("must be text, an address or binary content")
    return [media]
