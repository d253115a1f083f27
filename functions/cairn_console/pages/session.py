"""Session: one conversation as it was held, with what memory told the agent in it and what it taught."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any, Final

from cairn.conversation.items import role_of, text_of
from cairn.ground.errors import InvalidArgument, NotFound
from cairn_console.page import Shown, page
from cairn_console.visit import Visit

_ITEMS: Final = 100
_CHANGES: Final = 100
_FACTS: Final = 500
_DEPTH: Final = 2


@page(
    title="Conversation",
    needs=("memory_list_items",),
    asks=("memory_list_dir_with_abstract", "memory_list_changes", "memory_list_known"),
    of="sessions",
)
def session(visit: Visit) -> Shown:
    """Show a conversation turn by turn, the newest page of it first; NotFound where there is none."""
    where = {"project": visit.place()["project"], "session_id": visit.wanted("session")}
    items = visit.asking("memory_list_items", **where, order="newest", cursor=_cursor(visit), limit=_ITEMS, told=True)
    files = visit.asking("memory_list_dir_with_abstract", **where, depth=_DEPTH)
    taught = visit.asking("memory_list_changes", **visit.place(), taught_in=where["session_id"], limit=_CHANGES)
    known = visit.asking("memory_list_known", **visit.place(), limit=_FACTS)
    visit.together(items, files, *([taught, known] if visit.user else []))
    found = items.result
    if not found["items"]:
        raise NotFound("There is no such conversation")
    changes: list[dict[str, Any]] = taught.result["changes"] if visit.user else []
    facts: list[dict[str, Any]] = [*known.result["facts"], *known.result["memories"]] if visit.user else []
    return {
        "session": where["session_id"],
        "turns": _turns(found["items"], found["told"], changes, facts),
        "cursor": found["cursor"],
        "files": files.result["summaries"],
    }


def _cursor(visit: Visit) -> int:
    given = visit.query.get("cursor", "0") or "0"
    if not given.isascii() or not given.isdecimal():
        raise InvalidArgument("cursor", "is none that a page ended with")
    return int(given)


def _turns(
    items: Iterable[Mapping[str, Any]],
    told: Mapping[str, Sequence[str]],
    changes: Iterable[Mapping[str, Any]],
    facts: Iterable[Mapping[str, Any]],
) -> list[dict[str, Any]]:
    """Return the turns, each with its items, what the agent was told for it, and what it taught."""
    taught = defaultdict[str, list[Mapping[str, Any]]](list)
    for each in changes:
        taught[each["turn_id"]].append(each)
    words = {each["id"]: each.get("value") or each.get("content") for each in facts}
    found: list[dict[str, Any]] = []
    for turn_id, of_turn in groupby(items, key=lambda item: item["turn_id"]):
        its = list(of_turn)
        found.append(
            {
                "turn_id": turn_id,
                "at": its[0]["at"],
                "items": [_said(each) for each in its],
                "told": [{"id": name, "words": words.get(name)} for name in told.get(turn_id, ())],
                "taught": list(reversed(taught[turn_id])),
            }
        )
    return found


def _said(line: Mapping[str, Any]) -> dict[str, Any]:
    """Return who said an item, and its text, or all of it as JSON where it has none."""
    item: dict[str, Any] = line["item"]
    role, text = role_of(item), text_of(item)
    speaker = line["user_id"] if role == "user" and line["user_id"] else role.replace("_", " ")
    whole = None if text else json.dumps(item, ensure_ascii=False, indent=1)
    return {"id": line["id"], "role": role, "who": speaker, "text": text or None, "json": whole}
