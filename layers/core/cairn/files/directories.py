"""List a session's memory as directories, each with a summary."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import UTC

from cairn.files import contents
from cairn.files.abstracts import Description, descriptions
from cairn.files.files import FileInfo
from cairn.files.model import DirectorySummary
from cairn.files.paths import ancestors, is_below, level, relative, root_of
from cairn.ground.errors import NotFound
from cairn.ground.session import Session
from cairn.sessions.services import SessionServices

_MOST_NAMED = 5


class Directories:
    """Lists what a session holds, and nothing outside it."""

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
        from cairn.files import store as file_store  # noqa: PLC0415 - a Lambda loads the use case it serves

        root = root_of(session)
        found: dict[str, DirectorySummary | Description] = {}
        found.update(_own_directories(root, file_store.infos(self._services.adapters, session, "")))
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


def _own_directories(root: str, files: Iterable[FileInfo]) -> dict[str, DirectorySummary]:
    """Return the directories above these files by path, the root among them, each with what it holds."""
    held: defaultdict[str, list[FileInfo]] = defaultdict(list)
    for file in files:
        for directory in ancestors(file.path[len(root) + 1 :]):
            held[f"{root}/{directory}".rstrip("/")].append(file)
    return {path: _own_summary(path, found) for path, found in held.items()}


def _own_summary(path: str, files: list[FileInfo]) -> DirectorySummary:
    newest = sorted(files, key=lambda file: (file.updated_at, file.path), reverse=True)
    named = "; ".join(file.path[len(path) + 1 :] for file in newest[:_MOST_NAMED])
    count = f"{len(files)} file{'s' if len(files) > 1 else ''} of the agent's own"
    changed = f"last changed at {newest[0].updated_at.astimezone(UTC):%Y-%m-%d %H:%M} UTC"
    return DirectorySummary(
        path=path,
        abstract=f"{count} with {sum(file.size for file in files)} bytes, {changed}. Newest first: {named}.",
        updated_at=newest[0].updated_at,
        has_overview=False,
    )
