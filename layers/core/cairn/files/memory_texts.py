"""What the memory tool answers, in the words of Anthropic's local one: anthropic.tools.memory, version 2.12.0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cairn.files.refusals import refused
from cairn.ground.errors import InvalidArgument

MAX_LINES = 999_999
_WIDTH = 6
_AROUND = 2
_UNITS = "BKMG"
_STEP_BITS = 10
DIRECTORY_BYTES = 4096
"""What a directory is said to have, as a small one has on most disks: here it has no size."""


@dataclass(frozen=True, slots=True)
class Entry:
    """Something in a directory: the names on the way to it from there, and of a file how many bytes it has."""

    names: tuple[str, ...]
    size: int | None = None


def listing(path: str, entries: Iterable[Entry], levels: int = 2) -> str:
    """Return a directory's content: what is up to two levels below it, by name, nothing hidden."""
    seen = [each for each in entries if len(each.names) <= levels and not any(n.startswith(".") for n in each.names)]
    lines = [f"{_size(DIRECTORY_BYTES)}\t{path}"]
    for each in sorted(seen, key=lambda entry: entry.names):
        size, end = (DIRECTORY_BYTES, "/") if each.size is None else (each.size, "")
        lines.append(f"{_size(size)}\t{path}/{'/'.join(each.names)}{end}")
    head = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
    return "\n".join([head, *lines])


def content(path: str, text: str, view_range: Sequence[int] | None) -> str:
    """Return a file's lines with their numbers, all or those of a range, whose end may be -1 for the last."""
    lines, first = text.split("\n"), 0
    if len(lines) > MAX_LINES:
        words = f"File {path} exceeds maximum line limit of 999,999 lines."
        raise refused(InvalidArgument("path", "has too many lines"), words)
    if view_range and len(view_range) == 2:  # noqa: PLR2004 - from and to; any other is passed over
        first = max(1, view_range[0]) - 1
        lines = lines[first : len(lines) if view_range[1] == -1 else view_range[1]]
    return f"Here's the content of {path} with line numbers:\n{_numbered(lines, first)}"


def replaced(path: str, text: str, old: str, new: str) -> tuple[str, str]:
    """Return a text with the one place changed where `old` stands, and the answer with the lines around it."""
    count = text.count(old)
    if count == 0:
        words = f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
        raise refused(InvalidArgument("old_str", "is not in the file"), words)
    if count > 1:
        lines = ", ".join(map(str, _lines_of(text, old)))
        words = (
            f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: {lines}."
            " Please ensure it is unique"
        )
        raise refused(InvalidArgument("old_str", "is in the file more than once"), words)
    changed = text.count("\n", 0, text.find(old))
    after = text.replace(old, new)
    first = max(0, changed - _AROUND)
    around = _numbered(after.split("\n")[first : changed + _AROUND + 1], first)
    words = "The memory file has been edited. Here is the snippet showing the change (with line numbers):"
    return after, f"{words}\n{around}"


def inserted(path: str, text: str, line: int, new: str) -> tuple[str, str]:
    """Return a text with another behind its line of this number, 0 for its beginning, and the answer."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if not 0 <= line <= len(lines):
        words = f"Invalid `insert_line` parameter: {line}. It should be within the range [0, {len(lines)}]."
        raise refused(InvalidArgument("insert_line", f"must be from 0 to {len(lines)}"), words)
    lines.insert(line, new.rstrip("\n"))
    after = "\n".join(lines)
    return after if after.endswith("\n") else f"{after}\n", f"The file {path} has been edited."


def _lines_of(text: str, old: str) -> Iterable[int]:
    """Yield the line of each place where `old` stands, also where two overlap."""
    line, seen, place = 1, 0, text.find(old)
    while place != -1:
        line += text.count("\n", seen, place)
        yield line
        seen, place = place, text.find(old, place + 1)


def _numbered(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>{_WIDTH}}\t{line}" for number, line in enumerate(lines, first + 1))


def _size(size: int) -> str:
    if size == 0:
        return "0B"
    unit = min((size.bit_length() - 1) // _STEP_BITS, len(_UNITS) - 1)
    shown = size / 2 ** (_STEP_BITS * unit)
    return f"{int(shown)}{_UNITS[unit]}" if shown == int(shown) else f"{shown:.1f}{_UNITS[unit]}"
