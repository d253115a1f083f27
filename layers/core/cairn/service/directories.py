"""Listing a session's memory as directories, each with what it holds."""

from __future__ import annotations

from cairn.domain.errors import InvalidArgument, NotFound
from cairn.domain.summaries import Contents, Directory, directories
from cairn.domain.turns import DirectorySummary, Session
from cairn.service import contents
from cairn.service.abstracts import Abstracts, fact_ids, root_of, stored
from cairn.service.parts import Parts


class Directories:
    """Shows what a session holds, and nothing outside it."""

    def __init__(self, parts: Parts) -> None:
        """Work with these parts."""
        self._parts = parts

    def list(self, session: Session, path: str, depth: int, limit: int) -> tuple[DirectorySummary, ...]:
        """Return the directory at `path` and those up to `depth` levels below it, by path, at most `limit`.

        InvalidArgument for a path outside the session, NotFound for one that is not there; a session without turns
        has no directories.
        """
        wanted = _within(root_of(session), path)
        head = contents.head_of(self._parts, session)
        if head is None:
            return ()
        held = contents.read(self._parts, session, head)
        last = self._fresh(session, held)
        found = [d for d in directories(root_of(session), held) if _is_below(d.path, wanted, depth)]
        if not found:
            raise NotFound("no such directory in this session", {"path": path})
        return tuple(_summary(directory, held, last) for directory in found[:limit])

    def _fresh(self, session: Session, held: Contents) -> Abstracts | None:
        """Return the stored summaries while they are true; otherwise each is made anew from what is there."""
        last = stored(self._parts, session)
        if last is None or last.facts != fact_ids(held) or last.refreshed_at < held.turns[-1].at:
            return None
        return last


def _summary(directory: Directory, held: Contents, last: Abstracts | None) -> DirectorySummary:
    abstract = (last and last.abstracts.get(directory.path)) or directory.abstract(held.chunks)
    return DirectorySummary(
        path=directory.path,
        abstract=abstract,
        updated_at=directory.updated_at,
        has_overview=bool(abstract),  # the same sentences make both, so there is one where there is the other
    )


def _within(root: str, path: str) -> str:
    """Return the absolute path, which may be given so or relative to the session's root."""
    if path in {"", root, root + "/"}:
        return root
    relative = path.removeprefix(root + "/")
    if relative.startswith("/"):
        raise InvalidArgument("path", "must be within this session's memory")
    parts = relative.removesuffix("/").split("/")
    if any(part in {"", ".", ".."} or "\\" in part or not part.isprintable() for part in parts):
        raise InvalidArgument("path", "must not hold empty, . or .. segments, backslashes or control characters")
    return "/".join([root, *parts])


def _is_below(path: str, wanted: str, depth: int) -> bool:
    if path == wanted:
        return True
    return path.startswith(wanted + "/") and path[len(wanted) :].count("/") <= depth
