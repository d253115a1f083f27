"""mem0's filters: `AND`, `OR` and `NOT` over conditions on a memory's entities, times, words and metadata.

Whose memory is looked at follows from the entities that must hold; what else a filter says is checked on each memory as
a client is told of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from cairn_mem0.conditions import ANY, MISSING, TIMES, condition, refuse
from cairn_mem0.entities import KINDS, NAMES, Entity

Told: TypeAlias = Mapping[str, Any]
Matches: TypeAlias = Callable[[Told], bool]
MOST_OWNERS: Final = 10
_DEEPEST: Final = 8
_FIELDS: Final = {"memory_ids": "id", "keywords": "memory", "metadata": "metadata"} | {
    name: name for name in (*NAMES, *TIMES)
}


@dataclass(frozen=True, slots=True)
class Filter:
    """What a filter says: the names of entities that must hold, by kind, and whether a memory matches.

    `is_owner_alone` says that every memory of the owner matches.
    """

    names: Mapping[str, frozenset[str]]
    matches: Matches
    is_owner_alone: bool = False

    @property
    def owners(self) -> frozenset[Entity] | None:
        """Return whose memory it is about: of all users that it names, or else all agents, apps or runs; or anybody."""
        kind = next((kind for kind in (*KINDS, ANY) if kind in self.names), None)
        if kind is None:
            return None
        if kind == ANY:
            return frozenset(Entity.of(name) for name in self.names[kind])
        return frozenset(Entity(kind, name) for name in self.names[kind])


def parsed(given: Mapping[str, Any], depth: int = 0) -> Filter:
    """Return the filter; InvalidArgument for one that is none or says what no memory here has."""
    if depth > _DEEPEST:
        refuse("nest too deep")
    parts = [_part(name, value, depth) for name, value in given.items()]
    return _all(parts)


def _part(name: str, value: object, depth: int) -> Filter:
    match name:
        case "AND":
            return _all(_several(name, value, depth))
        case "OR":
            return _any(_several(name, value, depth))
        case "NOT":
            alone: list[object] = [value]
            return _none(_several(name, alone if isinstance(value, dict) else value, depth))
        case _:
            return _leaf(name, value)


def _several(name: str, value: object, depth: int) -> list[Filter]:
    if not isinstance(value, list):
        refuse(f"must hold a list under {name}")
    return [_one(name, each, depth) for each in cast("list[object]", value)]


def _one(name: str, value: object, depth: int) -> Filter:
    if not isinstance(value, dict):
        refuse(f"must hold objects under {name}")
    return parsed(cast("dict[str, Any]", value), depth + 1)


def _none(parts: Sequence[Filter]) -> Filter:
    return Filter({}, lambda told: not any(each.matches(told) for each in parts))


def _all(parts: Sequence[Filter]) -> Filter:
    names = dict[str, frozenset[str]]()
    for part in parts:
        for kind, some in part.names.items():
            names[kind] = names[kind] & some if kind in names else some
    alone = all(part.is_owner_alone for part in parts) and len(names) == 1
    return Filter(names, lambda told: all(each.matches(told) for each in parts), alone)


def _any(parts: Sequence[Filter]) -> Filter:
    owners = [part.owners for part in parts]
    named = [some for some in owners if some is not None]
    names = {ANY: frozenset(each.user for some in named for each in some)} if len(named) == len(parts) > 0 else {}
    return Filter(names, lambda told: any(each.matches(told) for each in parts))


def _leaf(name: str, value: object) -> Filter:
    field = _FIELDS.get(name)
    if field is None:
        shown = name.encode("ascii", "replace").decode()[:64]
        refuse(f"must name entities, created_at, updated_at, memory_ids, keywords or metadata, not {shown}")
    if name == "metadata":
        return Filter({}, _holding(_object(name, value), field))
    holds = condition(name, {"in": value} if name == "memory_ids" else value)
    kind = name.removesuffix("_id")
    names = {kind: _named(value)} if kind in KINDS and _named(value) else {}
    return Filter(names, lambda told: holds(told.get(field)), bool(names) and isinstance(value, str))


def _named(value: object) -> frozenset[str]:
    """Return the names of which a condition on an entity wants one."""
    listed: list[object] = [value]
    if isinstance(value, dict):
        given = cast("dict[str, object]", value)
        several = given.get("in")
        listed = cast("list[object]", several) if isinstance(several, list) else [given.get("eq")]
    return frozenset(each for each in listed if isinstance(each, str) and each not in {"", ANY})


def _holding(wanted: Mapping[str, Any], field: str) -> Matches:
    """Return whether an object has each of these keys with a value of its condition."""
    conditions = {key: condition("metadata", value) for key, value in wanted.items()}

    def matches(told: Told) -> bool:
        held = cast("Mapping[str, Any]", told[field])
        return all(holds(held.get(key, MISSING)) for key, holds in conditions.items())

    return matches


def _object(name: str, value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        refuse(f"must hold an object under {name}")
    return cast("Mapping[str, Any]", value)
