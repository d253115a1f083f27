"""Bedrock Converse, and Strands, which keeps its messages so: a list of blocks, each an object with one key."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from cairn.conversation.media import Media, media_of
from cairn.messages.field import Field
from cairn.messages.parts import Call, Calls, Message, Part, Result, Text, as_json, objects

_MEDIA: Final = {"image": "image", "video": "video", "audio": "audio", "document": "file"}
_THOUGHTS: Final = ("reasoningContent", "cachePoint")
_BLOCKS: Final = frozenset(
    ("text", "toolUse", "toolResult", "guardContent", "citationsContent", "searchResult", *_MEDIA, *_THOUGHTS)
)
_SHAPE: Final = "must be a Converse block: text, image, document, video, toolUse, toolResult or reasoningContent"
_IMAGES: Final = frozenset(["png", "jpeg", "gif", "webp"])
_DOCUMENTS: Final = {
    "application/pdf": "pdf",
    "text/csv": "csv",
    "text/html": "html",
    "text/plain": "txt",
    "text/markdown": "md",
    "application/msword": "doc",
}
_NOT_IN_A_NAME: Final = re.compile(r"[^A-Za-z0-9()\[\] -]+")
Json = dict[str, Any]


def is_converse(item: Field) -> bool:
    """Tell whether the item is a message of blocks without a type."""
    if item.get("role") not in {"user", "assistant"} or not item.at("content").is_list:
        return False
    parts = item.at("content").list()
    return any(part.map() and "type" not in part.map() and part.has(*_BLOCKS) for part in parts)


def read(item: Field, calls: Calls) -> list[Message]:
    """Return what a message says; what it thought is left out."""
    parts = [part for block in item.at("content").list() for part in _read(block, calls)]
    return [Message(item.get("role"), tuple(parts), item.get("name"))]


def _read(block: Field, calls: Calls) -> Iterable[Part]:
    if block.object().has("toolUse"):
        asked = block.at("toolUse").object()
        return [calls.made(asked.get("toolUseId"), asked.at("name").text(), asked.at("input").value)]
    if block.has("toolResult"):
        answer = block.at("toolResult").object()
        said = [part for each in answer.at("content").maybe() for part in _shown(each)]
        return [calls.answered(answer.get("toolUseId"), "", said)]
    if any(name in block.map() for name in _THOUGHTS):
        return []
    return _shown(block)


def _shown(block: Field) -> list[Text | Media]:
    if block.object().has("text"):
        return [Text(block.at("text").text())]
    if "json" in block.map():
        return [Text(as_json(block.map()["json"]))]
    if block.has("guardContent"):
        return _guarded(block.at("guardContent"))
    if block.has("citationsContent", "searchResult"):
        held = block.at("citationsContent", "searchResult")
        named = [Text(held.get("title"))] if held.get("title") else []
        return [*named, *(Text(each.at("text").text()) for each in held.at("content").maybe())]
    for name, kind in _MEDIA.items():
        if block.has(name):
            media = media_of(block.at(name).object().map(), kind)
            return [media] if media else []
    raise block.refused(_SHAPE)


def _guarded(held: Field) -> list[Text | Media]:
    return _shown(held) if held.has("image") else [Text(held.at("text").at("text").text())]


def write(messages: Sequence[Message]) -> list[Json]:
    """Return Converse messages: they begin with the user's, and the roles take turns."""
    return [{"role": each.role, "content": [_block(part) for part in each.parts]} for each in messages]


def _block(part: Part) -> Json:
    if isinstance(part, Call):
        return {"toolUse": {"toolUseId": part.id, "name": part.name, "input": dict(objects(part.arguments))}}
    if isinstance(part, Result):
        return {"toolResult": {"toolUseId": part.id, "content": [_said(each) for each in part.parts]}}
    return _said(part)


def _said(part: Text | Media) -> Json:
    if isinstance(part, Text):
        return {"text": part.text}
    form, known = part.mime.rpartition("/")[2], _DOCUMENTS.get(part.mime)
    if part.kind == "image" and part.data and form in _IMAGES:
        return {"image": {"format": form, "source": {"bytes": part.data}}}
    if part.kind == "file" and part.data and known:
        name = _NOT_IN_A_NAME.sub(" ", part.name).strip()[:200] or "document"
        return {"document": {"format": known, "name": name, "source": {"bytes": part.data}}}
    return {"text": part.label or f"[{part.kind}]"}
