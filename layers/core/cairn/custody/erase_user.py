"""Erase a user: every turn, fact and text of theirs, also from sessions that others share.

It goes twice over the store, further apart than any call lives: what was being written during the first pass is
met by the second. Views of the log in other processes notice by themselves that its newest entry is gone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from cairn.archive.archive import Archive
from cairn.custody import quarantine
from cairn.custody.erase_memories import EraseMemories
from cairn.custody.scope import DataScope, own_turns
from cairn.ground.codec import canonical
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Digest, SessionId
from cairn.ground.paging import every
from cairn.ground.ports import Inventory
from cairn.ground.table import AllOf, Attributes, Delete, Equals, Key, Query, Update, Write, tenant_of
from cairn.log.layout import log_owner, log_pk, registry_pk, registry_sk
from cairn.log.log import LATE_APPEND
from cairn.sessions.dropped_blobs import discard
from cairn.sessions.head import REMOVALS, Head, naming
from cairn.sessions.layout import (
    FIRST_EVENT,
    HEAD,
    LAST_EVENT,
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
    `left` counts what a recount found: the user was speaking meanwhile, and the command is to be run again.
    """

    log_items: int = 0
    sessions: int = 0
    shared_turns: int = 0
    blobs: int = 0
    left: int = 0
    memories: int = 0
    archived: int = 0


class EraseUser:
    """Erases a user, for an operator; it can be stopped at any time and run again."""

    def __init__(self, services: SessionServices, inventory: Inventory) -> None:
        """Hold no state of its own."""
        self._services = services
        self._adapters = services.adapters
        self._inventory = inventory
        self._memories = EraseMemories(services, inventory)
        self._archive = Archive(services)
        self._sessions = EraseSession(services)

    def run(self, scope: DataScope) -> ErasedUser:
        """Remove all that the user of this scope has; ResourceBusy where a session of theirs stays in use."""
        if scope.user is None:
            raise InvalidArgument("user", "must be named")
        quarantine.empty(self._adapters.table, scope.tenant)
        once = self._pass(scope, last=False)
        unnamed = self._unnamed_blobs(scope)
        self._adapters.clock.sleep(LATE_APPEND.total_seconds())
        again = self._pass(scope, last=True)
        unnamed &= self._unnamed_blobs(scope)
        for digest in unnamed:
            self._adapters.blobs.delete(scope.tenant, digest)
        self._inventory.scrub()
        return ErasedUser(
            once.log_items + again.log_items,
            once.sessions + again.sessions,
            once.shared_turns + again.shared_turns,
            once.blobs + again.blobs + len(unnamed),
            sum(1 for _ in self._log_items(scope)) + len(self._heads(scope)) + self._memories.left(scope),
            once.memories + again.memories,
            once.archived + again.archived,
        )

    def _pass(self, scope: DataScope, *, last: bool) -> ErasedUser:
        heads = self._heads(scope)
        alone = [head for head in heads if head.owners == (scope.owner,)]
        turns = sum(self._cleanse(scope, head, last=last) for head in heads if head not in alone)
        archived = sum(self._archive.delete_session(scope.tenant, name) for name in self._sole_sessions(scope))
        if scope.project is None and scope.user is not None:  # an archived session is in no project
            archived += self._archive.delete_user(scope.tenant, scope.user)
        blobs = sum(self._empty(head) for head in alone)
        log = list(self._log_items(scope))
        blobs += sum(map(self._delete, log))
        memories = self._memories.run(scope)
        return ErasedUser(len(log), len(alone), turns, blobs, memories=memories, archived=archived)

    def _heads(self, scope: DataScope) -> list[Head]:
        return [head for head in self._every_head(scope) if scope.has_session(head)]

    def _every_head(self, scope: DataScope) -> Iterator[Head]:
        return (Head.of(item) for item in self._inventory.items(scope.tenant) if item["sk"] == HEAD)

    def _sole_sessions(self, scope: DataScope) -> list[SessionId]:
        return sorted(scope.sole_sessions(self._every_head(scope)))

    def _log_items(self, scope: DataScope) -> Iterator[Attributes]:
        items = self._inventory.items(scope.tenant)
        return (item for item in items if scope.has_log(Key.of(item).pk) or scope.registers(item))

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
                elif FIRST_EVENT <= sk <= LAST_EVENT or sk.startswith(PACKED):
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
        for item in self._inventory.items(scope.tenant):
            texts = " ".join(value for value in item.values() if isinstance(value, str))
            if "kid" in item:
                texts += canonical(self._services.vault.unseal(scope.tenant, item)).decode()
            blobs.difference_update(Digest(found) for found in _DIGEST.findall(texts))
        return blobs
