"""Take messages as programs have them: texts, objects of JSON, and the models of vendors' SDKs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol, TypeAlias, runtime_checkable

from cairn.ground.errors import InvalidArgument

Item: TypeAlias = str | dict[str, Any]


@runtime_checkable
class Model(Protocol):
    """A pydantic model, as the SDKs of vendors return their messages."""

    def model_dump(self, *, mode: str, exclude_none: bool) -> dict[str, Any]:
        """Return what it holds as JSON values."""
        ...


Message: TypeAlias = str | Mapping[str, Any] | Model
"""Something said: a message such as {"role": "user", "content": "Hello"}, a vendor's item or model, or a text."""
Messages: TypeAlias = Message | Sequence[Message]


def listed(field: str, messages: Messages) -> list[Item]:
    """Return messages as a list of items; InvalidArgument names the one that is none."""
    if isinstance(messages, (str, Mapping, Model)):
        return [_item(field, messages)]
    return [_item(f"{field}[{place}]", each) for place, each in enumerate(messages)]


def parted(items: Sequence[Item]) -> tuple[list[Item], list[Item]]:
    """Return what was said up to the user's last word, and what the model answered to that."""
    ends = [place for place, item in enumerate(items) if _is_user_s(item)]
    end = ends[-1] + 1 if ends else 0
    return list(items[:end]), list(items[end:])


def _item(field: str, message: object) -> Item:
    if isinstance(message, str):
        return message
    if isinstance(message, Mapping):
        return {**message}
    if isinstance(message, Model):
        return message.model_dump(mode="json", exclude_none=True)
    raise InvalidArgument(field, "must be text, an object such as {'role': 'user', 'content': 'Hello'}, or a model")


def _is_user_s(item: Item) -> bool:
    return isinstance(item, str) or item.get("role") in {"user", "human"} or item.get("type") == "human"
