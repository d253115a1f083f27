"""Store a file as a record with the end of its content and parts that hold the rest, all sealed.

A commit is one transaction that holds only where the record is as it was read. It counts the project's bytes, and moves
the session's counter `tree` on where a file is made or deleted.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from cairn.files import paths
from cairn.files.files import Body, Change, FileInfo, FileType, Part
from cairn.files.layout import FILES, file_of, file_part_sk, file_sk
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.attributes import moment, number
from cairn.ground.codec import rfc3339
from cairn.ground.damage import sound
from cairn.ground.errors import CairnError, MissingBlob, PayloadTooLarge, QuotaExceeded, StoreError, TransactionRefused
from cairn.ground.ids import time_ordered_id
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.table import (
    AnyOf,
    Attributes,
    Delete,
    Equals,
    Key,
    LessThan,
    Missing,
    Put,
    Query,
    Scalar,
    Update,
    Write,
    prefix_range,
)
from cairn.log.layout import registry_pk
from cairn.sessions.dropped_blobs import discard, dropping
from cairn.sessions.layout import session_pk
from cairn.sessions.services import SessionServices
from cairn.vault.vault import blob_of, sealed_content


class ChangedMeanwhile(StoreError):
    """Another call changed the file after it was read; `lost` names what is not there for that, where it is so."""

    def __init__(self, lost: str = "") -> None:
        """Keep what was not found."""
        super().__init__("a file was changed meanwhile")
        self.lost = lost


@dataclass(frozen=True, slots=True, kw_only=True)
class FileRecord:
    """The stored record of a file; its version tells it from earlier and later ones.

    `content` are the attributes that hold, sealed, the end of the file and where the rest is.
    """

    key: Key
    version: int
    size: int
    created_at: datetime
    updated_at: datetime
    content: Attributes

    @classmethod
    def of(cls, item: Attributes) -> FileRecord:
        """Return the record that an item holds; CorruptData where it holds none."""
        return cls(
            key=Key.of(item),
            version=number(item, "version"),
            size=number(item, "size"),
            created_at=moment(item, "created_at"),
            updated_at=moment(item, "updated_at"),
            content=sealed_content(item),
        )

    def to_item(self) -> dict[str, Scalar]:
        """Return the item that is stored."""
        return {
            "pk": self.key.pk,
            "sk": self.key.sk,
            "version": self.version,
            "size": self.size,
            "created_at": rfc3339(self.created_at),
            "updated_at": rfc3339(self.updated_at),
            **self.content,
        }

    def info(self, session: Session) -> FileInfo:
        """Return what it tells of its file."""
        return FileInfo(
            path=f"{paths.root_of(session)}/{file_of(self.key.sk)}",
            type=FileType.FILE,
            size=self.size,
            updated_at=self.updated_at,
            version=self.version,
            created_at=self.created_at,
        )


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file's record as it was read, the content it describes, and the operation that wrote it, if that is known."""

    record: FileRecord
    body: Body
    operation_id: str | None = None

    @property
    def version(self) -> int:
        """Return the record's version."""
        return self.record.version


class FileStore:
    """Reads and commits the records and parts of files."""

    def __init__(self, services: SessionServices, project_bytes: int) -> None:
        """Work with these parts; a project's files have at most so many bytes together."""
        self._services = services
        self._most = project_bytes
        self._table = services.adapters.table

    def stored(self, session: Session, path: str) -> StoredFile | None:
        """Return a file's record, None where there is none."""
        item = self._table.get(where_of(session, path))
        if item is None:
            return None
        try:
            record = self._services.vault.unseal(session.tenant, item)
        except MissingBlob:
            raise ChangedMeanwhile(str(item["blob"])) from None
        parts = tuple(Part(name, size) for name, size in record["parts"])
        return StoredFile(FileRecord.of(item), Body(parts, record["tail"].encode()), record.get("operation_id"))

    def load(self, session: Session, path: str, part: Part) -> bytes:
        """Return what a part holds; ChangedMeanwhile where it is gone."""
        item = self._table.get(_where_part(session, path, part))
        try:
            content = b"" if item is None else self._services.vault.unseal(session.tenant, item).encode()
        except MissingBlob:
            raise ChangedMeanwhile(part.id) from None
        if len(content) != part.size:
            raise ChangedMeanwhile(part.id)
        return content

    def tree(self, session: Session) -> int:
        """Return the session's counter, 0 where it never had a file."""
        item = self._table.get(Key(session_pk(session), FILES))
        return number(item, "tree") if item else 0

    def added(self, session: Session, path: str, change: Change) -> tuple[list[Write], list[list[str | int]]]:
        """Return the writes of new parts, and all parts as a record lists them."""
        writes: list[Write] = []
        parts: list[list[str | int]] = []
        for piece in change.pieces:
            if isinstance(piece, Part):
                part = piece
            else:
                part = Part(self._new_id(), len(piece))
                where = _where_part(session, path, part)
                sealed = self._services.vault.seal(session.tenant, where, piece.decode())
                writes.append(Put({"pk": where.pk, "sk": where.sk, **sealed}))
            parts.append([part.id, part.size])
        return writes, parts

    def dropped(self, session: Session, path: str, change: Change, stored: StoredFile | None) -> list[Write]:
        """Return the writes that remove parts, and the one that names their blobs until these are removed too."""
        gets = [Pending(partial(self._table.get, _where_part(session, path, part))) for part in change.dropped]
        self._services.adapters.parallel(gets)
        items = [get.result or {} for get in gets] + ([stored.record.content] if stored else [])
        blobs = [blob for item in items if (blob := blob_of(item)) is not None]
        deletes = (Delete(_where_part(session, path, part)) for part in change.dropped)
        return [*deletes, *dropping(self._services.adapters, session, blobs)]

    def record(  # noqa: PLR0913, PLR0917 - what a record is made of
        self,
        session: Session,
        path: str,
        before: StoredFile | None,
        change: Change,
        version: int,
        operation_id: str | None = None,
    ) -> tuple[FileRecord, list[Write]]:
        """Return the record that a change makes of a file, and the writes of its new parts."""
        now, where = self._services.adapters.clock.now(), where_of(session, path)
        added, parts = self.added(session, path, change)
        content: dict[str, object] = {"parts": parts, "tail": change.tail.decode()}
        if operation_id is not None:
            content["operation_id"] = operation_id
        record = FileRecord(
            key=where,
            version=version,
            size=change.size,
            created_at=before.record.created_at if before else now,
            updated_at=now,
            content=self._services.vault.seal(session.tenant, where, content),
        )
        return record, added

    def commit(
        self, session: Session, guarded: list[Write], growth: int, added: list[Write], dropped: list[Write]
    ) -> None:
        """Write all or nothing; ChangedMeanwhile where a guarded write is too late, QuotaExceeded over the limit."""
        most = self._most
        over = QuotaExceeded(f"A project's files have at most {most} bytes", {"limit": "project_bytes", "most": most})
        if growth > most:
            raise over
        counted: list[Write] = [_counted(session, growth, most)] if growth else []
        try:
            self._table.transact([*counted, *guarded, *added, *dropped])
        except TransactionRefused as refused:
            reasons = [reason.code if reason else None for reason in refused.reasons]
            if counted and reasons[0] == "condition" and not any(reasons[1:]):
                raise over from refused
            raise ChangedMeanwhile from refused
        if any(isinstance(write, Put) for write in dropped):
            with suppress(StoreError, CairnError):  # what fails here is removed with the blobs of a later change
                discard(self._services.adapters, session)

    def _new_id(self) -> str:
        return time_ordered_id(self._services.adapters.clock.now(), self._services.adapters.entropy.token(10))


def where_of(session: Session, path: str) -> Key:
    """Return where a file's record is."""
    return Key(session_pk(session), file_sk(path))


def check_size(size: int, most: int) -> None:
    """Let a file have at most so many bytes; PayloadTooLarge where it has more."""
    if size > most:
        raise PayloadTooLarge(f"A file has at most {most} bytes", {"limit": "file_bytes", "most": most})


def infos(adapters: Adapters, session: Session, directory: str, start: str = "") -> Iterator[FileInfo]:
    """Yield what is known of the files in a directory and below it, by path, from the path `start` on."""
    low, high = prefix_range(file_sk(f"{directory}/" if directory else ""))
    found = every(adapters.table, Query(session_pk(session), max(low, file_sk(start)), high))
    yield from sound(adapters, found, lambda item: FileRecord.of(item).info(session))


def _where_part(session: Session, path: str, part: Part) -> Key:
    return Key(session_pk(session), file_part_sk(path, part.id))


def moved(session: Session, seen: int, tree: int, **more: Scalar) -> Update:
    """Return the write that moves the session's counter on, and sets more, if nothing moved it on meanwhile."""
    condition = Equals("tree", seen) if seen else Missing("tree")
    return Update(Key(session_pk(session), FILES), set={"tree": tree, **more}, condition=condition)


def _counted(session: Session, growth: int, most: int) -> Update:
    """Return the write that counts a project's bytes, and holds while they are no more than `most`."""
    fits = AnyOf((Missing("bytes"), LessThan("bytes", most - growth + 1))) if growth > 0 else None
    where = Key(registry_pk(session.tenant, session.project), FILES)
    return Update(where, add={"bytes": growth}, condition=fits)
