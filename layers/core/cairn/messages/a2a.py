"""Agent2Agent: messages with `parts` of a `kind`, and the newer ones with ROLE_USER and parts without."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cairn.conversation.media import media_of
from cairn.messages.field import Field
from cairn.messages.parts import Calls, Message, Part, Text, as_json

_ROLES: Final = {"user": "user", "agent": "assistant", "ROLE_USER": "user", "ROLE_AGENT": "assistant"}
_SHAPE: Final = "must be a part of A2A: text, file or data"


def is_a2a(item: Field) -> bool:
    """Tell whether the item is a message of this protocol, old or new."""
    if "parts" not in item.map() and not (item.get("role").startswith("ROLE_") and item.has("content")):
        return False
    said = item.at("parts", "content")
    of_kinds = said.is_list and any(part.has("kind") for part in said.list())
    return (
        item.get("kind") == "message" or item.get("role").startswith("ROLE_") or item.get("role") == "agent" or of_kinds
    )


def read(item: Field, calls: Calls) -> list[Message]:
    """Return what a message says; data is kept as JSON."""
    del calls  # of which this protocol has none
    role = _ROLES.get(item.get("role"))
    if role is None:
        raise item.at("role").refused("must be user or agent, or ROLE_USER or ROLE_AGENT")
    parts = [part for each in item.at("parts", "content").list("a list of parts") for part in _read(each.object())]
    return [Message(role, tuple(parts))]


def _read(part: Field) -> Iterable[Part]:
    if part.has("text"):
        return [Text(part.at("text").text())]
    if part.has("file", "raw", "url"):
        held = part.at("file").object().map() if part.has("file") else part.map()
        media = media_of(held, "file")
        return [media] if media else []
    if part.has("data"):
        data = part.at("data")
        return [Text(as_json(data.map().get("data", data.value) if len(data.map()) == 1 else data.value))]
    raise part.refused(_SHAPE)
