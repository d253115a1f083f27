"""batch_update and batch_delete: several memories, each as by a call of its own, all found before one is changed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, cast

from cairn.ground.errors import InvalidArgument
from cairn_mem0.asked import Asked, mapping, taken, text
from cairn_mem0.lineage import Held, held
from cairn_mem0.one_memory import change, forget

_MOST: Final = 100
_NEW: Final = frozenset({"memory_id", "text", "metadata"})


def update(asked: Asked) -> dict[str, Any]:
    """Say of each what holds instead."""
    found = _found(asked, _NEW)
    texts = [(before, text(given, "text"), given) for before, given in found]
    for place, (before, said, given) in enumerate(texts):
        asked.check_time(len(texts) - place)
        change(asked, before, said, mapping(given, "metadata") if "metadata" in given else None)
    return {"message": f"Successfully updated {len(texts)} memories"}


def delete(asked: Asked) -> dict[str, Any]:
    """Forget each."""
    found = _found(asked, frozenset({"memory_id"}))
    for place, (before, _) in enumerate(found):
        asked.check_time(len(found) - place)
        forget(asked, before)
    return {"message": f"Successfully deleted {len(found)} memories"}


def _found(asked: Asked, known: frozenset[str]) -> list[tuple[Held, Mapping[str, object]]]:
    """Return the memories that a call names, with what it says of each; NotFound where one is not there."""
    listed = asked.body.get("memories")
    entries = cast("list[object]", listed) if isinstance(listed, list) else []
    if not 0 < len(entries) <= _MOST or not all(isinstance(each, dict) for each in entries):
        raise InvalidArgument("memories", f"must be a list of 1 to {_MOST} objects, each with its memory_id")
    given = [taken(cast("dict[str, object]", each), known) for each in entries]
    return [(held(asked, each.get("memory_id")), each) for each in given]
