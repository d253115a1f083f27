"""Keys of an agent's own files in a session's partition, and of their counters."""

from __future__ import annotations

FILES = "files"
"""The sort key, of a session and of a project, of what is counted of their files."""


def file_sk(path: str) -> str:
    """Return the sort key of a session's own file; a path holds no `#`."""
    return f"file#{path}"


def file_of(sk: str) -> str:
    """Return the path in the sort key of a file."""
    return sk.removeprefix("file#")


def file_part_sk(path: str, part_id: str) -> str:
    """Return the sort key of a part of a file's content."""
    return f"part#{path}#{part_id}"
