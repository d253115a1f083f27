"""Read and write an agent's own files in a session.

Of two writes at once one is repeated on top of the other. No two calls can make a file and one below it, and a path's
versions only ever rise, also when its file is deleted and made again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeVar

from cairn.files import paths
from cairn.files.files import Body, Change, FileInfo, FileWrite, replaced_range, spliced
from cairn.files.layout import FILES, file_of, file_sk
from cairn.files.store import ChangedMeanwhile, FileRecord, FileStore, StoredFile, check_size, infos, moved, where_of
from cairn.ground.adapters import Pending
from cairn.ground.errors import (
    ConditionFailed,
    Conflict,
    CorruptData,
    InvalidArgument,
    MissingBlob,
    ResourceBusy,
)
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.settings import Limits
from cairn.ground.table import ABSENT, Delete, Equals, Key, Put, Query, Write, prefix_range
from cairn.sessions.layout import session_pk
from cairn.sessions.services import SessionServices

ATTEMPTS = 12
"""How often a read or a write begins anew because another call changed the file meanwhile."""
FIRST_WAIT_SECONDS = 0.01
LONGEST_WAIT_SECONDS = 0.4
T = TypeVar("T")


class OwnFiles:
    """Reads and writes the files of sessions by their relative paths."""

    def __init__(self, services: SessionServices, limits: Limits) -> None:
        """Work with these parts, within these limits."""
        self._services = services
        self._file_bytes = limits.file_bytes
        self._store = FileStore(services, limits.project_bytes)
        self._table = services.adapters.table

    def read(self, session: Session, path: str, start: int = 0, end: int | None = None) -> bytes | None:
        """Return the bytes from `start` up to `end`, or to the last; None where there is no such file."""
        return self.unchanged(lambda: self._read(session, path, start, end))

    def read_if_sound(self, session: Session, path: str) -> bytes:
        """Return all of a file, nothing where there is no such file or it is damaged, which is counted."""
        try:
            return self.read(session, path) or b""
        except CorruptData:
            self._services.adapters.tally.damaged(where_of(session, path))
            return b""

    def info(self, session: Session, path: str) -> FileInfo | None:
        """Return what is known of a file, None where there is none."""
        item = self._table.get(where_of(session, path))
        return None if item is None else FileRecord.of(item).info(session)

    def infos(self, session: Session, directory: str) -> Iterator[FileInfo]:
        """Yield the files in a directory and below it, by path."""
        return infos(self._services.adapters, session, directory)

    def write(self, session: Session, path: str, write: FileWrite) -> FileInfo:
        """Change or make a file and return what is known of it then.

        Conflict where it has not the expected version, InvalidArgument where the path or the offset cannot be,
        PayloadTooLarge and QuotaExceeded over a limit, ResourceBusy where other calls write it all the time.
        """
        return self.unchanged(lambda: self._write(session, path, write))

    def delete(self, session: Session, path: str, if_version: int | None) -> bool:
        """Delete a file; False where there is none. Conflict and ResourceBusy as for a write."""
        return self.unchanged(lambda: self._delete(session, path, if_version))

    def paths(self, session: Session) -> Iterator[str]:
        """Yield the relative path of every file."""
        for item in every(self._table, Query(session_pk(session), *prefix_range(file_sk("")))):
            yield file_of(Key.of(item).sk)

    def forget(self, session: Session) -> bool:
        """Forget that the session had files, which are deleted; False where one was written meanwhile."""
        counter = Key(session_pk(session), FILES)
        tree = self._store.tree(session)  # before the files: one that is made after it was read makes the delete fail
        if any(True for _ in self.paths(session)):
            return False
        try:
            self._table.delete(Delete(counter, Equals("tree", tree)))
        except ConditionFailed:
            return False
        return True

    def unchanged(self, attempt: Callable[[], T]) -> T:
        """Return what an attempt returns during which no other call changed the file."""
        wait, lost = FIRST_WAIT_SECONDS, set[str]()
        for _ in range(ATTEMPTS):
            try:
                return attempt()
            except ChangedMeanwhile as error:
                lost.add(error.lost)
                self._services.adapters.clock.sleep(wait)
                wait = min(wait * 2, LONGEST_WAIT_SECONDS)
        if len(lost) == 1 and "" not in lost:  # it was the same each time, so that nobody writes the file
            raise MissingBlob("a part of a file is gone")
        raise ResourceBusy("the file is being written by other calls", {"resource": "file"})

    def _read(self, session: Session, path: str, start: int, end: int | None) -> bytes | None:
        stored = self._store.stored(session, path)
        if stored is None:
            return None
        body = stored.body
        last = body.size if end is None else min(end, body.size)
        found = list(body.within(start, last))
        loads = [Pending(partial(self._store.load, session, path, part)) for _, part in found]
        self._services.adapters.parallel(loads)
        position = found[0][0] if found else body.size - len(body.tail)
        return (b"".join(load.result for load in loads) + body.tail)[max(0, start - position) : max(0, last - position)]

    def _write(self, session: Session, path: str, write: FileWrite) -> FileInfo:
        stored = self._store.stored(session, path)
        _check_version(stored, write.if_version)
        body = stored.body if stored else Body()
        start, end = replaced_range(body.size, write)
        tree = None if stored else self._place(session, path)
        change = spliced(body, start, end, write.content, partial(self._store.load, session, path))
        check_size(change.size, self._file_bytes)
        version = stored.version + 1 if stored else (tree or 0) + 1
        record, added = self._store.record(session, path, stored, change, version)
        guarded: list[Write] = [Put(record.to_item(), Equals("version", stored.version) if stored else ABSENT)]
        if tree is not None:
            guarded.append(moved(session, tree, version))
        dropped = self._store.dropped(session, path, change, stored)
        self._store.commit(session, guarded, change.size - body.size, added, dropped)
        return record.info(session)

    def _delete(self, session: Session, path: str, if_version: int | None) -> bool:
        tree = self._store.tree(session)  # before the record: a file that is gone by then is not deleted twice
        stored = self._store.stored(session, path)
        _check_version(stored, if_version)
        if stored is None:
            return False
        guarded: list[Write] = [
            Delete(where_of(session, path), Equals("version", stored.version)),
            moved(session, tree, max(tree, stored.version) + 1),
        ]
        change = Change((), b"", stored.body.parts)
        dropped = self._store.dropped(session, path, change, stored)
        self._store.commit(session, guarded, -stored.body.size, [], dropped)
        return True

    def _place(self, session: Session, path: str) -> int:
        """Return the session's counter `tree` if a file can be made here; InvalidArgument names the path otherwise."""
        tree = self._store.tree(session)  # before the others: what is made after it was read makes the commit fail
        above = [Pending(partial(self._table.get, where_of(session, each))) for each in paths.ancestors(path) if each]
        below = Pending(lambda: next(self.infos(session, path), None))
        self._services.adapters.parallel([below, *above])
        if below.result is not None:
            raise InvalidArgument("path", "is a directory")
        if any(each.result is not None for each in above):
            raise InvalidArgument("path", "leads through a file")
        return tree


def _check_version(stored: StoredFile | None, if_version: int | None) -> None:
    version = stored.version if stored else 0
    if if_version is not None and if_version != version:
        raise Conflict("the file has another version", {"version": version})
