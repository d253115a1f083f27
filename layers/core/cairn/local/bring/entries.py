"""Read the entries of a JSON document: those of a list, which the document is or holds under a name."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import cast

from cairn.hooks.reading import Event
from cairn.local.bring.found import Place, Unreadable
from cairn.local.bring.json_files import document


def entries(file: Path, *names: str) -> Iterator[tuple[Place, Event] | Unreadable]:
    """Yield each entry, by its number; a document without such a list is one unreadable entry."""
    whole = document(file)
    if isinstance(whole, dict):
        held = cast("Event", whole)
        whole = next((held[name] for name in names if isinstance(held.get(name), list)), None)
    if not isinstance(whole, list):
        yield Unreadable(Place(file, 1))
        return
    for number, entry in enumerate(cast("list[object]", whole), 1):
        place = Place(file, number)
        yield (place, cast("Event", entry)) if isinstance(entry, dict) else Unreadable(place)
