"""What Claude Code keeps in words: `CLAUDE.md` files, and its memory, `projects/<folder>/memory/*.md`.

A note of the memory may say of itself what it is about: of the user, of how the user wants things done, of the project,
or of where to look things up. `MEMORY.md` lists the others; of it those lines are read that name no other note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from cairn.hooks.reading import text
from cairn.local.bring.found import FoundMemory, Place, Unreadable
from cairn.local.bring.json_files import files, lines, part
from cairn.local.bring.markdown import modified, note, parts, sections
from cairn.log.memories import MemoryType

_TYPES: Final[Mapping[str, MemoryType]] = {"feedback": "agent_rule"}
_FILES: Final = ("CLAUDE.md", ".claude/CLAUDE.md", "projects/*/memory/*.md", "memory/*.md")
_OF_USER: Final = ("user", "feedback")
_INDEX: Final = "MEMORY.md"
_NAMES_A_NOTE: Final = re.compile(r"^\s*[-*] \[[^\]]*\]\([^)]*\.md\).*$", re.MULTILINE)


def read(path: Path) -> Iterator[FoundMemory | Unreadable]:
    """Yield what the files of a folder say: of Claude Code's own what it keeps in all, of another what holds there."""
    for file in files(path, *_FILES):
        found = note(file)
        if found is None:
            yield Unreadable(Place(file, 1))
        elif file.parent.name == "memory":
            yield from _kept(file, *found)
        else:
            yield from _instructions(file, found[1])


def _instructions(file: Path, said: str) -> Iterator[FoundMemory]:
    is_own = file.parent.parent == Path.home() or (file.parent / "projects").is_dir()
    is_of_user = file.parent.name == ".claude" and is_own
    folder = file.parent.parent if file.parent.name == ".claude" else file.parent
    for number, content in sections(said):
        yield FoundMemory(
            place=Place(file, number),
            content=content,
            at=modified(file),
            folder="" if is_of_user else str(folder.absolute()),
            of_project=not is_of_user,
        )


def _kept(file: Path, front: Mapping[str, Any], said: str) -> Iterator[FoundMemory]:
    kind = text(front, "type") or text(part(front, "metadata"), "type")
    heading = text(front, "description") or text(front, "name").replace("_", " ")
    if file.name == _INDEX:
        said = _NAMES_A_NOTE.sub("", said)
    for number, content in ((number, each) for number, below in sections(said) for each in parts(below, heading)):
        yield FoundMemory(
            place=Place(file, number),
            content=content,
            type=_TYPES.get(kind, "fact"),
            at=modified(file),
            folder=_folder(file),
            of_project=kind not in _OF_USER,
        )


def _folder(file: Path) -> str:
    """Return the folder that a memory is of, as the transcripts beside it tell it, "" where they tell none."""
    for transcript in files(file.parent.parent, "*.jsonl"):
        for line in lines(transcript):
            if not isinstance(line, Unreadable) and (cwd := text(line[1], "cwd")):
                return cwd
    return ""
