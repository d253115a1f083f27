"""OpenAI Responses items: what Cairn keeps, as they were sent, unknown fields and all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, cast

from cairn.conversation.items import says_something
from cairn.conversation.roles import PRIVILEGED, STORED, is_privileged
from cairn.messages.content import MEDIA, content, shown
from cairn.messages.field import Field
from cairn.messages.parts import Call, Calls, Message, Part, as_json

SHAPE: Final = (
    "a message has role and content, parts or blocks; a tool call type function_call or function_call_output, as "
    "OpenAI Responses or your framework writes them"
)
_PARTS: Final = frozenset(
    ["input_text", "output_text", "input_image", "input_file", "input_audio", "refusal", "summary_text"]
)
_PLAIN_FIELDS: Final = frozenset(("type", "role", "content", "id", "status", "metadata"))
_KINDS: Final = frozenset(
    ["reasoning", "compaction", "item_reference", "mcp_list_tools", "mcp_approval_request", "mcp_approval_response"]
)
_NEEDED: Final = {"function_call": ("call_id", "name", "arguments"), "function_call_output": ("call_id",)}
"""The texts that an item of each type must have."""


def is_plain(item: Mapping[str, Any]) -> bool:
    """Tell at one look that an item is of the API, as most are, so that no other shape need be tried."""
    kind, said = item.get("type", "message"), item.get("content")
    if kind != "message" or not isinstance(item.get("role"), str):
        return isinstance(kind, str) and kind in _NEEDED and "role" not in item
    if not item.keys() <= _PLAIN_FIELDS:
        return False
    parts = cast("list[Any]", said) if isinstance(said, list) else []
    return isinstance(said, str) or (bool(parts) and all(_is_plain_part(part) for part in parts))


def _is_plain_part(part: object) -> bool:
    return isinstance(part, Mapping) and cast("Mapping[str, Any]", part).get("type") in _PARTS


def is_kept(item: Field) -> bool:
    """Tell whether the item is one of the API, or one that says all it says as those do."""
    kind = item.map().get("type", "message")
    if not isinstance(kind, str) or kind in _KINDS or kind.endswith(("_call", "_call_output")):
        return True
    said = item.map().get("content")
    return not isinstance(said, list) or all(_is_kept_part(part) for part in item.at("content").list())


def check(item: Field) -> None:
    """Raise InvalidArgument, by its place, for what a model could not take or nobody could find."""
    given = item.map()
    kind, role = given.get("type", "message"), given.get("role")
    if not isinstance(kind, str) or not kind.strip():
        raise Field(kind, f"{item.path}.type", 0).refused("must be a string")
    if role is not None and role not in (*STORED, *PRIVILEGED):
        raise item.at("role").refused(f"must be {', '.join(STORED[:-1])} or {STORED[-1]}")
    _check_texts(item)
    if kind == "message":
        _check_message(item)
    elif not (_is_of_the_api(kind) or is_privileged(given) or (role is not None and says_something(given))):
        raise item.at("type").refused(f"is none that can be read: {SHAPE}")
    for name in _NEEDED.get(kind, ()):
        if not isinstance(given.get(name), str):
            raise item.at(name).refused("must be a string" if given.get(name) is not None else "is required")
    if kind == "function_call_output" and not isinstance(given.get("output"), (str, list)):
        raise item.at("output").refused("must be text or a list of content parts")


def said(item: Field) -> list[Message]:
    """Return what an item of the API says; nothing for what a model thought or what only this API knows."""
    given = item.map()
    kind = str(given.get("type") or "message")
    if kind in _KINDS:
        return []
    calls = Calls()
    if kind.endswith("_call_output"):
        return [Message("tool", (calls.answered(item.get("call_id"), "", shown(item.at("output"), calls)),))]
    if kind.endswith("_call"):
        return [Message("assistant", (_call(item, kind),))] if item.get("call_id") else []
    role = item.get("role") or ("developer" if is_privileged(given) else "user")
    parts: Iterable[Part] = content(item.at("content"), calls)
    return [Message(role, tuple(parts), item.get("name"))]


def _call(item: Field, kind: str) -> Call:
    if item.has("arguments", "input"):
        return Call(item.get("call_id"), item.get("name") or kind, as_json(item.at("arguments", "input").value))
    asked = {name: value for name, value in item.map().items() if name not in {"type", "id", "call_id", "status"}}
    return Call(item.get("call_id"), kind.removesuffix("_call"), as_json(asked))


def _is_of_the_api(kind: str) -> bool:
    return kind in _KINDS or kind.endswith(("_call", "_call_output"))


def _is_kept_part(part: Field) -> bool:
    """Tell whether a part is left as it is: one of the API, or one of a type that no vendor uses, with text."""
    kind = part.map().get("type")
    return (
        isinstance(part.value, str)
        or kind in _PARTS
        or (isinstance(kind, str) and kind not in {"text", *MEDIA} and part.has("text"))
    )


def _check_message(item: Field) -> None:
    given = item.map()
    if given.get("role") is None:
        raise item.at("role").refused(f"is required, or a type: {SHAPE}")
    if not says_something(given):
        raise item.at("content").refused(f"is required: {SHAPE}")


def _check_texts(item: Field) -> None:
    for name in ("content", "output", "arguments", "summary", "input"):
        value = item.map().get(name)
        if isinstance(value, str):
            item.at(name).text()
        elif isinstance(value, list):
            for part in item.at(name).list():
                _check_part(part)
        elif name == "content" and value is not None:
            raise item.at(name).refused("must be text or a list of content parts")


def _check_part(part: Field) -> None:
    if isinstance(part.value, str):
        part.text()
    elif part.object().has("text"):
        part.at("text").text()
