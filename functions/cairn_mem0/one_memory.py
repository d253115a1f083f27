"""get, update, delete and history of one memory."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

from cairn.ground.errors import InvalidArgument
from cairn_mem0 import properties
from cairn_mem0.asked import Asked, mapping, taken, text
from cairn_mem0.entities import Entity
from cairn_mem0.entries import EVENTS, Row, words
from cairn_mem0.lineage import Held, changes, held
from cairn_mem0.memory_ids import MemoryName, parsed

_NEW: Final = frozenset({"text", "metadata"})


def get(asked: Asked) -> dict[str, Any]:
    """Return a memory, under the id that was asked for."""
    return held(asked, asked.path["memory_id"]).told()


def update(asked: Asked) -> dict[str, Any]:
    """Say what holds instead, or attach other metadata, and return the memory as it is now."""
    given = taken(asked.body, _NEW)
    if not given:
        raise InvalidArgument("text", "or metadata is required")
    before = held(asked, asked.path["memory_id"])
    change(asked, before, text(given, "text"), mapping(given, "metadata") if "metadata" in given else None)
    return get(asked)


def change(asked: Asked, before: Held, said: str | None, metadata: dict[str, Any] | None) -> None:
    """Correct a memory and attach to what took its place what was attached to it, or other metadata."""
    entry, attached, now = before.entry, before.entry.properties, before.entry.id
    if metadata is not None:
        attached = replace(attached, metadata=metadata)
        properties.check(asked, attached)
    if said is not None:
        now = asked.ask("memory_correct", user_id=entry.user, memory_id=entry.id, content=said)["memory_id"]
    if now != entry.id:
        told = entry.told()
        attached = replace(attached, id=attached.id or entry.id, created_at=told["created_at"], run_id=told["run_id"])
    if now != entry.id or metadata is not None:
        others = {entry.id: None} if now != entry.id else {}
        properties.write(asked, entry.user, {**others, now: attached})


def delete(asked: Asked) -> dict[str, Any]:
    """Forget a memory, and what was attached to it."""
    forget(asked, held(asked, asked.path["memory_id"]))
    return {"message": "Memory deleted successfully!"}


def forget(asked: Asked, found: Held) -> None:
    """Forget a memory, after what was attached to it: who deletes it again after a failure then finds it still."""
    entry = found.entry
    if entry.properties.value():
        properties.write(asked, entry.user, dict.fromkeys({entry.id, *(row["id"] for row in found.rows)}))
    asked.ask("forget", user_id=entry.user, memory_id=entry.id)


def history(asked: Asked) -> list[dict[str, Any]]:
    """Return what became of a memory, the oldest first."""
    name = parsed(asked.path["memory_id"])
    rows = changes(asked, name)
    before = {row["by"]: row for row in rows if row["by"] is not None}
    return [_told(name, row, before.get(row["id"])) for row in reversed(rows) if not _is_replaced(row)]


def _is_replaced(row: Row) -> bool:
    """Tell whether a row is but the end of what another took the place of, which has a row of its own."""
    return row["kind"] in {"forgotten", "ended"} and row["by"] is not None


def _told(name: MemoryName, row: Row, before: Row | None) -> dict[str, Any]:
    """Return what a client is told of a change, which may have taken the place of what another row tells of."""
    event, entity = EVENTS[row["kind"]], Entity.of(name.user)
    said, was = words(row), None if before is None else words(before)
    if event == "DELETE":
        was = said
    elif was is not None:
        event = "UPDATE"
    return {
        "id": f"{row['id']}.{row['kind']}",
        "memory_id": str(name),
        "input": [{"role": "user", "content": row["quote"]}] if row["turn_id"] else [],
        "old_memory": was,
        "new_memory": None if event == "DELETE" else said,
        f"{entity.kind}_id": entity.name,
        "categories": [],
        "event": event,
        "created_at": row["at"],
        "updated_at": row["at"],
    }
