"""The files of the memory tool: those of a user, a session or a project, under `/memories`, with their versions.

Each change is one transaction, and the owner's next version is its number: of two changes at once one is made anew on
what the other left. Only the deletion of a large directory takes several, after each of which it can go on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime

from cairn.files import commands, paths
from cairn.files.commands import Command, Plan, View, Write
from cairn.files.files import FileInfo
from cairn.files.layout import VERSIONS, version_of, version_sk
from cairn.files.memory_paths import shown, stored
from cairn.files.memory_tree import MemoryTree
from cairn.files.own_files import OwnFiles
from cairn.files.receipts import Done, Operation, Receipts
from cairn.files.store import infos
from cairn.ground.attributes import moment, number
from cairn.ground.errors import Conflict, NotFound
from cairn.ground.paging import every
from cairn.ground.session import Session
from cairn.ground.settings import Limits
from cairn.ground.table import Key, Query, prefix_range
from cairn.sessions.layout import session_pk
from cairn.sessions.services import SessionServices


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """What a change holds to: the version that its file has, 0 for none, and the operation that it is.

    None of either asks for nothing.
    """

    version: int | None = None
    operation: Operation | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryFile:
    """A file as it is or was; `size` is in bytes. The operation that wrote it is told where one is read, if known."""

    path: str
    version: int
    size: int
    updated_at: datetime
    content: str = ""
    operation_id: str | None = None


ANY = Condition()


class MemoryFiles:
    """Runs the tool's commands, and reads and writes files for programs."""

    def __init__(self, services: SessionServices, limits: Limits) -> None:
        """Work with these parts, within these limits."""
        self._services = services
        self._limits = limits
        self._own = OwnFiles(services, limits)
        self._receipts = Receipts(services)

    def view(self, owner: Session, command: View) -> Done:
        """Return what a directory or a file shows; NotFound and InvalidArgument in the tool's words."""
        words, file = self._own.unchanged(lambda: commands.view(self._tree(owner), command))
        return Done(words=words, version=file.version if file else None, existed=True)

    def run(self, owner: Session, command: Command, condition: Condition = ANY) -> Done:
        """Carry out a command, and return its answer, or that of the same operation if it was done before.

        NotFound, Conflict and InvalidArgument in the tool's words. Conflict where the file has another version, or the
        operation's id was used with other arguments; PayloadTooLarge and QuotaExceeded over a limit; ResourceBusy where
        other calls change the files all the time.
        """
        done = self._own.unchanged(lambda: self._attempt(owner, command, condition))
        further = replace(condition, version=None)
        while done is None:
            done = self._own.unchanged(lambda: self._attempt(owner, command, further))
        return done

    def read(self, owner: Session, path: str, version: int | None = None) -> MemoryFile | None:
        """Return a file as it is, or was in an earlier version; None where there is none such."""
        where = stored(path)
        found = self._own.unchanged(lambda: self._read(owner, where))
        return found if version is None or (found and found.version == version) else self._was(owner, where, version)

    def list(self, owner: Session, prefix: str = "", after: str | None = None) -> Iterator[MemoryFile]:
        """Yield the files whose paths begin so, without content, in the order of keys; behind a path, if given."""
        behind = "" if after is None else stored(after, "after")
        for info in infos(self._services.adapters, owner, paths.MEMORIES, behind):
            file = _known(owner, info)
            if file.path.startswith(prefix) and paths.below_root(owner, info.path) > behind:
                yield file

    def versions(self, owner: Session, path: str) -> Iterator[MemoryFile]:
        """Yield the earlier versions of a file that are kept, the oldest first, and then the file; without content."""
        where = stored(path)
        low, high = prefix_range(VERSIONS)
        for item in every(self._services.adapters.table, Query(session_pk(owner), low, high)):
            version, of = version_of(Key.of(item).sk)
            if of == where:
                size, at = number(item, "size"), moment(item, "at")
                yield MemoryFile(path=shown(where), version=version, size=size, updated_at=at)
        info = self._own.info(owner, where)
        if info is not None:
            yield _known(owner, info)

    def restore(self, owner: Session, path: str, version: int, condition: Condition = ANY) -> Done:
        """Write what a file held in a version as its newest; NotFound where that is not kept."""
        found = self.read(owner, path, version)
        if found is None:
            raise NotFound("this version of the file is not kept", {"path": path, "version": version})
        return self.run(owner, Write(path, found.content), condition)

    def operation(self, owner: Session, operation: Operation) -> Done | None:
        """Return what an operation answered, None where it was not done; Conflict where its arguments were others."""
        return self._receipts.find(owner, operation)

    def _tree(self, owner: Session) -> MemoryTree:
        return MemoryTree(self._services, self._limits, owner)

    def _attempt(self, owner: Session, command: Command, condition: Condition) -> Done | None:
        """Return the answer, None where more is to be done."""
        operation = condition.operation
        if operation is not None and (before := self._receipts.find(owner, operation)) is not None:
            return before
        tree = self._tree(owner)
        self._check_version(tree, command, condition.version)
        plan = commands.planned(tree, command)
        done = Done(words=plan.words, existed=plan.existed)
        if plan.error is not None or not plan.last:
            if _changes(tree, plan):
                tree.commit(plan.changes)
            if plan.error is not None:
                raise plan.error
            return None
        return self._settle(tree, plan, done, operation)

    def _settle(self, tree: MemoryTree, plan: Plan, done: Done, operation: Operation | None) -> Done:
        """Store what a plan changes, and with it that the operation is done."""
        answer = replace(done, version=tree.next_version(plan.changes) if plan.versioned else None)
        if operation is not None:
            plan.changes.operation_id = operation.told
            plan.changes.more.append(self._receipts.written(tree.owner, operation, answer))
        if operation is not None or _changes(tree, plan):
            tree.commit(plan.changes)
        return answer

    def _check_version(self, tree: MemoryTree, command: Command, expected: int | None) -> None:
        if expected is None:
            return
        path = commands.target(command)
        tree.look_at_files([path])
        file = tree.file(path)
        version = file.version if file else 0
        if version != expected:
            raise Conflict("the file has another version", {"version": version})

    def _read(self, owner: Session, where: str) -> MemoryFile | None:
        tree = self._tree(owner)
        tree.look_at_files([where])
        file = tree.file(where)
        if file is None:
            return None
        record = file.record
        return MemoryFile(
            path=shown(where),
            version=record.version,
            size=record.size,
            updated_at=record.updated_at,
            content=tree.content(where, file),
            operation_id=file.operation_id,
        )

    def _was(self, owner: Session, where: str, version: int) -> MemoryFile | None:
        item = self._services.adapters.table.get(Key(session_pk(owner), version_sk(version, where)))
        if item is None:
            return None
        held, at = self._services.vault.unseal(owner.tenant, item), moment(item, "at")
        said = (
            {"content": held}
            if isinstance(held, str)
            else {"content": held["text"], "operation_id": held["operation_id"]}
        )
        return MemoryFile(path=shown(where), version=version, size=number(item, "size"), updated_at=at, **said)


def _changes(tree: MemoryTree, plan: Plan) -> bool:
    """Tell whether a plan changes anything."""
    directories = plan.changes.directories
    return bool(plan.changes.files) or (directories is not None and directories != tree.directories)


def _known(owner: Session, info: FileInfo) -> MemoryFile:
    path = shown(paths.below_root(owner, info.path))
    return MemoryFile(path=path, version=info.version or 0, size=info.size, updated_at=info.updated_at)
