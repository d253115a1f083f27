"""Listing a session's memory as directories, each with what it holds."""

from __future__ import annotations

from cairn.files import contents
from cairn.files.abstracts import Description, descriptions
from cairn.files.model import DirectorySummary
from cairn.files.paths import is_below, level, relative, root_of
from cairn.ground.errors import NotFound
from cairn.ground.session import Session
from cairn.sessions.services import SessionServices


class Directories:
    """Shows what a session holds, and nothing outside it."""

    def __init__(self, services: SessionServices) -> None:
        """Work with these parts."""
        self._services = services

    def list(self, session: Session, path: str, depth: int, limit: int) -> tuple[DirectorySummary, ...]:
        """Return the directory at `path` and those up to `depth` levels below it, by path, at most `limit`.

        InvalidArgument for a path outside the session, NotFound for one that is not there; a session without turns
        and files has no directories.
        """
        wanted = relative(session, path.removesuffix("/") or path)
        everything = self._all(session)
        found = [each for each in sorted(everything) if _is_within(each, wanted, depth)]
        if everything and not found:
            raise NotFound("no such directory in this session", {"path": path})
        return tuple(_summary(everything[each]) for each in found[:limit])

    def _all(self, session: Session) -> dict[str, DirectorySummary | Description]:
        """Return every directory by its relative path; what is said of it is made when it is told."""
        from cairn.files import store as file_store  # noqa: PLC0415
        from cairn.files.own_directories import own_directories  # noqa: PLC0415 - a Lambda loads the use case it serves

        root = root_of(session)
        found: dict[str, DirectorySummary | Description] = {}
        found.update(own_directories(root, file_store.infos(self._services.adapters.table, session, "")))
        head = contents.head_of(self._services, session)
        if head is not None:
            held = contents.read(self._services, session, head)
            found.update({each.path: each for each in descriptions(self._services, session, held)})
        return {each.path[len(root) + 1 :]: each for each in found.values()}


def _summary(each: DirectorySummary | Description) -> DirectorySummary:
    if isinstance(each, DirectorySummary):
        return each
    abstract = each.abstract
    return DirectorySummary(path=each.path, abstract=abstract, updated_at=each.updated_at, has_overview=bool(abstract))


def _is_within(path: str, wanted: str, depth: int) -> bool:
    return path == wanted or (is_below(path, wanted) and level(path, wanted) <= depth)
