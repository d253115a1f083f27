"""llama-index: ChatMessage with `blocks`, told apart by `block_type`, and what else was said in `additional_kwargs`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cairn.conversation.media import Media, media_of
from cairn.messages.chat import ROLES, called
from cairn.messages.field import Field
from cairn.messages.parts import Calls, Message, Part, Text, as_json

_ROLES: Final = {**ROLES, "chatbot": "assistant", "model": "assistant"}
_MEDIA: Final = {"image": "image", "audio": "audio", "video": "video", "document": "file"}
_SHAPE: Final = "must be a block of llama-index: text, image, audio, video, document, thinking or tool_call"


def is_llama_index(item: Field) -> bool:
    """Tell whether the item has a role and blocks."""
    return item.has("role") and "blocks" in item.map()


def read(item: Field, calls: Calls) -> list[Message]:
    """Return what a message says."""
    role, more = _ROLES.get(item.get("role")), item.at("additional_kwargs")
    if role is None:
        raise item.at("role").refused("must be user, assistant, tool or system")
    parts = [part for block in item.at("blocks").list() for part in _read(block, calls)]
    if role == "tool":
        said = [part for part in parts if isinstance(part, Text | Media)]
        return [Message(role, (calls.answered(more.get("tool_call_id"), more.get("name"), said),))]
    known = any(not isinstance(part, Text | Media) for part in parts)
    asked = [] if known else [called(each, calls) for each in more.at("tool_calls").maybe() if each.has("function")]
    return [Message(role, (*parts, *asked), more.get("name") if role == "user" else "")]


def _read(block: Field, calls: Calls) -> Iterable[Part]:
    kind = block.object().get("block_type")
    if kind in {"thinking", "cache"}:
        return []
    if kind == "text":
        return [Text(block.at("text").text())]
    if kind == "tool_call":
        asked = block.at("tool_kwargs").value
        return [calls.made(block.get("tool_call_id"), block.at("tool_name").text(), asked)]
    if kind in {"citable", "citation"}:
        return [part for each in block.at("content", "cited_content").maybe() for part in _read(each, calls)]
    if kind in _MEDIA:
        media = media_of(block.map(), _MEDIA[kind])
        return [media] if media else []
    if kind and block.has("content"):
        return [Text(as_json(block.at("content").value))]
    raise block.refused(_SHAPE)
