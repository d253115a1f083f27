"""Vercel's AI SDK: UIMessage with typed `parts`, and ModelMessage with `tool-call` and `tool-result`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cairn.conversation.media import media_of
from cairn.messages.chat import ROLES
from cairn.messages.content import THOUGHTS, content, shown
from cairn.messages.field import Field
from cairn.messages.parts import Calls, Message, Part, Text, as_json

_SHAPE: Final = "must be a part of a UIMessage: text, reasoning, file, source-url, data-*, tool-* or dynamic-tool"
_OF_MODELS: Final = frozenset(("tool-call", "tool-result"))


def is_ui_message(item: Field) -> bool:
    """Tell whether the item has parts, and each of them a type."""
    parts = item.at("parts")
    return item.has("role") and parts.is_list and bool(parts.value) and all(each.get("type") for each in parts.list())


def is_model_message(item: Field) -> bool:
    """Tell whether the item is a message with a part that only a ModelMessage has."""
    typed = item.at("content").list() if item.at("content").is_list else []
    return item.get("role") in ROLES and any(part.get("type") in _OF_MODELS for part in typed)


def read(item: Field, calls: Calls) -> list[Message]:
    """Return what a UIMessage says; a tool's call and its answer stand in one part of it."""
    role = ROLES.get(item.get("role"))
    if role is None:
        raise item.at("role").refused("must be user, assistant or system")
    parts = [part for each in item.at("parts").list() for part in _read(each, calls)]
    return [Message(role, tuple(parts))]


def read_model_message(item: Field, calls: Calls) -> list[Message]:
    """Return what a ModelMessage says."""
    return [Message(ROLES[item.get("role")], tuple(content(item.at("content"), calls)))]


def _read(part: Field, calls: Calls) -> Iterable[Part]:
    kind = part.get("type")
    if kind in THOUGHTS:
        return []
    if kind == "text":
        return [Text(part.at("text").text())]
    if kind == "file":
        media = media_of(part.map())
        return [media] if media else []
    if kind.startswith("source"):
        named = [part.get("title"), part.get("filename"), part.get("url"), part.at("source").get("title", "url")]
        return [Text(f"[source: {next(filter(None, named), 'unnamed')}]")]
    if kind.startswith("data-"):
        return [Text(as_json(part.at("data").value))]
    if kind.startswith("tool-") or kind == "dynamic-tool":
        return _tool(part.at("toolInvocation") if kind == "tool-invocation" else part, calls)
    raise part.refused(_SHAPE)


def _tool(tool: Field, calls: Calls) -> Iterable[Part]:
    name = tool.get("toolName") or tool.get("type").removeprefix("tool-")
    call = calls.made(tool.get("toolCallId"), name, tool.at("input", "args", "rawInput").value)
    if not tool.has("output", "result", "errorText"):
        return [call]
    return [call, calls.answered(call.id, name, shown(tool.at("output", "result", "errorText"), calls))]
