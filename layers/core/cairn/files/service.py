"""The files of a session: read, write, stat, list, search, delete.

The canonical layout is a view of the session's memory that nobody writes; every other path is the agent's own. Offsets
and lengths are bytes, texts are UTF-8. What was written is found at once: a search reads the files.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from cairn.files.canonical import Canonical
from cairn.files.canonical_form import View
from cairn.files.files import PAGE_BYTES, FileInfo, FileList, FileType, FileWrite, Page, Passage, WriteMode, page_of
from cairn.files.own_files import OwnFiles
from cairn.files.passages import Passages
from cairn.files.paths import ancestors, below_root, is_below, is_memories, is_view, level, relative, root_of
from cairn.ground.errors import InvalidArgument, NotFound, PayloadTooLarge, PermissionDenied
from cairn.ground.session import Session
from cairn.ground.settings import Limits


class Files:
    """The six operations; paths are given in full or relative to the session's directory."""

    def __init__(self, own: OwnFiles, canonical: Canonical, limits: Limits) -> None:
        """Show these files within these limits."""
        self._own = own
        self._canonical = canonical
        self._limits = limits

    def read(self, session: Session, path: str, offset: int = 0, length: int = -1) -> bytes:
        """Return `length` bytes from an offset on, all with -1; none beyond the end. Only `*.zst` is no UTF-8.

        NotFound where there is nothing, InvalidArgument for a directory.
        """
        where = relative(session, path)
        if offset < 0:
            raise InvalidArgument("offset", "must be at least 0")
        if length < -1:
            raise InvalidArgument("length", "must be at least 0, or -1 for all")
        end = None if length < 0 else offset + length
        if is_view(where):
            view = self._canonical.view(session, where)
            content = None if view is None else view.content[offset:end]
        else:
            content = self._own.read(session, where, offset, end) if where else None
        if content is None:
            self._raise_not_a_file(session, where)
            raise NotFound("no such file in this session", {"path": path})
        return content

    def page(self, session: Session, path: str, offset: int) -> Page | None:
        """Return up to 16,000 bytes of a file as text, from a byte offset on; None where there is no file.

        An archive's are those of its lines before they were compressed; beyond the end there are none. InvalidArgument
        names `offset` where it cuts a character in two.
        """
        where, end = relative(session, path), offset + PAGE_BYTES + 1
        if is_view(where):
            view = self._canonical.view(session, where)
            found = None if view is None else (view.lines or view.content)[offset:end]
        else:
            found = self._own.read(session, where, offset, end) if where else None
        return None if found is None else page_of(found, offset)

    def write(  # noqa: PLR0913 - what the storage interface takes, and the version
        self,
        session: Session,
        path: str,
        text: str,
        mode: WriteMode,
        *,
        offset: int = 0,
        if_version: int | None = None,
    ) -> FileInfo:
        """Write an own file, made if absent, and return what is known of it then; APPEND ignores the offset.

        PermissionDenied for a view; InvalidArgument where the offset is beyond the end or cuts a character, or where
        the path is a directory or leads through a file; Conflict where `if_version` is not the file's version, or not
        0 where there is no file; PayloadTooLarge, QuotaExceeded, ResourceBusy.
        """
        where = _own_path(session, path, "write")
        if not where:
            raise InvalidArgument("path", "is a directory")
        try:
            content = text.encode()
        except UnicodeEncodeError:
            raise InvalidArgument("content", "must be text that UTF-8 can hold") from None
        most = self._limits.request_bytes
        if len(content) > most:
            raise PayloadTooLarge(f"A write has at most {most} bytes", {"limit": "request_bytes", "most": most})
        return self._own.write(session, where, FileWrite(content, mode, offset, if_version))

    def stat(self, session: Session, path: str) -> FileInfo | None:
        """Return what is known of a file or directory, None where there is neither; the root is always there."""
        where = relative(session, path)
        known = self._own.info(session, where) if where and not is_view(where) else None
        if known is not None:
            return known
        return self._entries(session, where, 0).get(where)

    def list(
        self, session: Session, path: str = "", *, depth: int = 1, limit: int = 200, after: str | None = None
    ) -> FileList:
        """Return what is up to `depth` levels below a directory, by path; with depth 0 the path itself.

        `after` goes on behind the `next` of the list before. NotFound where there is nothing, but for the root.
        """
        where = relative(session, path)
        start = None if after is None else relative(session, after)
        if depth < 0:
            raise InvalidArgument("depth", "must be at least 0")
        if limit < 1:
            raise InvalidArgument("limit", "must be at least 1")
        found = self._entries(session, where, depth)
        if not found and where:
            raise NotFound("no such path in this session", {"path": path})
        left = [found[each] for each in sorted(found) if start is None or each > start]
        return FileList(tuple(left[:limit]), left[limit - 1].path if len(left) > limit else None)

    def search(self, session: Session, query: str, path: str = "", limit: int = 5) -> tuple[Passage, ...]:
        """Return up to `limit` passages of the files at and below a path that share a term with the query, best first.

        Own files are searched whole, events by what was said and facts by what they say. The offsets into an archive
        are those of its lines before they were compressed.
        """
        where = relative(session, path)
        if not query.strip():
            raise InvalidArgument("query", "must not be empty")
        if limit < 1:
            raise InvalidArgument("limit", "must be at least 1")
        passages = Passages()
        for below in ("events", "memory_tiers") if not where else (where,):
            for name, view in self._canonical.views(session, below).items():
                _add_view(passages, f"{root_of(session)}/{name}", name, view)
        for name in self._own_files(session, where):
            passages.add_text(f"{root_of(session)}/{name}", self._own.read_if_sound(session, name))
        return passages.best(query, limit)

    def everything(self, session: Session) -> Iterator[tuple[str, bytes]]:
        """Yield every file by its path in full with what it holds, the views first."""
        root = root_of(session)
        for name, view in self._canonical.views(session, "").items():
            yield f"{root}/{name}", view.content
        for name in self._own_files(session, ""):
            yield f"{root}/{name}", self._own.read(session, name) or b""

    def delete(self, session: Session, path: str, *, recursive: bool = False, if_version: int | None = None) -> int:
        """Delete an own file, or with `recursive` all of a directory, one after another; return how many.

        PermissionDenied for the root and for views, NotFound where there is nothing, InvalidArgument for a directory
        without `recursive`; Conflict as for a write. Stopped half-way, it may be done again.
        """
        where = _own_path(session, path, "delete")
        if not where:
            raise PermissionDenied("the session's directory stays", {"operation": "delete"}, reason="read_only")
        if self._own.delete(session, where, if_version):
            return 1
        below = self._own_files(session, where)
        if not below:
            raise NotFound("no such path in this session", {"path": path})
        if not recursive:
            raise InvalidArgument("recursive", "must be true for a directory that is not empty")
        return sum(self._own.delete(session, name, None) for name in below)

    def _own_files(self, session: Session, where: str) -> dict[str, FileInfo]:
        """Return the own files at a path and below it by their relative paths."""
        if is_view(where):
            return {}
        known = self._own.info(session, where) if where else None
        found = [known] if known else self._own.infos(session, where)
        return {below_root(session, file.path): file for file in found}

    def _entries(self, session: Session, where: str, depth: int) -> dict[str, FileInfo]:
        """Return the files and directories below a path by their relative paths, or with depth 0 the path itself."""
        root = root_of(session)
        files = self._own_files(session, where)
        files |= {
            name: FileInfo(
                path=f"{root}/{name}", type=FileType.FILE, size=len(view.content), updated_at=view.updated_at
            )
            for name, view in self._canonical.views(session, where).items()
        }
        found = files | _directories(root, files)
        if depth == 0:
            return {where: found[where]} if where in found else {}
        return {name: info for name, info in found.items() if is_below(name, where) and level(name, where) <= depth}

    def _raise_not_a_file(self, session: Session, where: str) -> None:
        if not where or self._entries(session, where, 0):
            raise InvalidArgument("path", "is a directory")


def _own_path(session: Session, path: str, operation: str) -> str:
    where = relative(session, path)
    if is_memories(where):
        kept = {"path": path, "operation": operation}
        raise PermissionDenied("the memory tool alone writes here, and keeps versions", kept, reason="read_only")
    if is_view(where):
        refused = {"path": path, "operation": operation}
        raise PermissionDenied("this path shows the session's memory and is read-only", refused, reason="read_only")
    return where


def _directories(root: str, files: Mapping[str, FileInfo]) -> dict[str, FileInfo]:
    """Return the directories above these files, each as new as the newest of them."""
    newest: dict[str, datetime] = {}
    for name, file in files.items():
        for directory in ancestors(name):
            newest[directory] = max(file.updated_at, newest.get(directory, file.updated_at))
    return {
        name: FileInfo(path=f"{root}/{name}".rstrip("/"), type=FileType.DIRECTORY, size=0, updated_at=updated_at)
        for name, updated_at in newest.items()
    }


def _add_view(passages: Passages, path: str, name: str, view: View) -> None:
    if name.startswith("memory_tiers/") and name.endswith(".jsonl"):
        passages.add_facts(path, view.content)
    elif name.startswith("events/") and name.endswith((".jsonl", ".zst")):
        passages.add_events(path, view.lines or view.content)
