"""Which memory an id leads to: that which is believed or kept now of what the id was given for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from cairn_mem0 import properties
from cairn_mem0.asked import Asked
from cairn_mem0.entries import MOST, Entry, Row, known_of, words
from cairn_mem0.memory_ids import MemoryName, absent, parsed


class Held(NamedTuple):
    """A memory that is held, all changes that led to it, the newest first, and the id that was asked for."""

    entry: Entry
    rows: Sequence[Row]
    asked_for: MemoryName

    def told(self) -> dict[str, Any]:
        """Return what a client is told, under the id that it knows."""
        return {**self.entry.told(), "id": str(self.asked_for)}


def changes(asked: Asked, name: MemoryName) -> list[Row]:
    """Return all that became of what an id was given for, the newest first; NotFound where there is nothing."""
    pages = asked.pages("memory_list_changes", user_id=name.user, memory_id=name.id, limit=100)
    found: list[Row] = [row for page in pages for row in page["changes"]]
    if not found:
        raise absent()
    return found


def held(asked: Asked, given: object) -> Held:
    """Return the memory that an id leads to; NotFound where it was let go of."""
    name = parsed(given)
    listed = asked.asking("memory_list_known", user_id=name.user, limit=MOST)
    found = asked.asking("memory_list_changes", user_id=name.user, memory_id=name.id, limit=100)
    asked.together(found, listed)
    rows: list[Row] = found.result["changes"]
    now = next((row for row in rows if row["believed"]), None)
    if now is None:
        raise absent()
    known = next((each for each in known_of(name.user, listed.result) if each.id == now["id"]), None)
    entry = known or _of_row(name.user, now)
    before = [row["id"] for row in rows if row["by"] == now["id"] and not now["turn_id"]]
    attached = properties.read(asked, name.user, [now["id"], *before[:1]])
    # A correction of which the answer was lost may not have taken along yet what was attached.
    own = attached.get(now["id"]) or next(iter(attached.values()), properties.NOTHING)
    return Held(replace(entry, properties=own), rows, name)


def _of_row(user: str, row: Row) -> Entry:
    """Return a memory that is older than those that are listed."""
    return Entry(user=user, id=row["id"], memory=words(row), at=row["at"], session=row["session_id"])
