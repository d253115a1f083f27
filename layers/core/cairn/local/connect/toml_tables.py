"""Put one table into a TOML text, or take it out; what comes of it is read again, so that nothing else changed."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

_HEADER: Final = re.compile(r"^[ \t]*\[", re.MULTILINE)


def table_of(text: str, path: Sequence[str]) -> dict[str, Any] | None:
    """Return the table at a path of names, None where there is none; TOMLDecodeError for what is no TOML."""
    found: Any = tomllib.loads(text)
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return found if isinstance(found, dict) else None  # pyright: ignore[reportUnknownVariableType]


def put_table(text: str, path: Sequence[str], values: Mapping[str, str]) -> str:
    """Return the text with these values as the table; tables under headers in it stay. ValueError without a header."""
    now = table_of(text, path)
    if now is not None and all(now.get(name) == value for name, value in values.items()):
        return text
    nested = {name: value for name, value in (now or {}).items() if _has_header(text, (*path, name))}
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join(
        [
            f"[{'.'.join(path)}]",
            *(f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in values.items()),
            "",
        ]
    )
    if now is None:
        changed = added(text, block)
    else:
        start, end = _span(text, path)
        kept = text[start:end]
        changed = text[:start] + block + kept[len(kept.rstrip()) :].removeprefix(newline) + text[end:]
    return _checked(text, changed, path, lambda tables, name: tables.update({name: {**values, **nested}}))


def take_table(text: str, path: Sequence[str]) -> str:
    """Return the text without the table and the tables in it. ValueError where it is not a table of its own."""
    if table_of(text, path) is None:
        return text
    changed = text
    while (nested := _nested(changed, path)) is not None:
        start, end = _span(changed, nested)
        before, after = changed[:start], changed[end:]
        changed = (before if after else f"{before.rstrip()}\n" if before.strip() else "") + after
    return _checked(text, changed, path, lambda tables, name: tables.pop(name))


def added(text: str, block: str) -> str:
    """Return the text with a table's at its end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return f"{text}{gap}{block}"


def block_of(text: str, path: Sequence[str]) -> str:
    """Return the text of a table with its header; ValueError where it has none."""
    start, end = _span(text, path)
    return text[start:end]


def _nested(text: str, path: Sequence[str]) -> tuple[str, ...] | None:
    """Return the name of the first table header that is the path's or of a table in it."""
    prefix = re.escape(".".join(path))
    found = re.search(rf"^[ \t]*\[({prefix}(?:\.[^\]\n]+)?)\]", text, re.MULTILINE)
    return None if found is None else (found[1],)


def _span(text: str, path: Sequence[str]) -> tuple[int, int]:
    """Return where a table stands with its header: up to the next header."""
    header = re.search(rf"^[ \t]*\[{re.escape('.'.join(path))}\][^\n]*\n?", text, re.MULTILINE)
    if header is None:
        raise ValueError(f"{'.'.join(path)} is there, but not under a header of its own")
    following = _HEADER.search(text, header.end())
    return header.start(), len(text) if following is None else following.start()


def _checked(text: str, changed: str, path: Sequence[str], change: Callable[[dict[str, Any], str], object]) -> str:
    expected: dict[str, Any] = tomllib.loads(text)
    owner = expected
    for name in path[:-1]:
        owner = owner.setdefault(name, {})
    change(owner, path[-1])
    if _pruned(tomllib.loads(changed), path) != _pruned(expected, path):
        raise ValueError(f"{'.'.join(path)} cannot be changed without touching something else")
    return changed


def _pruned(tables: dict[str, Any], path: Sequence[str]) -> dict[str, Any]:
    """Drop the outermost table of a path where it is empty: it is there as long as something is in it."""
    return {name: value for name, value in tables.items() if name != path[0] or value}


def _has_header(text: str, path: Sequence[str]) -> bool:
    return re.search(rf"^[ \t]*\[{re.escape('.'.join(path))}[\].]", text, re.MULTILINE) is not None
