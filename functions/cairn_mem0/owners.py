"""Whose memory a call is about, and which of it: by its filters, its entities and its key."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cairn.ground.errors import InvalidArgument
from cairn_mem0.asked import Asked, mapping
from cairn_mem0.entities import Entity, named
from cairn_mem0.filters import MOST_OWNERS, Filter, parsed


def meant(asked: Asked, given: Mapping[str, object], *more: dict[str, Any]) -> tuple[Sequence[Entity], Filter]:
    """Return whose memory is meant, and which of it, by the options `filters`, `user_id` and the like, and by more.

    Where no user is named it is that of the key, if it speaks for one; InvalidArgument where that leaves nobody.
    """
    entities = {f"{kind}_id": name for kind, name in named(given).items()}
    parts = [each for each in (mapping(given, "filters"), entities, *more) if each]
    wanted = parsed({"AND": parts})
    if asked.user is not None and "user" not in wanted.names:
        own = Entity.of(asked.user)
        wanted = parsed({"AND": [{f"{own.kind}_id": own.name}, *parts]})
    if wanted.owners is None:
        raise InvalidArgument("filters", "must name the user_id, agent_id, app_id or run_id whose memory is meant")
    if len(wanted.owners) > MOST_OWNERS:
        raise InvalidArgument("filters", f"must name at most {MOST_OWNERS} of them")
    return sorted(wanted.owners), wanted
