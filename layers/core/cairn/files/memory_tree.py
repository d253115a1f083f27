"""Look at an owner's memory files as far as a command has to, and write all that it changes in one transaction.

The transaction holds only where no other changed anything of the owner's files meanwhile: its counter `tree` is as it
was read before all else.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from cairn.files import paths
from cairn.files.files import Body, Change, FileInfo, spliced
from cairn.files.layout import FILES, VERSIONS, version_sk
from cairn.files.store import FileStore, StoredFile, check_size, infos, moved, where_of
from cairn.ground.adapters import Pending
from cairn.ground.attributes import number, text
from cairn.ground.codec import rfc3339
from cairn.ground.errors import PayloadTooLarge, QuotaExceeded
from cairn.ground.session import Session
from cairn.ground.settings import Limits
from cairn.ground.table import (
    ABSENT,
    MAX_TRANSACTION_BYTES,
    MAX_TRANSACTION_WRITES,
    Attributes,
    Delete,
    Equals,
    Key,
    Put,
    Query,
    Update,
    Write,
    item_bytes,
    prefix_range,
)
from cairn.sessions.dropped_blobs import dropping
from cairn.sessions.layout import session_pk
from cairn.sessions.services import SessionServices
from cairn.vault.vault import blob_of

MOST_DIRECTORY_BYTES = 64 * 1024
"""How long the names of all directories may be together, which stand in one item."""


@dataclass(slots=True)
class Changes:
    """What a command changes: files by their path with their content, None for those that go, and the directories.

    What `moved` names is deleted without an earlier version of it: its content is stored elsewhere. `operation_id` is
    kept with the files, and told of them.
    """

    files: dict[str, bytes | None] = field(default_factory=dict[str, bytes | None])
    directories: frozenset[str] | None = None
    moved: frozenset[str] = frozenset()
    operation_id: str | None = None
    more: list[Write] = field(default_factory=list[Write])


@dataclass(slots=True)
class _Writes:
    """The writes of a transaction as FileStore.commit takes them, and by how much the project's bytes grow."""

    guarded: list[Write]
    added: list[Write] = field(default_factory=list[Write])
    dropped: list[Write] = field(default_factory=list[Write])
    growth: int = 0


class MemoryTree:
    """An owner's memory files at one moment, read as they are asked for."""

    def __init__(self, services: SessionServices, limits: Limits, owner: Session) -> None:
        """Read the owner's counters, before all else."""
        self._services = services
        self._limits = limits
        self._store = FileStore(services, limits.project_bytes)
        self._table = services.adapters.table
        self.owner = owner
        item: Attributes = self._table.get(Key(session_pk(owner), FILES)) or {}
        self._seen = number(item, "tree", 0)
        self._kept = number(item, "kept", 0)
        named = text(item, "dirs").split("\n") if item.get("dirs") else []
        self.directories = frozenset(named)
        self._files: dict[str, StoredFile | None] = {}
        self._below: dict[str, tuple[FileInfo, ...]] = {}
        self._held: dict[str, str] = {}

    def look(self, *wanted: str) -> None:
        """Read in one round what stands at these paths, above them and in them."""
        files = self._unread(each for path in wanted for each in (*paths.ancestors(path), path) if each)
        below = {path: Pending(partial(self._infos, path)) for path in dict.fromkeys(wanted)}
        self._services.adapters.parallel([*files.values(), *below.values()])
        self._files.update({path: each.result for path, each in files.items()})
        self._below.update({path: each.result for path, each in below.items()})

    def file(self, path: str) -> StoredFile | None:
        """Return the file at a path that was looked at, None where there is none."""
        return self._files[path]

    def files_below(self, path: str) -> list[str]:
        """Return the paths of all files in a directory that was looked at, and below it."""
        return [self.relative(info) for info in self._below[path]]

    def infos_below(self, path: str) -> Sequence[FileInfo]:
        """Return what is known of them."""
        return self._below[path]

    def relative(self, info: FileInfo) -> str:
        """Return a file's path as keys have it."""
        return paths.below_root(self.owner, info.path)

    def is_directory(self, path: str) -> bool:
        """Tell whether a path that was looked at is a directory; the root is always one."""
        known = path == paths.MEMORIES or path in self.directories or bool(self._below.get(path))
        return known and self._files.get(path) is None

    def leads_through_a_file(self, path: str) -> bool:
        """Tell whether something above a path that was looked at is a file."""
        return any(self._files[each] is not None for each in paths.ancestors(path) if each)

    def content(self, path: str, stored: StoredFile) -> str:
        """Return what a file holds, whose parts are read once."""
        if path not in self._held:
            loads = [Pending(partial(self._store.load, self.owner, path, part)) for part in stored.body.parts]
            self._services.adapters.parallel(loads)
            self._held[path] = (b"".join(load.result for load in loads) + stored.body.tail).decode()
        return self._held[path]

    def commit(self, changes: Changes) -> None:
        """Write all changes or none.

        ChangedMeanwhile where another call changed something; PayloadTooLarge and QuotaExceeded over a limit.
        """
        version = self.next_version(changes)
        stored = {path: self._files[path] for path in changes.files}
        keeps = self._limits.file_versions > 0
        earlier = [path for path, each in stored.items() if keeps and each and path not in changes.moved]
        pruned = self._pruned(len(earlier))
        writes = _Writes([self._counters(version, len(earlier) - len(pruned), changes.directories)])
        for path, content in changes.files.items():
            self._change(writes, path, content, version, changes.operation_id)
        writes.added += [self._earlier(path, each) for path in earlier if (each := stored[path])]
        writes.dropped += [*map(Delete, map(Key.of, pruned)), *self._dropping(pruned)]
        writes.guarded += changes.more
        _check_size([*writes.guarded, *writes.added, *writes.dropped])
        self._store.commit(self.owner, writes.guarded, writes.growth, writes.added, writes.dropped)

    def next_version(self, changes: Changes) -> int:
        """Return the version that the files of these changes will have: above all that there were."""
        self.look_at_files(changes.files)
        found = [file.version for path in changes.files if (file := self._files[path]) is not None]
        return 1 + max([self._seen, *found])

    def look_at_files(self, wanted: Iterable[str]) -> None:
        """Read in one round those of these files that were not looked at."""
        gets = self._unread(wanted)
        self._services.adapters.parallel(list(gets.values()))
        self._files.update({path: each.result for path, each in gets.items()})

    def _unread(self, wanted: Iterable[str]) -> dict[str, Pending[StoredFile | None]]:
        """Return the reads of those of these files that were not looked at."""
        return {
            each: Pending(partial(self._store.stored, self.owner, each)) for each in wanted if each not in self._files
        }

    def _infos(self, path: str) -> tuple[FileInfo, ...]:
        return tuple(infos(self._services.adapters, self.owner, path))

    def _change(
        self, writes: _Writes, path: str, content: bytes | None, version: int, operation_id: str | None
    ) -> None:
        """Add the writes by which a file gets this content, or goes."""
        before = self._files[path]
        body = before.body if before else Body()
        change = self._effect(path, body, content)
        writes.growth += change.size - body.size
        if content is not None:
            record, parts = self._store.record(self.owner, path, before, change, version, operation_id)
            writes.guarded.append(Put(record.to_item(), Equals("version", before.version) if before else ABSENT))
            writes.added += parts
        elif before is not None:
            writes.guarded.append(Delete(where_of(self.owner, path), Equals("version", before.version)))
        if before is not None:
            writes.dropped += self._store.dropped(self.owner, path, change, before)

    def _effect(self, path: str, body: Body, content: bytes | None) -> Change:
        if content is None:
            return Change((), b"", body.parts)
        check_size(len(content), self._limits.file_bytes)
        return spliced(body, 0, body.size, content, partial(self._store.load, self.owner, path))

    def _counters(self, version: int, kept: int, directories: frozenset[str] | None) -> Update:
        """Return the write of the owner's counters and directories, which holds where the counter is as it was read."""
        listed = "\n".join(sorted(self.directories if directories is None else directories))
        if len(listed) > MOST_DIRECTORY_BYTES:
            most = {"limit": "directories", "most": MOST_DIRECTORY_BYTES}
            raise QuotaExceeded(f"All directories together have names of at most {MOST_DIRECTORY_BYTES} bytes", most)
        return moved(self.owner, self._seen, version, kept=self._kept + kept, dirs=listed)

    def _earlier(self, path: str, stored: StoredFile) -> Put:
        """Return the write that keeps what a file held until now, and which operation wrote that, if it is known."""
        where = Key(session_pk(self.owner), version_sk(stored.version, path))
        text, operation_id = self.content(path, stored), stored.operation_id
        held = text if operation_id is None else {"text": text, "operation_id": operation_id}
        sealed = self._services.vault.seal(self.owner.tenant, where, held)
        said = {"size": stored.record.size, "at": rfc3339(stored.record.updated_at)}
        return Put({"pk": where.pk, "sk": where.sk, **said, **sealed})

    def _pruned(self, added: int) -> Sequence[Attributes]:
        """Return the earlier versions that go, the oldest, where so many are added."""
        surplus = self._kept + added - self._limits.file_versions
        if surplus <= 0 or not self._kept:
            return ()
        low, high = prefix_range(VERSIONS)
        return self._table.query(Query(session_pk(self.owner), low, high, limit=min(surplus, 2 * added + 1))).items

    def _dropping(self, pruned: Sequence[Attributes]) -> Iterator[Write]:
        yield from dropping(
            self._services.adapters, self.owner, [blob for item in pruned if (blob := blob_of(item)) is not None]
        )


def _check_size(writes: Sequence[Write]) -> None:
    size = sum(item_bytes(write.item) for write in writes if isinstance(write, Put))
    if len(writes) >= MAX_TRANSACTION_WRITES or size > MAX_TRANSACTION_BYTES - MOST_DIRECTORY_BYTES:
        raise PayloadTooLarge(
            "A directory with so many files is not changed at once: change it file by file",
            {"limit": "writes", "most": MAX_TRANSACTION_WRITES},
        )
