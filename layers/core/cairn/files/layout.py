"""Keys of an agent's own files in a session's partition, and of their counters."""

from __future__ import annotations

from hashlib import sha256

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


VERSIONS = "was#"
"""How sort keys begin of earlier versions of files, which sort by their number."""
DONE = "done#"
"""How sort keys begin of operations on files that were done."""
_DIGITS = 32


def version_sk(version: int, path: str) -> str:
    """Return the sort key of what a file held in an earlier version."""
    return f"{VERSIONS}{version:012d}#{path}"


def version_of(sk: str) -> tuple[int, str]:
    """Return the number and the path in the sort key of an earlier version."""
    number, _, path = sk.removeprefix(VERSIONS).partition("#")
    return int(number), path


def done_sk(operation_id: str) -> str:
    """Return the sort key that says that an operation was done; ids may be as long as they like."""
    return f"{DONE}{sha256(operation_id.encode()).hexdigest()[:_DIGITS]}"
