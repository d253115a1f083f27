"""A memory as most programs export one: its text, whose it is, when it was kept and of which type."""

from __future__ import annotations

from typing import Final, cast, get_args

from cairn.hooks.reading import Event, text
from cairn.local.bring.found import FoundMemory, Place, Unreadable
from cairn.local.bring.json_files import moment, part
from cairn.log.memories import MemoryType

_TYPES: Final[frozenset[str]] = frozenset(get_args(MemoryType))
_TIMES: Final = ("created_at", "create_time", "updated_at", "update_time")


def memory_of(place: Place, entry: Event) -> FoundMemory | Unreadable:
    """Return the memory that an entry is, Unreadable where it says nothing."""
    content = text(entry, "memory", "content", "text")
    if not content:
        return Unreadable(place)
    about = part(entry, "metadata")
    return FoundMemory(
        place=place,
        content=content,
        type=type_of(text(about, "type", "category")),
        at=next((at for name in _TIMES if (at := moment(entry.get(name)))), None),
        user=text(entry, "user_id"),
    )


def type_of(name: str) -> MemoryType:
    """Return the type that another program's name for one is, a fact where it is none."""
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    return cast("MemoryType", plain) if plain in _TYPES else "fact"
