"""Take from a value the texts by which its document is searched.

A path is names joined by dots, each with places of a list behind it, such as `text`, `a.b[*].c`, `a[0]` or `a[-1]`;
`*` stands for any name, and `$` for the whole value.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, cast

from cairn.documents.model import Index
from cairn.ground.errors import InvalidArgument

MAX_TEXT_CHARACTERS: Final = 4000
"""How long a text is that is ranked as one: some 700 words. A longer one is cut into several."""
MOST_TEXTS: Final = 16
"""How many texts of one document are searched."""
WHOLE: Final = "$"
_STEP = re.compile(r"(?P<name>[^.\[\]]+)|\[(?P<place>\*|-?\d{1,6})\]")
_PATH = re.compile(r"[^.\[\]]+(?:\[(?:\*|-?\d{1,6})\])*(?:\.[^.\[\]]+(?:\[(?:\*|-?\d{1,6})\])*)*")


def check_path(path: str, where: str) -> None:
    """Raise InvalidArgument where this is no path."""
    if not _PATH.fullmatch(path):
        raise InvalidArgument(where, "must be names joined by dots, such as text or a.b[*].c, or $")


def texts_of(value: Any, index: Index) -> list[str]:
    """Return the texts of a value by which it is searched, none where nothing of it is."""
    if index is False:
        return []
    found = ["\n".join(_leaves(value))] if index is None else _at_paths(value, index)
    pieces = (text[at : at + MAX_TEXT_CHARACTERS] for text in found for at in range(0, len(text), MAX_TEXT_CHARACTERS))
    return list(islice((piece for piece in pieces if piece.strip()), MOST_TEXTS))


def _at_paths(value: Any, paths: Sequence[str]) -> list[str]:
    return ["\n".join(_leaves(part)) for path in paths for part in _parts(value, path)]


def _parts(value: Any, path: str) -> Iterable[Any]:
    """Return what stands at a path, nothing where there is nothing."""
    found: Iterable[Any] = [value]
    if path == WHOLE:
        return found
    for step in _STEP.finditer(path):
        found = [part for each in found for part in _step(each, step["name"], step["place"])]
    return found


def _step(value: Any, name: str | None, place: str | None) -> Sequence[Any]:
    if name is not None:
        if not isinstance(value, dict):
            return ()
        fields = cast("dict[str, Any]", value)
        return list(fields.values()) if name == "*" else [fields[name]] if name in fields else ()
    if not isinstance(value, list):
        return ()
    items = cast("list[Any]", value)
    if place == "*":
        return items
    number = int(place or "0")
    return [items[number]] if -len(items) <= number < len(items) else ()


def _leaves(value: Any) -> Iterator[str]:
    """Yield the texts and numbers in a value, in their order."""
    if isinstance(value, dict):
        for part in cast("dict[str, Any]", value).values():
            yield from _leaves(part)
    elif isinstance(value, list):
        for part in cast("list[Any]", value):
            yield from _leaves(part)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
