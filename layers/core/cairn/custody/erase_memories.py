"""Erase the memories that a user kept in logs shared with others: those of projects and of sessions.

The log's segments go with it and are built again, and its manifest counts that it was rewritten, so that a process that
has the log in memory reads all of it again at its next refresh.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TypeAlias

from cairn.custody.bundles import DataScope
from cairn.ground.ids import Tenant
from cairn.ground.ports import Inventory
from cairn.ground.progress import Told, stepped, untold
from cairn.ground.session import Session
from cairn.ground.table import Delete, Key, Update, Write
from cairn.log.layout import DISCARDED, ENTRIES, SESSION_OWNER, log_of, memory_sk, session_owner
from cairn.log.segments import Segments
from cairn.sessions.layout import MEMORY_COUNT, session_pk
from cairn.sessions.services import SessionServices

_AT_ONCE = 20
"""How many memories go in one transaction: each with its item, its entry and one more where it was forgotten.

The transaction also names the log's segments, at most seven a level.
"""


_Found: TypeAlias = dict[str, dict[str, list[str]]]
"""By log, a user's memories in it: the id of each with its places in the log. None where only a blob is to go."""


class EraseMemories:
    """Removes a user's memories from shared logs; it can be stopped at any time and run again."""

    def __init__(self, services: SessionServices, inventory: Inventory, told: Told = untold) -> None:
        """Tell that it goes on."""
        self._services = services
        self._inventory = inventory
        self._told = told
        self._segments = Segments(services.adapters, services.vault)

    def run(self, scope: DataScope) -> int:
        """Remove them, with how they ended where they were forgotten; return how many."""
        found = self._found(scope)
        for pk, own in stepped(self._told, "logs that others share", found.items()):
            self._remove(scope.tenant, pk, own)
        return sum(map(len, found.values()))

    def left(self, scope: DataScope) -> int:
        """Return how many there are."""
        return sum(map(len, self._found(scope).values()))

    def _found(self, scope: DataScope) -> _Found:
        found: _Found = {}
        for item in self._inventory.items(scope.tenant):
            self._told("memories", 0, 0)
            where = Key.of(item)
            pk, sk = where.pk, where.sk
            if not scope.shares(pk):
                continue
            if sk.startswith(DISCARDED):  # an erasure that was stopped may have left it
                found.setdefault(pk, {})
            if not sk.startswith(ENTRIES):
                continue
            record = self._services.vault.unseal(scope.tenant, item)
            for memory in record.get("remembered", ()):
                if memory["user"] == scope.user:
                    found.setdefault(pk, {})[memory["id"]] = [memory_sk(memory["id"]), sk]
            for ending in record.get("forgotten", ()):
                if ending["id"] in found.get(pk, {}):
                    found[pk][ending["id"]].append(sk)
        return found

    def _remove(self, tenant: Tenant, pk: str, own: Mapping[str, Sequence[str]]) -> None:
        """Remove all of a memory or nothing, so that what is left of it is always found again."""
        _, project, owner = log_of(pk)
        places = list(own.values())
        for first in range(0, len(places), _AT_ONCE):
            some = places[first : first + _AT_ONCE]
            deletes = [Delete(Key(pk, sk)) for each in some for sk in each]
            self._segments.rewrite(pk, [*deletes, *_noted_on_head(pk, len(some))])
        self._segments.drop_discarded(tenant, pk)
        self._services.indexer.run(tenant, project, owner)


def _noted_on_head(pk: str, erased: int) -> Iterator[Write]:
    """Yield the write by which a session's head tells that its memories are others now."""
    tenant, project, owner = log_of(pk)
    if owner.startswith(SESSION_OWNER):
        session = Session(tenant, project, session_owner(owner))
        yield Update(Key(session_pk(session), MEMORY_COUNT), add={"erased": erased})
