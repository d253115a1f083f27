"""Read a session's conversation back, as it was stored, from the files that show it."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final, TypeAlias

from cairn.client.answers import Said
from cairn.ground.errors import NotFound

Ask: TypeAlias = Callable[[Mapping[str, Any]], Mapping[str, Any]]
"""Asks memory_list_dir_with_abstract about the session."""
_DAY: Final = re.compile(r".*/events/(raw|archive)/(\d{4})/(\d\d)/(\d\d)")
_MOST_DIRECTORIES: Final = 1000


def said(ask: Ask, limit: int | None) -> tuple[Said, ...]:
    """Return the newest `limit` items of a session, all unless told, in the order in which they were said."""
    found: deque[Said] = deque()
    for path in _files(ask):
        found.extendleft(reversed([_said(line) for line in _lines(ask, path)]))
        if limit is not None and len(found) >= limit:
            break
    return tuple(found)[-limit:] if limit else tuple(found)


def _files(ask: Ask) -> list[str]:
    """Return the files of what was said, the newest first; a day's archive is of before the rest of the day."""
    try:
        listed = ask({"path": "events", "limit": _MOST_DIRECTORIES})["summaries"]
    except NotFound:
        return []
    days = [found for each in listed if (found := _DAY.fullmatch(each["path"]))]
    files = [(year + month + day, kind, f"{match[0]}") for match in days for kind, year, month, day in [match.groups()]]
    ends = {"raw": "jsonl", "archive": "jsonl.zst"}
    return [f"{path}/log-{day}.{ends[kind]}" for day, kind, path in sorted(files, reverse=True)]


def _lines(ask: Ask, path: str) -> Iterator[Mapping[str, Any]]:
    text, offset = "", 0
    while True:
        page = ask({"path": path, "content": True, "offset": offset})
        text += page["content"]
        offset = page.get("next_offset")
        if offset is None:
            return (json.loads(line) for line in text.split("\n") if line)


def _said(event: Mapping[str, Any]) -> Said:
    from cairn.conversation.items import name_of, role_of, text_of  # noqa: PLC0415 - not every program reads it back

    item = event["item"]
    return Said(
        id=event["id"],
        who=next(iter(name_of(item)), role_of(item)),
        content=text_of(item),
        when=datetime.fromisoformat(event["ts"]),
        turn_id=event["turn_id"],
        user=event["user_id"],
        item=item,
    )
