"""The file of MCP's reference memory server, 2026.8.31: a line for each entity and each relation, without times."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from cairn.hooks.reading import Event, text
from cairn.local.bring.found import FoundMemory, Unreadable
from cairn.local.bring.json_files import files, lines


def read(path: Path) -> Iterator[FoundMemory | Unreadable]:
    """Yield a memory for each observation, for each entity without any, and for each relation."""
    for file in files(path, "memory*.json", "memory*.jsonl"):
        for line in lines(file):
            if isinstance(line, Unreadable):
                yield line
                continue
            place, told = line
            said = list(_said(told))
            yield from (FoundMemory(place=place, content=each) for each in said)
            if not said:
                yield Unreadable(place)


def _said(told: Event) -> Iterator[str]:
    name, kind = text(told, "name"), text(told, "entityType")
    match text(told, "type"):
        case "entity" if name:
            listed: Any = told.get("observations")
            found = cast("list[object]", listed) if isinstance(listed, list) else []
            observations = [each for each in found if isinstance(each, str) and each.strip()]
            called = f"{name} ({kind})" if kind else name
            yield from (f"{called}: {each}" for each in observations)
            if not observations:
                yield called
        case "relation" if text(told, "from") and text(told, "to"):
            how = text(told, "relationType").replace("_", " ")
            yield " ".join(filter(None, (text(told, "from"), how, text(told, "to"))))
        case _:
            pass
