"""Read the paths of the memory tool: `/memories` and what is below it, resolved as Anthropic's local tool does.

A file of it stands at `memories/…` among its owner's files. There names have `%` and two digits for each byte that is
no letter, digit, `_`, `.` or `-`, so that every name can stand in a key and is written in one way.
"""

from __future__ import annotations

from cairn.files.paths import MAX_PATH_BYTES, MAX_SEGMENTS, MEMORIES, decoded, encoded
from cairn.files.refusals import refused
from cairn.ground.errors import InvalidArgument

PREFIX = f"/{MEMORIES}"


def stored(path: str, field: str = "path") -> str:
    """Return where among its owner's files a path leads, `memories` for the root.

    InvalidArgument names the field where the path does not begin with `/memories`, leads out of it or is too long.
    """
    if not path.startswith(PREFIX):
        raise refused(InvalidArgument(field, "must be within /memories"), f"Path must start with {PREFIX}, got: {path}")
    if "\0" in path:
        raise InvalidArgument(field, "must not hold NUL")
    segments = _resolved(path.removeprefix(PREFIX))
    if segments is None or segments[:1] != [MEMORIES]:
        raise refused(
            InvalidArgument(field, "must be within /memories"), f"Path {path} would escape {PREFIX} directory"
        )
    found = "/".join(map(encoded, segments))
    if len(found) > MAX_PATH_BYTES or len(segments) > MAX_SEGMENTS:
        raise InvalidArgument(field, f"must be at most {MAX_PATH_BYTES} bytes as it is stored and {MAX_SEGMENTS} names")
    return found


def shown(path: str) -> str:
    """Return a stored path as the tool names it."""
    return f"/{decoded(path)}"


def _resolved(below: str) -> list[str] | None:
    """Return the names on the way, from the root's own on; None where it leads above what the root is in."""
    segments = [MEMORIES]
    for each in below.split("/"):
        if each == "..":
            if not segments:
                return None
            segments.pop()
        elif each not in {"", "."}:
            segments.append(each)
    return segments
