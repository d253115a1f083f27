"""The closed list of roles. What is stored has one of three, so that nothing from storage is an instruction to a model.

A system or developer item is the caller's own instruction: it may stand in the call that it is sent in, and is never
kept. What older code kept with such a role, or with one that no model knows, is read back as quoted data.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Final, cast

from cairn.conversation.items import message, says_something, text_of
from cairn.ground.session import ResponseItem

STORED: Final = ("user", "assistant", "tool")
"""Who speaks in what is stored."""
PRIVILEGED: Final = ("system", "developer")
"""Whom a model obeys."""
OTHER: Final = "other"
"""How data names a speaker that is none of those stored."""

_QUOTE: Final = '{"kind":"stored_item","untrusted":true,"item":'
_ESCAPES: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def is_privileged(item: ResponseItem) -> bool:
    """Tell whether a model would obey the item: by its role, or by a type that some APIs have in place of a role."""
    return any(_is_obeyed(item.get(name)) for name in ("role", "type"))


def conversation(items: Iterable[ResponseItem]) -> tuple[ResponseItem, ...]:
    """Return the items that may be stored, in their order: all but the caller's instructions."""
    return tuple(item for item in items if not is_privileged(item))


def as_stored(item: ResponseItem) -> ResponseItem:
    """Return a stored item as it is, or quoted in a user's message where a model could not take it or would obey it."""
    role, kind = item.get("role"), item.get("type", "message")
    is_whole = says_something(item) if kind == "message" else isinstance(kind, str)
    is_known = role in STORED if kind == "message" else role in (None, *STORED)
    if is_known and is_whole and not is_privileged(item) and not _names_privileged(item):
        return item
    return message("user", f"{_QUOTE}{json.dumps(item, separators=(',', ':')).translate(_ESCAPES)}}}")


def is_quoted(item: ResponseItem) -> bool:
    """Tell whether as_stored() quoted the item."""
    return item.get("role") == "user" and text_of(item).startswith(_QUOTE)


def speaker(role: str) -> str:
    """Return the role as data shows it."""
    return role if role in STORED else OTHER


def _is_obeyed(value: object) -> bool:
    return isinstance(value, str) and value.strip().lower() in PRIVILEGED


def _names_privileged(item: ResponseItem) -> bool:
    """Tell whether anything within the item has such a role: some vendors' items hold messages."""
    waiting: list[object] = [item]
    while waiting:
        node = waiting.pop()
        if isinstance(node, Mapping):
            held = cast("Mapping[str, object]", node)
            if _is_obeyed(held.get("role")):
                return True
            waiting.extend(held.values())
        elif isinstance(node, list):
            waiting.extend(cast("list[object]", node))
    return False
