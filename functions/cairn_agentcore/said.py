"""The turns of a conversation in an event: what a user said and what was answered, for memory to learn from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, cast

_ROLES: Final = {"USER": "user", "ASSISTANT": "assistant"}


@dataclass(frozen=True, slots=True)
class Said:
    """What a user said, and what was answered; either may be missing."""

    inputs: list[dict[str, str]] = field(default_factory=list[dict[str, str]])
    outputs: list[dict[str, str]] = field(default_factory=list[dict[str, str]])


def turns(payload: Sequence[Mapping[str, Any]]) -> list[Said]:
    """Return the turns in an event's payload; what tools and others said, and what is opaque, is in none."""
    found: list[Said] = []
    for role, text in _texts(payload):
        message = {"role": _ROLES[role], "content": text}
        if not found or (role == "USER" and found[-1].outputs):
            found.append(Said())
        (found[-1].inputs if role == "USER" else found[-1].outputs).append(message)
    return found


def _texts(payload: Sequence[Mapping[str, Any]]) -> Iterator[tuple[str, str]]:
    for part in payload:
        said = part.get("conversational")
        if said is not None and said["role"] in _ROLES:
            text = words(said["content"]["text"])
            if text.strip():
                yield said["role"], text


def words(text: str) -> str:
    """Return what a text says; of a message of Strands, which its session manager writes as JSON, its words."""
    if not text.startswith("{"):
        return text
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return text
    message = _mapping(_mapping(value).get("message"))
    content = message.get("content")
    if "role" not in message or not isinstance(content, list):
        return text
    parts = (_mapping(each).get("text") for each in cast("list[object]", content))
    return "\n".join(each for each in parts if isinstance(each, str))


def _mapping(value: object) -> Mapping[str, object]:
    return cast("Mapping[str, object]", value) if isinstance(value, dict) else {}
