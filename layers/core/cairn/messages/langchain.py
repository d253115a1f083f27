"""LangChain: `model_dump()`, `messages_to_dict` ({"type", "data"}) and `dumpd` ({"lc", "kwargs"})."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cairn.conversation.media import Media
from cairn.messages.chat import ROLES, called
from cairn.messages.content import content, shown
from cairn.messages.field import Field
from cairn.messages.parts import Call, Calls, Message, Part, Result, Text, objects

_TYPES: Final = {
    "human": "user",
    "ai": "assistant",
    "system": "system",
    "developer": "developer",
    "tool": "tool",
    "function": "tool",
    "chat": "",
}
Json = dict[str, Any]


def _type(item: Field) -> str:
    """Return human for human, HumanMessage and HumanMessageChunk."""
    return item.get("type").removesuffix("Chunk").removesuffix("Message").lower()


def is_langchain(item: Field) -> bool:
    """Tell whether the item is a message of one of these three forms."""
    if item.has("lc"):
        return item.has("kwargs")
    said = item.at("data") if item.has("data") else item
    by_role = item.has("role") and _type(item) != "chat"
    return item.get("type") != "" and _type(item) in _TYPES and "content" in said.map() and not by_role


def read(item: Field, calls: Calls) -> list[Message]:
    """Return what a message says."""
    message = item.at("kwargs") if item.has("lc") else item.at("data") if item.has("data") else item
    kind = _type(message) or _type(item)
    role = _TYPES.get(kind)
    if kind == "chat":
        role = ROLES.get(message.get("role"))
    if role is None:
        raise message.at("role" if kind == "chat" else "type").refused("must be human, ai, tool or system")
    if role == "tool":
        said = shown(message.at("content"), calls)
        return [Message(role, (calls.answered(message.get("tool_call_id"), message.get("name"), said),))]
    asked = _calls(message, calls)
    known = {call.id for call in asked}
    parts: list[Part] = [
        part
        for part in content(message.at("content"), calls)
        if not (isinstance(part, Call) and (part.id in known or known))
    ]
    return [Message(role, (*parts, *asked), message.get("name") if role == "user" else "")]


def _calls(message: Field, calls: Calls) -> list[Call]:
    """Return the calls as LangChain tells them, or else as the model's API did; content may hold them once more."""
    own = [*message.at("tool_calls").maybe(), *message.at("invalid_tool_calls").maybe()]
    if own:
        return [calls.made(each.get("id"), each.at("name").text(), each.at("args").value) for each in own]
    return [called(each, calls) for each in message.at("additional_kwargs").at("tool_calls").maybe()]


def write(messages: Sequence[Message]) -> list[Json]:
    """Return messages as `model_dump()` has them, which LangChain's models take as they are."""
    return [each for message in messages for each in _written(message)]


def _written(message: Message) -> list[Json]:
    results = [part for part in message.parts if isinstance(part, Result)]
    if results:
        return [{"type": "tool", "content": part.text, "tool_call_id": part.id} for part in results]
    kind = {"user": "human", "assistant": "ai"}.get(message.role, "system")
    said = [_part(part) for part in message.parts if isinstance(part, Text | Media)]
    only = "" if not said else said[0]["text"] if len(said) == 1 and said[0]["type"] == "text" else said
    asked = [_call(part) for part in message.parts if isinstance(part, Call)]
    name = {"name": message.name} if message.name else {}
    return [{"type": kind, "content": only, **name, **({"tool_calls": asked} if asked else {})}]


def _call(call: Call) -> Json:
    return {"type": "tool_call", "id": call.id, "name": call.name, "args": dict(objects(call.arguments))}


def _part(part: Text | Media) -> Json:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    named = {"extras": {"filename": part.name}} if part.name else {}
    mime = {"mime_type": part.mime} if part.mime else {}
    if part.data:
        return {"type": part.kind, "base64": part.data, **mime, **named}
    if part.url:
        return {"type": part.kind, "url": part.url, **mime, **named}
    return {"type": "text", "text": part.label or f"[{part.kind}]"}
