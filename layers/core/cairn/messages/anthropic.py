"""Anthropic Messages: `tool_use`, `tool_result`, `thinking`, images and documents with a `source`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cairn.conversation.media import Media
from cairn.messages.content import content
from cairn.messages.field import Field
from cairn.messages.parts import Call, Calls, Message, Part, Result, Text, objects

_OWN: Final = frozenset(
    [
        "tool_use",
        "tool_result",
        "thinking",
        "redacted_thinking",
        "document",
        "search_result",
        "server_tool_use",
        "container_upload",
    ]
)
_IMAGES: Final = frozenset(f"image/{kind}" for kind in ("jpeg", "png", "gif", "webp"))
Json = dict[str, Any]


def is_anthropic(item: Field) -> bool:
    """Tell whether the item is a message with a part that this vendor alone has."""
    if item.get("role") not in {"user", "assistant"} or not item.at("content").is_list:
        return False
    return any(part.get("type") in _OWN or part.has("source") for part in item.at("content").list())


def read(item: Field, calls: Calls) -> list[Message]:
    """Return what a message says; what it thought is left out."""
    parts = tuple(content(item.at("content"), calls))
    return [Message(item.get("role"), parts)]


def write(messages: Sequence[Message]) -> list[Json]:
    """Return Messages: the roles take turns, and results come first in the user's next message."""
    return [
        {"role": message.role, "content": [block for part in message.parts for block in _blocks(part)]}
        for message in messages
    ]


def _blocks(part: Part) -> list[Json]:
    if isinstance(part, Call):
        return [{"type": "tool_use", "id": part.id, "name": part.name, "input": dict(objects(part.arguments))}]
    if isinstance(part, Result):
        return [{"type": "tool_result", "tool_use_id": part.id, "content": [_said(each) for each in part.parts]}]
    return [_said(part)]


def _said(part: Text | Media) -> Json:
    if isinstance(part, Media):
        return _media(part) or {"type": "text", "text": part.label or f"[{part.kind}]"}
    return {"type": "text", "text": part.text}


def _media(part: Media) -> Json | None:
    is_image, is_pdf = part.kind == "image", part.mime == "application/pdf"
    kind, named = ("image", {}) if is_image else ("document", {"title": part.name} if part.name else {})
    if part.data and (is_pdf or part.mime in _IMAGES):
        source = {"type": "base64", "media_type": part.mime, "data": part.data}
        return {"type": kind, "source": source, **named}
    if part.url.startswith(("http:", "https:")) and (is_image or part.kind == "file"):
        return {"type": kind, "source": {"type": "url", "url": part.url}, **named}
    return None
