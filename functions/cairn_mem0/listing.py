"""Of whom there are memories, and how all of somebody's are deleted."""

from __future__ import annotations

import ast
import json
from contextlib import suppress
from typing import Any, Final, cast

from cairn.ground.errors import InvalidArgument
from cairn_mem0 import properties
from cairn_mem0.asked import Asked, mapping, number, taken
from cairn_mem0.entities import KINDS, NAMES, Entity
from cairn_mem0.entries import MOST, known_of, told_of
from cairn_mem0.filters import Filter, parsed
from cairn_mem0.memory_ids import absent
from cairn_mem0.owners import meant

_PAGE: Final = 50
_MOST_LISTED: Final = 1000
_OF_WHOM: Final = frozenset({*NAMES, "filters"})
_PASSED_OVER: Final = frozenset({"org_id", "project_id"})


def entities(asked: Asked) -> dict[str, Any]:
    """Return a page of the users, agents, apps and runs that have memories, with how many."""
    page, size = number(asked.query, "page", 1, _MOST_LISTED), number(asked.query, "page_size", _PAGE, 100)
    listed = _listed(asked)
    some = listed[(page - 1) * size : page * size]
    counts = [asked.asking("memory_list_known", user_id=each["user_id"], limit=1) for each in some]
    asked.together(*counts)
    totals = [len(each.result["facts"]) + len(each.result["memories"]) + each.result["more"] for each in counts]
    results = [_told(each, total) for each, total in zip(some, totals, strict=True) if total]
    return {
        "count": len(listed) - len(some) + len(results),
        "next": f"/v1/entities/?page={page + 1}&page_size={size}" if page * size < len(listed) else None,
        "previous": f"/v1/entities/?page={page - 1}&page_size={size}" if page > 1 else None,
        "results": results,
    }


def _listed(asked: Asked) -> list[dict[str, Any]]:
    found = list[dict[str, Any]]()
    for page in asked.pages("memory_list_users", limit=100):
        found += page["users"]
        if len(found) >= _MOST_LISTED:
            break
    return found


def _told(line: dict[str, Any], total: int) -> dict[str, Any]:
    entity = Entity.of(line["user_id"])
    return {
        "id": entity.name,
        "name": entity.name,
        "type": entity.kind,
        "owner": "",
        "total_memories": total,
        "created_at": line["newest"],
        "updated_at": line["newest"],
    }


def delete_all(asked: Asked) -> dict[str, Any]:
    """Forget the memories that a call names by entities and filters; it has to, whomever the key speaks for."""
    given = taken(asked.query, _OF_WHOM, _PASSED_OVER)
    named = {**given, "filters": _filters(given.get("filters"))}
    if not any(named.values()):
        raise InvalidArgument("user_id", "or agent_id, app_id or run_id is required")
    owners, wanted = meant(asked, named)
    for whose in owners:
        _forget_all(asked, whose, wanted)
    return {"message": "Memories deleted successfully!"}


def delete_entity(asked: Asked) -> dict[str, Any]:
    """Forget all memories of an entity; NotFound where there are none."""
    kind, name = asked.path["type"], asked.path["name"]
    if kind not in KINDS:
        raise InvalidArgument("type", "must be user, agent, app or run")
    if not _forget_all(asked, Entity(kind, name), parsed({f"{kind}_id": name})):
        raise absent()
    return {"message": "Entity deleted successfully!"}


def _forget_all(asked: Asked, whose: Entity, wanted: Filter) -> int:
    """Forget what matches of what is known of an entity, and return how much it was."""
    gone = 0
    while names := _matching(asked, whose, wanted):
        properties.write(asked, whose.user, dict.fromkeys(names))
        for place, name in enumerate(names):
            asked.check_time(len(names) - place)
            asked.ask("forget", user_id=whose.user, memory_id=name)
        gone += len(names)
    return gone


def _matching(asked: Asked, whose: Entity, wanted: Filter) -> list[str]:
    """Return the ids of an entity's memories that match; where all do, those too that clients are not told of."""
    answer = asked.ask("memory_list_known", user_id=whose.user, limit=MOST)
    if wanted.is_owner_alone:
        return [each["id"] for each in (*answer["facts"], *answer["memories"])]
    entries = known_of(whose.user, answer)
    told = told_of(asked, entries)
    return [entry.id for entry, each in zip(entries, told, strict=True) if wanted.matches(each)]


def _filters(given: object) -> dict[str, Any]:
    """Return the filters of a query, which mem0's Python client writes as Python does, and others as JSON."""
    if given is None:
        return {}
    for read in (json.loads, ast.literal_eval):
        with suppress(ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            found = cast("object", read(str(given)))
            return mapping({"filters": found}, "filters")
    raise InvalidArgument("filters", "must be an object")
