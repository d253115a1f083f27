"""A memory as a client is told of it: a fact that is believed, or what was kept as one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final, TypeAlias

from cairn.log.memories import scope_of
from cairn_mem0.asked import Asked
from cairn_mem0.entities import Entity
from cairn_mem0.memory_ids import MemoryName
from cairn_mem0.properties import NOTHING, Properties, read

Row: TypeAlias = Mapping[str, Any]
"""A fact or a change of one, as the tools tell it."""
EVENTS: Final = {"learnt": "ADD", "kept": "ADD", "replaced": "UPDATE", "ended": "DELETE", "forgotten": "DELETE"}
"""What a client is told that a change of each kind was."""
TYPE: Final = "fact"
"""What is told and found: facts, and memories that were kept as facts; decisions, rules and lessons are agents' own."""
MOST: Final = 500
"""How many facts, and how many memories, a client is told of, the newest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A memory: whose it is and its id in Cairn, its words, when it was learnt, in which session, what is attached."""

    user: str
    id: str
    memory: str
    at: str
    session: str = ""
    properties: Properties = NOTHING

    @property
    def moment(self) -> datetime:
        """Return when it was learnt."""
        return datetime.fromisoformat(self.at)

    @property
    def name(self) -> str:
        """Return the id that a client knows it by."""
        return str(MemoryName(self.user, self.properties.id or self.id))

    def told(self) -> dict[str, Any]:
        """Return what a client is told."""
        entity, attached = Entity.of(self.user), self.properties
        run = self.session if self.session != entity.session else ""
        names = {"user_id": None, "agent_id": attached.agent_id, "app_id": attached.app_id}
        return {
            "id": self.name,
            "memory": self.memory,
            **names,
            "run_id": attached.run_id or run or None,
            f"{entity.kind}_id": entity.name,
            "metadata": dict(attached.metadata),
            "categories": [],
            "created_at": attached.created_at or self.at,
            "updated_at": self.at,
        }


def words(row: Row, field: str = "value") -> str:
    """Return what a fact or memory says: its value alone where that is what was said or what a person wrote."""
    value: str = row[field]
    return value if scope_of(row["id"]) is not None or value == row["quote"] else f"{row['about']}: {value}"


def known_of(user: str, answer: Mapping[str, Any]) -> list[Entry]:
    """Return the memories in an answer of memory_list_known, the newest first."""
    facts = [
        Entry(
            user=user,
            id=each["id"],
            memory=words(each),
            at=each["since"],
            session=each["session_id"],
        )
        for each in answer["facts"]
    ]
    kept = [
        Entry(user=user, id=each["id"], memory=each["content"], at=each["since"], session=each["session_id"])
        for each in answer["memories"]
        if each["type"] == TYPE
    ]
    return sorted([*facts, *kept], key=lambda each: each.moment, reverse=True)


def told_of(asked: Asked, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Return what a client is told of memories, with what is attached to them."""
    attached = {
        user: read(asked, user, [each.id for each in entries if each.user == user])
        for user in {each.user for each in entries}
    }
    return [replace(each, properties=attached[each.user].get(each.id, NOTHING)).told() for each in entries]
