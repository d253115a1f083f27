"""Read fields of an agent's event. What an agent sends changes with its versions: what is missing is empty."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeAlias, cast

Event: TypeAlias = Mapping[str, Any]


def text(event: Event, *names: str) -> str:
    """Return the first of these fields that is a text which says something, "" where none is."""
    return next((value for name in names if isinstance(value := event.get(name), str) and value.strip()), "")


def text_or_none(event: Event, *names: str) -> str | None:
    """Return the first of these fields that is a text which says something, None where none is."""
    return text(event, *names) or None


def events(event: Event, name: str) -> list[Event]:
    """Return the objects in a list of the event."""
    value = event.get(name)
    listed = cast("list[Any]", value) if isinstance(value, list) else []
    return [cast("Event", each) for each in listed if isinstance(each, Mapping)]
