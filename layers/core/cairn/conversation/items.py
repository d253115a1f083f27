"""Read Response items: their text, kind and identity. Items are never changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, cast

from cairn.conversation.media import label_of
from cairn.ground.codec import canonical
from cairn.ground.session import ResponseItem

_VOLATILE = frozenset({"id", "status", "metadata"})
"""Fields an API or a client adds on the way, so that the same item would differ from itself."""


_THOUGHTS = frozenset({"reasoning", "compaction"})
_OF_CALLS = ("input", "code")
"""What other calls than those of functions have in place of arguments."""
_LONGEST_NAME = 64
_WITHOUT_CONTENT = ("tool_calls", "function_call", "refusal", "audio")
"""What a Chat message of the assistant may have in place of content."""


def message(role: str, text: str, kind: str = "input_text") -> dict[str, Any]:
    """Return a message item with one text part."""
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def text_of(item: ResponseItem) -> str:
    """Return the text that was said or returned in an item, parts joined by newlines; "" where there is none.

    An image or a file is said by its name; what a model thought is not said.
    """
    return "\n".join(_texts(item))


def role_of(item: ResponseItem) -> str:
    """Return who an item is from: its role, or assistant and tool for calls and their results."""
    role = item.get("role")
    if isinstance(role, str):
        return role
    return "tool" if is_result(item) else "assistant"


def says_something(message: ResponseItem) -> bool:
    """Tell whether a message has content, or what the assistant may give in its place."""
    is_content = message.get("content") is not None
    return is_content or (message.get("role") == "assistant" and any(map(message.get, _WITHOUT_CONTENT)))


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


def needs_id(item: ResponseItem) -> bool:
    """Tell whether the item is refused without the id of a call; what a provider answers itself has none."""
    return is_result(item) or item.get("type") == "function_call" or item.get("role") == "tool"


def asked_ids(item: ResponseItem) -> frozenset[str]:
    """Return the ids of the tool calls that the item makes, in the forms of Responses, Chat and Messages."""
    own = [item.get("call_id")] if is_call(item) else []
    chat = [_object(call).get("id") for call in _list(item.get("tool_calls"))]
    return _texts_of([*own, *chat, *_ids_of_parts(item, "tool_use", "id")])


def answered_ids(item: ResponseItem) -> frozenset[str]:
    """Return the ids of the tool calls that the item holds results of, in the same forms."""
    own = [item.get("call_id")] if is_result(item) else []
    chat = [item.get("tool_call_id")] if item.get("role") == "tool" else []
    return _texts_of([*own, *chat, *_ids_of_parts(item, "tool_result", "tool_use_id")])


def is_named(item: ResponseItem) -> bool:
    """Tell whether the client gave the item an id of its own."""
    named = _object(item.get("metadata")).get("item_id")
    return isinstance(named, str) and bool(named)


def identity(item: ResponseItem) -> str:
    """Return metadata.item_id where the client set one, else a hash of what the item says."""
    if is_named(item):
        return f"id:{item['metadata']['item_id']}"
    kept = {name: value for name, value in item.items() if name not in _VOLATILE}
    kept["type"] = kept.get("type", "message")
    if kept["type"] == "message" and _only_text(kept.get("content")):
        kept["content"] = text_of(item)
    return sha256(canonical(kept)).hexdigest()


def _texts(item: ResponseItem) -> Iterable[str]:
    if item.get("type") in _THOUGHTS:
        return
    for name in ("content", "output", "arguments", "summary", *(_OF_CALLS if is_call(item) else ())):
        value = item.get(name)
        if isinstance(value, str):
            yield value
        for part in _list(value):
            yield from _of_part(part)
    if isinstance(item.get("refusal"), str):
        yield item["refusal"]


def _of_part(part: object) -> Iterable[str]:
    held = _object(part)
    text = part if isinstance(part, str) else held.get("text", held.get("refusal"))
    if isinstance(text, str):
        yield text
    elif label := label_of(held):
        yield label


def _ids_of_parts(item: ResponseItem, kind: str, name: str) -> list[object]:
    parts = [_object(part) for part in _list(item.get("content"))]
    return [part.get(name) for part in parts if part.get("type") == kind]


def _texts_of(values: Iterable[object]) -> frozenset[str]:
    return frozenset(value for value in values if isinstance(value, str))


def _only_text(content: object) -> bool:
    return isinstance(content, str) or all(set(_object(part)) == {"type", "text"} for part in _list(content))


def _object(value: object) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
