"""Say in words what tools tell: turns of a conversation and what is known, one line for each thing that was said.

Only headings and speakers stand at the beginning of a line: line breaks within a text are indented, so that nothing in
it can pass for another speaker.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import groupby
from typing import Any, Final

from cairn.context.rendering import plain, words_of
from cairn.conversation.items import is_call, role_of, text_of
from cairn_mcp.reader import Reader

_ITEMS_AT_ONCE: Final = 50


def turns(reader: Reader, project: str, session: str, before: int) -> Iterator[tuple[int, str]]:
    """Yield a conversation's turns by number as text, the newest first; with a number only those before it."""
    cursor: int | None = before
    while cursor is not None:
        named = {"project": project, "session_id": session, "order": "newest"}
        told = reader.told("memory_list_items", **named, cursor=cursor, limit=_ITEMS_AT_ONCE)
        if told is None:
            return
        grouped = [(number, list(items)) for number, items in groupby(told["items"], lambda item: item["turn"])]
        for number, items in reversed(grouped):
            yield number, _turn(number, items)
        cursor = told["cursor"]


def known_lines(told: Mapping[str, Any], about: Collection[str] | None = None) -> list[str]:
    """Return a line for each memory and fact that memory_list_known tells, or for those of certain kinds."""
    kept = [(each["type"], each["content"], each) for each in told["memories"]]
    facts = [(each["about"], each["value"], each) for each in told["facts"]]
    return [
        one_line(f"{kind}: {value} ({each['since'][:10]})")
        for kind, value, each in (*kept, *facts)
        if about is None or kind in about
    ]


def one_line(text: str) -> str:
    """Return a text in one line, without what is not seen."""
    return " ".join(plain(text).split())


def _turn(number: int, items: list[Mapping[str, Any]]) -> str:
    first = items[0]
    by = f", {one_line(first['user_id'])}" if first["user_id"] else ""
    lines = [_line(each["item"]) for each in items]
    return "\n\n".join([f"## Turn {number}{by}, {first['at'][:19]}Z", *lines])


def _line(item: Mapping[str, Any]) -> str:
    """Return who said what; of a tool call its name and arguments, of what has no text its kind."""
    kind, text = item.get("type", "message"), text_of(item)
    said = f"calls {item.get('name', kind)} {text}" if is_call(item) else text or f"[{kind}]"
    return f"{one_line(role_of(item))}: {words_of(said)}"
