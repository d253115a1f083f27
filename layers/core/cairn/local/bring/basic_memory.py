"""Basic Memory's notes: Markdown with front matter, observations `- [category] text` and relations `- how [[note]]`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date, datetime
from pathlib import Path
from typing import Final

from cairn.hooks.reading import Event, text
from cairn.local.bring.found import FoundMemory, Place, Unreadable
from cairn.local.bring.json_files import files, moment
from cairn.local.bring.kept import type_of
from cairn.local.bring.markdown import modified, note, parts, sections

_OBSERVATION: Final = re.compile(r"^\s*[-*] \[(?P<category>[^\]\[]{2,})\](?!\() +(?P<said>.+)$", re.MULTILINE)
_RELATION: Final = re.compile(r"^\s*[-*] (?P<how>[^\[\]]*?)\s*\[\[(?P<other>[^\]]+)\]\](?P<more>.*)$", re.MULTILINE)
_TIMES: Final = ("created", "created_at", "date", "modified")


def read(path: Path) -> Iterator[FoundMemory | Unreadable]:
    """Yield a memory for each observation and relation, and for what else each section of a note says."""
    for file in files(path, "**/*.md"):
        found = note(file)
        if found is None:
            yield Unreadable(Place(file, 1))
        else:
            yield from _note(file, *found)


def _note(file: Path, front: Event, said: str) -> Iterator[FoundMemory]:
    title, at = text(front, "title") or file.stem, _at(front) or modified(file)
    for each in _OBSERVATION.finditer(said):
        for content in parts(f"{title}: {each['said'].strip()}"):
            yield FoundMemory(place=Place(file, 1), content=content, type=type_of(each["category"]), at=at)
    for each in _RELATION.finditer(said):
        words = (title, each["how"].replace("_", " "), each["other"], each["more"].strip())
        yield FoundMemory(place=Place(file, 1), content=" ".join(filter(None, words)), at=at)
    rest = _RELATION.sub("", _OBSERVATION.sub("", said))
    for number, content in sections(rest):
        named = content if content.startswith(title) else f"{title}\n{content}"
        for each in parts(named):
            yield FoundMemory(place=Place(file, number), content=each, at=at)


def _at(front: Event) -> datetime | None:
    """Return when a note was made; YAML has days and times of its own."""
    for name in _TIMES:
        value: object = front.get(name)
        if isinstance(value, date):
            value = value.isoformat()
        if found := moment(value):
            return found
    return None
