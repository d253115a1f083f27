"""Erase a user: every turn, fact and text of theirs, also from sessions that others share.

It goes twice over the store, further apart than any call lives: what was being written during the first pass is
met by the second. Views of the log in other processes notice by themselves that its newest entry is gone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from cairn.archive.archive import Archive
from cairn.calls.receipts import opened
from cairn.custody import quarantine
from cairn.custody.erase_actor import EraseActor
from cairn.custody.erase_memories import EraseMemories
from cairn.custody.kept_bundles import KeptBundles
from cairn.custody.scope import DataScope, holds_turns, own_turns, parts_of
from cairn.custody.task_records import TaskRecords
from cairn.files.own_files import OwnFiles
from cairn.ground.codec import canonical
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Digest, Project, SessionId, trunk
from cairn.ground.paging import every
from cairn.ground.ports import Inventory
from cairn.ground.progress import Told, stepped, untold
from cairn.ground.settings import Limits
from cairn.ground.table import AllOf, Attributes, Delete, Equals, Key, Query, Update, Write, tenant_of
from cairn.log.layout import log_owner, log_pk, registry_pk, registry_sk
from cairn.log.log import LATE_APPEND
from cairn.plans.model import Plan
from cairn.plans.records import PlanRecords
from cairn.sessions.dropped_blobs import discard
from cairn.sessions.head import REMOVALS, Head, naming
from cairn.sessions.layout import (
    HEAD,
    NEWEST_SUMMARY,
    OPERATIONS,
    PACKED,
    guard_sk,
    session_of,
)
from cairn.sessions.leased import Leased, leased
from cairn.sessions.services import SessionServices
from cairn.upkeep.erase_session import DERIVED, EraseSession
from cairn.vault.vault import blob_of

_DIGEST = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True)
class ErasedUser:
    """Counts what was removed: log items, sessions of theirs alone, their turns in others, blobs; and what is left.

    `memories` are those in logs that others share, `archived` the sessions that were theirs alone, in the archive.
    `files` are those of theirs that are no session's. `exports` are those whose bundles may have held something of
    theirs: they are gone, with all else that was in them.
    `left` counts what a recount found: the user was speaking meanwhile, and the command is to be run again.
    """

    log_items: int = 0
    sessions: int = 0
    shared_turns: int = 0
    blobs: int = 0
    left: int = 0
    memories: int = 0
    archived: int = 0
    exports: int = 0
    files: int = 0


class EraseUser:
    """Erases a user, for an operator; it can be stopped at any time and run again."""

    def __init__(
        self,
        services: SessionServices,
        inventory: Inventory,
        told: Told = untold,
        pause: Callable[[timedelta], None] | None = None,
    ) -> None:
        """Tell how far it is, and wait by `pause`, which is the clock's unless given."""
        self._services = services
        self._adapters = services.adapters
        self._inventory = inventory
        self._told = told
        self._pause = pause or self._sleep
        self._memories = EraseMemories(services, inventory, told)
        self._bundles = KeptBundles(services.adapters, services.vault)
        self._tasks = TaskRecords(services.adapters, services.vault)
        self._plans = PlanRecords(services.adapters, services.vault)
        self._archive = Archive(services)
        self._sessions = EraseSession(services)
        self._files = OwnFiles(services, Limits())
        self._actors = EraseActor(services)

    def run(self, scope: DataScope) -> ErasedUser:
        """Remove all that the user of this scope has; ResourceBusy where a session of theirs stays in use."""
        if scope.user is None:
            raise InvalidArgument("user", "must be named")
        quarantine.empty(self._adapters.table, scope.tenant)
        once = self._pass(scope, last=False)
        unnamed = self._unnamed_blobs(scope)
        self._pause(LATE_APPEND)
        again = self._pass(scope, last=True)
        unnamed &= self._unnamed_blobs(scope)
        for digest in unnamed:
            self._adapters.blobs.delete(scope.tenant, digest)
        self._told("overwriting", 0, 0)
        self._inventory.scrub()
        return ErasedUser(
            once.log_items + again.log_items,
            once.sessions + again.sessions,
            once.shared_turns + again.shared_turns,
            once.blobs + again.blobs + len(unnamed),
            self._left(scope),
            once.memories + again.memories,
            once.archived + again.archived,
            once.exports + again.exports,
            once.files + again.files,
        )

    def _left(self, scope: DataScope) -> int:
        of_sessions = sum(1 for _ in self._log_items(scope)) + len(self._heads(scope))
        return of_sessions + self._memories.left(scope) + len(self._owned(scope))

    def _sleep(self, length: timedelta) -> None:
        self._adapters.clock.sleep(length.total_seconds())

    def _pass(self, scope: DataScope, *, last: bool) -> ErasedUser:
        heads = self._heads(scope)
        alone = [head for head in heads if head.owners == (scope.owner,)]
        shared = [head for head in heads if head not in alone]
        turns = sum(self._cleanse(scope, head, last=last) for head in stepped(self._told, "shared sessions", shared))
        archived = sum(self._archive.delete_session(scope.tenant, name) for name in self._sole_sessions(scope))
        if scope.project is None and scope.user is not None:  # an archived session is in no project
            archived += self._archive.delete_user(scope.tenant, scope.user)
        blobs = sum(self._empty(head) for head in stepped(self._told, "sessions", alone))
        log = list(self._log_items(scope))
        blobs += sum(map(self._delete, stepped(self._told, "log items", log)))
        files = sum(map(self._erase_files, stepped(self._told, "files", self._owned(scope))))
        if scope.user is not None:
            self._actors.run(scope.tenant, self._projects_of_documents(scope), scope.user)
        for plan in self._plans.every(scope.tenant):
            if _may_tell_of(scope, plan):
                self._plans.remove(plan)
        memories, exports = self._memories.run(scope), self._without_bundles(scope)
        return ErasedUser(
            len(log), len(alone), turns, blobs, memories=memories, archived=archived, exports=exports, files=files
        )

    def _without_bundles(self, scope: DataScope) -> int:
        """Remove the bundles that may hold something of the user, and have exports stop that are making one."""
        found = [task for task in self._tasks.every(scope.tenant) if task.scope.may_hold(scope)]
        for task in found:
            self._tasks.stop_export(task)
        return sum(self._bundles.remove(scope.tenant, task.id) > 0 for task in found)

    def _heads(self, scope: DataScope) -> list[Head]:
        return [head for head in self._every_head(scope) if scope.has_session(head)]

    def _every_head(self, scope: DataScope) -> Iterator[Head]:
        return (Head.of(item) for item in self._items(scope) if item["sk"] == HEAD)

    def _sole_sessions(self, scope: DataScope) -> list[SessionId]:
        return sorted(scope.sole_sessions(self._every_head(scope)))

    def _log_items(self, scope: DataScope) -> Iterator[Attributes]:
        return (item for item in self._items(scope) if _is_own(scope, item) or self._is_receipt(scope, item))

    def _is_receipt(self, scope: DataScope, item: Attributes) -> bool:
        """Tell whether an item is a receipt of what was asked for the user, in the project if one is named."""
        if not scope.asked(item):
            return False
        if scope.project is None:
            return True
        asked = opened(self._services.vault, scope.tenant, item).project
        return asked is not None and trunk(asked) == scope.project

    def _items(self, scope: DataScope) -> Iterator[Attributes]:
        for item in self._inventory.items(scope.tenant):
            self._told("items", 0, 0)
            yield item

    def _empty(self, head: Head) -> int:
        """Delete a session that is the user's alone, with what it remembered for itself; return how many blobs."""
        session = session_of(head.key.pk)
        owner = log_owner(None, session.session_id)
        log = log_pk(session.tenant, session.project, owner)
        with leased(self._services, session) as held:
            blobs = 0
            for item in every(self._adapters.table, Query(log, "\x01", "\U0010ffff")):
                held.keep()
                blobs += self._delete(item)
            registered = Key(registry_pk(session.tenant, session.project), registry_sk(owner))
            self._adapters.table.delete(Delete(registered))
            return blobs + sum(self._sessions.empty(held))

    def _projects_of_documents(self, scope: DataScope) -> list[Project]:
        """Return the projects that have documents of their own."""
        parted = {parts_of(Key.of(item).pk) for item in self._inventory.items(scope.tenant)}
        kept = {Project(project) for kind, project, owner in parted if (kind, owner) == ("d", "p:") and project}
        return sorted(each for each in kept if scope.project in {None, each})

    def _owned(self, scope: DataScope) -> list[str]:
        """Return the partitions of the files that the user has in no session."""
        return sorted({where.pk for item in self._items(scope) if scope.has_files((where := Key.of(item)).pk)})

    def _erase_files(self, pk: str) -> int:
        """Delete the files in a partition with all versions of them; return how many files that were."""
        owner, files = session_of(pk), 0
        for path in self._files.paths(owner):
            files += self._files.delete(owner, path, None)
        discard(self._adapters, owner)
        for item in every(self._adapters.table, Query(pk, "\x01", "\U0010ffff")):
            self._delete(item)
        return files

    def _delete(self, item: Attributes) -> int:
        """Delete an item and the blob that holds its content; return how many blobs that were."""
        where, blob = Key.of(item), blob_of(item)
        self._adapters.table.delete(Delete(where))
        if blob is None:
            return 0
        self._adapters.blobs.delete(tenant_of(where.pk), blob)
        return 1

    def _cleanse(self, scope: DataScope, head: Head, *, last: bool) -> int:
        """Take the user's turns out of a session, and what was made of them; with `last` the user's name too."""
        pk = head.key.pk
        with leased(self._services, session_of(pk)) as lease:
            turns = 0
            discard(self._adapters, lease.session)
            for item in every(self._adapters.table, Query(pk, NEWEST_SUMMARY, NEWEST_SUMMARY)):
                self._delete(item)
            for item in every(self._adapters.table, Query(pk, "\x01", "\U0010ffff")):
                lease.keep()
                sk = Key.of(item).sk
                if sk.startswith(DERIVED) or self._is_begun_by(scope, item):
                    self._delete(item)
                elif holds_turns(sk):
                    turns += self._without_own(scope, lease, item)
            if last:
                others = [owner for owner in lease.head.owners if owner != scope.owner]
                # Counted again, for who met a turn that was just being removed behind a head that said so.
                lease.write([Update(lease.key, set=naming(others), add={REMOVALS: 1}, condition=lease.held)])
        return turns

    def _is_begun_by(self, scope: DataScope, item: Attributes) -> bool:
        if not Key.of(item).sk.startswith(OPERATIONS):
            return False
        return self._services.vault.unseal(scope.tenant, item)["user_id"] == scope.user

    def _without_own(self, scope: DataScope, lease: Leased, item: Attributes) -> int:
        """Remove the user's turns from an item of events, with their guards; count them in the head, which says so."""
        where = Key.of(item)
        content: list[Any] = self._services.vault.unseal(scope.tenant, item)
        own = own_turns(where.sk, content, scope.user)
        if not own:
            return 0
        is_packed = where.sk.startswith(PACKED)
        events: list[Any] = [event for _, turn in own for event in turn] if is_packed else own
        turns = len(own) if is_packed else 1
        kept = [turn for turn in content if turn not in own]
        unchanged = AllOf(tuple(Equals(name, item[name]) for name in ("data", "blob") if name in item))
        guards = {guard_sk(event["turn_id"]) for event in events}
        writes: list[Write] = [Delete(Key(where.pk, guard)) for guard in sorted(guards)]
        writes.append(Update(lease.key, add={"erased": turns, REMOVALS: 1}, condition=lease.held))
        if kept:
            sealed = self._services.vault.seal(scope.tenant, where, kept)
            gone = tuple(name for name in ("data", "blob") if name in item and name not in sealed)
            writes.append(Update(where, set=sealed, remove=gone, condition=unchanged))
        else:
            writes.append(Delete(where, unchanged))
        lease.write(writes)
        if (blob := blob_of(item)) is not None:
            self._adapters.blobs.delete(scope.tenant, blob)
        return turns

    def _unnamed_blobs(self, scope: DataScope) -> set[Digest]:
        """Return the tenant's blobs that no item names, in the clear or in its content."""
        blobs = set(self._inventory.blobs(scope.tenant))
        for item in self._items(scope):
            texts = " ".join(value for value in item.values() if isinstance(value, str))
            if "kid" in item:
                texts += canonical(self._services.vault.unseal(scope.tenant, item)).decode()
            blobs.difference_update(Digest(found) for found in _DIGEST.findall(texts))
        return blobs


def _is_own(scope: DataScope, item: Attributes) -> bool:
    """Tell whether an item is of what the user has for themselves: memory logs, item logs, documents."""
    where = Key.of(item)
    return scope.has_log(where.pk) or scope.registers(item) or scope.keeps(where)


def _may_tell_of(scope: DataScope, plan: Plan) -> bool:
    """Tell whether a plan may tell of the user and is over with this; an erasure under way loses its names itself."""
    whose = DataScope(plan.tenant, plan.project, plan.user)
    if plan.kind == "erase" and plan.state in {"waiting", "applying"}:
        return plan.state == "waiting" and scope.user == whose.user and scope.project in {None, whose.project}
    return plan.kind != "key" and whose.may_hold(scope)
