"""mem0's memories, as `Memory.get_all` of 2.2.1 returns them, saved as JSON: a list, or a list under `results`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cairn.local.bring.entries import entries
from cairn.local.bring.found import FoundMemory, Unreadable
from cairn.local.bring.json_files import files
from cairn.local.bring.kept import memory_of


def read(path: Path) -> Iterator[FoundMemory | Unreadable]:
    """Yield every memory in the JSON files below a path."""
    for file in files(path, "*.json"):
        for entry in entries(file, "results", "memories"):
            yield entry if isinstance(entry, Unreadable) else memory_of(*entry)
