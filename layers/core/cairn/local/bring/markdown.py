"""Read Markdown notes: their front matter, and their text in parts that are short enough to be memories."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, cast

import yaml

from cairn.memories.model import MAX_CONTENT_BYTES

_FRONT: Final = re.compile(r"\A---\r?\n(?P<front>.*?)\r?\n---[ \t]*(?:\r?\n|\Z)", re.DOTALL)
_HEADING: Final = re.compile(r"#{1,6}\s+(?P<said>.+?)\s*#*")
_FENCE: Final = ("```", "~~~")


def note(file: Path) -> tuple[Mapping[str, Any], str] | None:
    """Return a note's front matter and its text, None where the file cannot be read or the front matter is no YAML."""
    try:
        whole = file.read_text(encoding="utf-8-sig")
        front = _FRONT.match(whole)
        found: object = yaml.safe_load(front["front"]) if front else {}
    except (OSError, UnicodeDecodeError, yaml.YAMLError):
        return None
    fields: Mapping[str, Any] = cast("Mapping[str, Any]", found) if isinstance(found, dict) else {}
    return fields, whole[front.end() :] if front else whole


def sections(text: str) -> Iterator[tuple[int, str]]:
    """Yield what stands below each heading with the heading before it, and the number of its first line.

    One that is too long for a memory comes in parts.
    """
    start, heading, lines, is_code = 1, "", list[str](), False
    for number, line in enumerate(text.splitlines(), 1):
        is_code ^= line.lstrip().startswith(_FENCE)
        found = None if is_code else _HEADING.fullmatch(line)
        if found is None:
            lines.append(line)
            continue
        yield from ((start, each) for each in parts("\n".join(lines), heading))
        start, heading, lines = number, found["said"], []
    yield from ((start, each) for each in parts("\n".join(lines), heading))


def parts(text: str, heading: str = "") -> list[str]:
    """Return a text in parts that are short enough to be memories, each after the heading; none where it is blank.

    It is parted between paragraphs, where one is too long between lines, and else wherever that has to be.
    """
    opening = f"{heading}\n" if heading else ""
    room = MAX_CONTENT_BYTES - len(opening.encode())
    if room < MAX_CONTENT_BYTES // 2:  # a heading as long as a paragraph is one
        opening, room, text = "", MAX_CONTENT_BYTES, f"{heading}\n{text}"
    return [f"{opening}{each}" for each in _filled(text.strip(), room, ("\n\n", "\n", " ", "")) if each.strip()]


def _filled(text: str, room: int, separators: tuple[str, ...]) -> Iterator[str]:
    """Yield pieces of at most so many bytes, parted at the first separator, or the next where that does not do."""
    if len(text.encode()) <= room:
        yield text
        return
    separator, *others = separators
    held = ""
    for piece in text.split(separator) if separator else text:
        joined = f"{held}{separator}{piece}" if held else piece
        if len(joined.encode()) <= room:
            held = joined
            continue
        *full, held = [*([held] if held else []), *_filled(piece, room, tuple(others))]
        yield from full
    if held:
        yield held


def modified(file: Path) -> datetime | None:
    """Return when a file was last written, None where it is gone."""
    try:
        return datetime.fromtimestamp(file.stat().st_mtime, UTC)
    except OSError:
        return None
