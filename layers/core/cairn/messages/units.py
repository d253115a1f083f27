"""Take items apart into the single things that they say, in a form that survives every format and back.

A vendor's API may want two messages of one speaker as one, and knows no fields but its own. What was said stays the
same, part by part.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, cast

from cairn.conversation.media import Media
from cairn.ground.codec import canonical
from cairn.ground.session import ResponseItem
from cairn.messages.dialogue import wire_id
from cairn.messages.parts import Call, Part, Result, objects
from cairn.messages.reading import understood


def units_of(item: ResponseItem) -> tuple[str, ...]:
    """Return a name for each thing that an item says; none for a picture without a name, nor for a thought."""
    return tuple(
        name for message in understood(dict(item)) for part in message.parts if (name := _name(message.role, part))
    )


def parts_of(item: ResponseItem) -> list[Any]:
    """Return the content parts of an item, if it is a message of several; no part otherwise."""
    content: object = item.get("content")
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    return parts if len(parts) > 1 else []


def with_parts(item: ResponseItem, parts: Sequence[Any]) -> ResponseItem:
    """Return the item with these content parts alone."""
    return {**item, "content": list(parts)}


def without_units(item: ResponseItem, count: int) -> ResponseItem:
    """Return a message without the parts that say its first `count` things."""
    parts = parts_of(item)
    for at in range(len(parts) + 1):
        if len(units_of(with_parts(item, parts[:at]))) == count:
            return with_parts(item, parts[at:])
    return item


def _name(role: str, part: Part) -> str:
    if isinstance(part, Call):
        return _hash("call", wire_id(part.id), dict(objects(part.arguments)))
    if isinstance(part, Result):
        return _hash("result", wire_id(part.id), part.text.strip())
    text = (part.label if isinstance(part, Media) else part.text).strip()
    return _hash("said", role, text) if text else ""


def _hash(*what: object) -> str:
    return sha256(canonical(what)).hexdigest()
