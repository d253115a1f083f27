"""Collect documents that have expired, and blobs that no document has any more.

The index lists both under their tenant, by the moment at which they fall due. Whoever writes collects a batch once
enough has fallen due, so that a tenant that writes cleans up after itself; the counters move in the same transaction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial

from cairn.documents import changes, layout
from cairn.documents.changes import Change
from cairn.documents.model import Held, Owner, Place, owner_of
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.codec import rfc3339
from cairn.ground.errors import TransactionRefused
from cairn.ground.ids import Digest, Tenant
from cairn.ground.table import Attributes, Delete, Key, Query

BATCH = 24
"""How much is collected at once: a write for each document, and a few beside, make one transaction of at most 100."""


class Collector:
    """Finds and removes what has expired or is no longer used."""

    def __init__(self, adapters: Adapters) -> None:
        """Hold no state of its own."""
        self._adapters = adapters

    def due(self, tenant: Tenant) -> tuple[Attributes, ...]:
        """Return up to a batch of what has fallen due, as far as the index knows."""
        until = rfc3339(self._adapters.clock.now())
        query = Query(layout.due_pk(tenant), "", until, limit=BATCH, index=True)
        return self._adapters.table.query(query).items

    def collect(self, tenant: Tenant, due: Iterable[Attributes]) -> int:
        """Remove what is due and return how much that was; what changed meanwhile is left to the next time."""
        drops, places = list[Key](), defaultdict[Owner, list[Place]](list)
        for item in due:
            where = Key.of(item)
            if layout.is_drop(where.sk):
                drops.append(where)
            else:
                places[owner_of(where.pk)].append(Place(*layout.place_of(where.sk)))
        calls = [Pending(partial(self._discard, tenant, where)) for where in drops]
        calls += [Pending(partial(self._expire, owner, expired)) for owner, expired in places.items()]
        self._adapters.parallel(calls)
        return sum(call.result for call in calls)

    def collect_all(self, tenant: Tenant) -> int:
        """Remove all that is due and return how much that was."""
        collected = 0
        while batch := self.collect(tenant, self.due(tenant)):
            collected += batch
        return collected

    def _discard(self, tenant: Tenant, where: Key) -> int:
        item = self._adapters.table.get(where)
        if item is None:  # the index is behind
            return 0
        for digest in str(item.get("blobs", "")).split():
            self._adapters.blobs.delete(tenant, Digest(digest))
        self._adapters.table.delete(Delete(where))
        return 1

    def _expire(self, owner: Owner, places: Sequence[Place]) -> int:
        now = self._adapters.clock.now()
        reads = [Pending(partial(self._adapters.table.get, Key(owner.pk, place.sk))) for place in places]
        self._adapters.parallel(reads)
        held = [None if read.result is None else Held.of(read.result) for read in reads]
        gone = [
            Change(place, old, None)
            for place, old in zip(places, held, strict=True)
            if old is not None and not old.removed and not old.is_there(now)
        ]
        if not gone:
            return 0
        try:
            self._adapters.table.transact(changes.writes(self._adapters, owner, gone, None))
        except TransactionRefused:
            return 0
        return len(gone)
