"""Read Response items: their text, kind and identity. Items are never changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, cast

from cairn.ground.codec import canonical
from cairn.ground.session import ResponseItem

_VOLATILE = frozenset({"id", "status", "metadata"})
"""Fields an API or a client adds on the way, so that the same item would differ from itself."""


_LONGEST_NAME = 64


def message(role: str, text: str, kind: str = "input_text") -> dict[str, Any]:
    """Return a message item with one text part."""
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def text_of(item: ResponseItem) -> str:
    """Return the text that was said or returned in an item, parts joined by newlines; "" where there is none."""
    return "\n".join(_texts(item))


def role_of(item: ResponseItem) -> str:
    """Return who an item is from: its role, or assistant and tool for calls and their results."""
    role = item.get("role")
    if isinstance(role, str):
        return role
    return "tool" if is_result(item) else "assistant"


def name_of(item: ResponseItem) -> tuple[str, ...]:
    """Return the name that a message gives its author, where it gives one and is short enough to be one."""
    name = item.get("name")
    if not isinstance(name, str) or item.get("type", "message") != "message":
        return ()
    return (name.strip(),) if 0 < len(name.strip()) <= _LONGEST_NAME else ()


def is_call(item: ResponseItem) -> bool:
    """Tell whether the item asks for a tool."""
    kind = item.get("type")
    return isinstance(kind, str) and kind.endswith("_call")


def is_result(item: ResponseItem) -> bool:
    """Tell whether the item is what a tool answered."""
    kind = item.get("type")
    return isinstance(kind, str) and kind.endswith("_call_output")


def call_id(item: ResponseItem) -> str | None:
    """Return the id that ties a call to its result."""
    value = item.get("call_id")
    return value if isinstance(value, str) else None


def identity(item: ResponseItem) -> str:
    """Return metadata.item_id where the client set one, else a hash of what the item says."""
    named = _object(item.get("metadata")).get("item_id")
    if isinstance(named, str) and named:
        return f"id:{named}"
    kept = {name: value for name, value in item.items() if name not in _VOLATILE}
    kept["type"] = kept.get("type", "message")
    if kept["type"] == "message" and _only_text(kept.get("content")):
        kept["content"] = text_of(item)
    return sha256(canonical(kept)).hexdigest()


def _texts(item: ResponseItem) -> Iterable[str]:
    for name in ("content", "output", "arguments", "summary"):
        value = item.get(name)
        if isinstance(value, str):
            yield value
        for part in _list(value):
            text = part if isinstance(part, str) else _object(part).get("text")
            if isinstance(text, str):
                yield text


def _only_text(content: object) -> bool:
    return isinstance(content, str) or all(set(_object(part)) == {"type", "text"} for part in _list(content))


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
