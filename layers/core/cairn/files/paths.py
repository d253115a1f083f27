"""Check paths below `/memory/{session_id}`, and tell Cairn's own from the agent's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from urllib.parse import quote, unquote

from cairn.ground.errors import InvalidArgument
from cairn.ground.session import Session

MAX_PATH_BYTES = 512
MAX_SEGMENTS = 32
CANONICAL = frozenset({"meta", "events", "memory_tiers", "runtime", "indexes"})
"""The directories of a session that are views of its memory."""
SUMMARIES = frozenset({".abstract", ".overview"})
MEMORIES = "memories"
"""The directory that the memory tool keeps; its names are encoded."""
LEGACY = frozenset({"log.jsonl", "context.jsonl", "memory_facts.jsonl", "meta.json"})
_LEGACY_DOCUMENT = re.compile(r"legacy.*\.json")
_SEGMENT = re.compile(r"[A-Za-z0-9_.-]+")


def root_of(session: Session) -> str:
    """Return the path of the session's directory."""
    return f"/memory/{session.session_id}"


def relative(session: Session, path: str) -> str:
    """Return the path below the session's root, "" for the root itself, of one given so or in full.

    InvalidArgument names `path` where it leads out of the session, is too long, or has a segment that is empty, `.`,
    `..` or holds anything but letters, digits, `_`, `.` and `-`.
    """
    root = root_of(session)
    below = "" if path == root else path.removeprefix(root + "/")
    if below.startswith("/"):
        raise InvalidArgument("path", "must be within this session's memory")
    segments = below.split("/") if below else []
    is_encoded = is_memories(below)
    if any(segment in {".", ".."} or not _is_segment(segment, is_encoded=is_encoded) for segment in segments):
        raise InvalidArgument("path", "must hold no segment that is empty, . or .. or has more than A-Z a-z 0-9 _ . -")
    if len(below) > MAX_PATH_BYTES or len(segments) > MAX_SEGMENTS:
        raise InvalidArgument("path", f"must be at most {MAX_PATH_BYTES} bytes and {MAX_SEGMENTS} segments")
    return below


def below_root(session: Session, path: str) -> str:
    """Return the path below the session's root of a file that has this one in full."""
    return path[len(root_of(session)) + 1 :]


def encoded(name: str) -> str:
    """Return a name with `%` and two digits for each byte that is no letter, digit, `_`, `.` or `-`."""
    return quote(name, safe="").replace("~", "%7E")


def decoded(path: str) -> str:
    """Return a path of encoded names with the names as they are."""
    return unquote(path)


def is_memories(path: str) -> bool:
    """Tell whether a relative path is the memory tool's, which keeps versions of it."""
    return path.split("/", 1)[0] == MEMORIES


def is_view(path: str) -> bool:
    """Tell whether a relative path is for Cairn to say what it holds, whether or not there is anything."""
    segments = path.split("/")
    return (
        segments[0] in CANONICAL | LEGACY
        or bool(_LEGACY_DOCUMENT.fullmatch(segments[0]))
        or not SUMMARIES.isdisjoint(segments)
    )


def ancestors(path: str) -> Iterator[str]:
    """Yield the directories above a relative path, from the root, "", down."""
    segments = path.split("/")
    for count in range(len(segments)):
        yield "/".join(segments[:count])


def directory_of(path: str) -> str:
    """Return the directory that a file stands in."""
    return path.rpartition("/")[0]


def is_below(path: str, directory: str) -> bool:
    """Tell whether a relative path lies in a directory or further down."""
    return path != directory and (not directory or path.startswith(directory + "/"))


def level(path: str, directory: str) -> int:
    """Return how many levels below the directory a path in it is."""
    return path[len(directory) :].strip("/").count("/") + 1


def _is_segment(segment: str, *, is_encoded: bool) -> bool:
    return bool(_SEGMENT.fullmatch(segment)) or (is_encoded and segment != "" and encoded(decoded(segment)) == segment)
