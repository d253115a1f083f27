"""Read attributes of a stored item by type; CorruptData for another type, or a missing one without a default."""

from __future__ import annotations

from datetime import datetime

from cairn.ground import codec
from cairn.ground.errors import CorruptData
from cairn.ground.table import DAMAGED, Attributes


def text(item: Attributes, name: str, default: str | None = None) -> str:
    """Return an attribute that is text."""
    value = _sound(item).get(name, default)
    if not isinstance(value, str):
        raise CorruptData(f"a stored item has no text as its {name}")
    return value


def number(item: Attributes, name: str, default: int | None = None) -> int:
    """Return an attribute that is a whole number."""
    value = _sound(item).get(name, default)
    if not isinstance(value, int):
        raise CorruptData(f"a stored item has no number as its {name}")
    return value


def flag(item: Attributes, name: str) -> bool:
    """Return an attribute that is true or false; a missing one is false."""
    value = _sound(item).get(name, False)
    if not isinstance(value, bool):
        raise CorruptData(f"a stored item has no flag as its {name}")
    return value


def moment(item: Attributes, name: str) -> datetime:
    """Return an attribute that is a moment, as codec.rfc3339() wrote it."""
    try:
        return codec.moment(text(item, name))
    except ValueError as error:
        raise CorruptData(f"a stored item has no moment as its {name}") from error


def _sound(item: Attributes) -> Attributes:
    if DAMAGED in item:
        raise CorruptData("a stored item cannot be read at all")
    return item
