"""OpenAI Chat Completions, and all that speak it: content as text or parts, `tool_calls`, the role tool."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cairn.conversation.media import Media
from cairn.conversation.roles import PRIVILEGED, STORED
from cairn.messages.content import content, shown
from cairn.messages.field import Field
from cairn.messages.parts import Call, Calls, Message, Part, Result, Text

ROLES: Final = {**{role: role for role in (*STORED, *PRIVILEGED)}, "function": "tool"}
_FIELDS: Final = ("tool_calls", "tool_call_id", "function_call", "refusal", "audio", "reasoning_content", "tool_name")
Json = dict[str, Any]


def is_one(item: Field) -> bool:
    """Tell whether the item has a role and content, as all of these have, or what Chat has in its place."""
    return item.get("role") in ROLES and item.has("content", *_FIELDS) and not item.has("blocks")


def is_chat(item: Field) -> bool:
    """Tell whether the item is a message that only Chat writes so, or one whose parts several vendors write so."""
    return is_one(item) and item.get("type") in {"", "message"} and (item.has(*_FIELDS) or _has_parts(item))


def read(item: Field, calls: Calls) -> list[Message]:
    """Return what a message says."""
    role = ROLES[item.get("role")]
    if role == "tool" and (item.has("tool_call_id", "name", "tool_name") or item.get("role") == "function"):
        name = item.get("name", "tool_name")
        said = shown(item.at("content"), calls)
        return [Message(role, (calls.answered(item.get("tool_call_id"), name, said),))]
    parts: list[Part] = [*content(item.at("content"), calls)]
    if item.has("refusal"):
        parts.append(Text(item.at("refusal").text()))
    if item.at("audio").has("transcript"):
        parts.append(Text(item.at("audio").at("transcript").text()))
    parts += [called(each, calls) for each in item.at("tool_calls").maybe()]
    if item.has("function_call"):
        parts.append(_function(item.at("function_call").object(), "", calls))
    is_result = all(isinstance(part, Result) for part in parts)
    return [Message("tool" if is_result and parts else role, tuple(parts), item.get("name"))]


def called(call: Field, calls: Calls) -> Call:
    """Return a call of `tool_calls`."""
    kind = "custom" if call.object().has("custom") else "function"
    return _function(call.at(kind).object(), call.get("id"), calls)


def _function(function: Field, identifier: str, calls: Calls) -> Call:
    return calls.made(identifier, function.at("name").text(), function.at("arguments", "input").value)


def _has_parts(item: Field) -> bool:
    return isinstance(item.map().get("content"), list)


def write(messages: Sequence[Message]) -> list[Json]:
    """Return Chat messages: calls within their assistant message, each result in one of its own."""
    return [each for message in messages for each in _written(message)]


def _written(message: Message) -> list[Json]:
    results = [part for part in message.parts if isinstance(part, Result)]
    if results:
        return [{"role": "tool", "tool_call_id": part.id, "content": part.text} for part in results]
    called = [_tool_call(part) for part in message.parts if isinstance(part, Call)]
    said = [each for part in message.parts if (each := _part(part)) is not None]
    only = said[0]["text"] if len(said) == 1 and said[0]["type"] == "text" else said or None
    name = {"name": message.name} if message.name else {}
    return [{"role": message.role, **name, "content": only, **({"tool_calls": called} if called else {})}]


def _tool_call(call: Call) -> Json:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments or "{}"}}


def _part(part: Part) -> Json | None:
    if isinstance(part, Text):
        return {"type": "text", "text": part.text}
    return _media(part) if isinstance(part, Media) else None


def _media(part: Media) -> Json:
    if part.kind == "image" and part.place:
        return {"type": "image_url", "image_url": {"url": part.place}}
    if part.kind == "audio" and part.data:
        return {"type": "input_audio", "input_audio": {"data": part.data, "format": part.mime.rpartition("/")[2]}}
    if part.data or part.file_id:
        given = {"file_data": part.place, "filename": part.name or "file"} if part.data else {"file_id": part.file_id}
        return {"type": "file", "file": given}
    return {"type": "text", "text": part.label or f"[{part.kind}]"}
