"""Listing a session's memory as directories, each with what it holds."""

from __future__ import annotations

from cairn.domain.errors import NotFound
from cairn.domain.paths import is_below, level, relative, root_of
from cairn.domain.turns import DirectorySummary, Session
from cairn.service import contents
from cairn.service.abstracts import Description, descriptions
from cairn.service.parts import Parts


class Directories:
    """Shows what a session holds, and nothing outside it."""

    def __init__(self, parts: Parts) -> None:
        """Work with these parts."""
        self._parts = parts

    def list(self, session: Session, path: str, depth: int, limit: int) -> tuple[DirectorySummary, ...]:
        """Return the directory at `path` and those up to `depth` levels below it, by path, at most `limit`.

        InvalidArgument for a path outside the session, NotFound for one that is not there; a session without turns
        and files has no directories.
        """
        wanted = relative(session, path.removesuffix("/") or path)
        everything = self._all(session)
        found = {each: everything[each] for each in sorted(everything) if _is_within(each, wanted, depth)}
        if everything and not found:
            raise NotFound("no such directory in this session", {"path": path})
        return tuple(found.values())[:limit]

    def _all(self, session: Session) -> dict[str, DirectorySummary]:
        """Return every directory by its relative path."""
        from cairn.domain.file_summaries import own_directories  # noqa: PLC0415 - a Lambda loads the use case it serves
        from cairn.service import file_store  # noqa: PLC0415

        root = root_of(session)
        found = own_directories(root, file_store.infos(self._parts.world.table, session, ""))
        head = contents.head_of(self._parts, session)
        if head is not None:
            held = contents.read(self._parts, session, head)
            found.update({each.path: _summary(each) for each in descriptions(self._parts, session, held)})
        return {each.path[len(root) + 1 :]: each for each in found.values()}


def _summary(each: Description) -> DirectorySummary:
    return DirectorySummary(
        path=each.path, abstract=each.abstract, updated_at=each.updated_at, has_overview=bool(each.overview)
    )


def _is_within(path: str, wanted: str, depth: int) -> bool:
    return path == wanted or (is_below(path, wanted) and level(path, wanted) <= depth)
