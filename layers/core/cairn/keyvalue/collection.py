"""Collect garbage of key-value memory: expired keys, and blobs of values that are gone.

The index lists both under their tenant, by the moment at which they fall due. Whoever writes collects a batch once
enough has fallen due, so that a tenant that writes cleans up after itself; the counters move in the same transaction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial

from cairn.ground.adapters import Adapters, Pending
from cairn.ground.attributes import text
from cairn.ground.codec import rfc3339
from cairn.ground.errors import TransactionRefused, Unavailable
from cairn.ground.ids import Digest, Namespace, Tenant
from cairn.ground.paging import every
from cairn.ground.ports import Reads
from cairn.ground.table import Attributes, Delete, Key, Query, prefix_range
from cairn.keyvalue import changes
from cairn.keyvalue import layout as keyvalue_layout
from cairn.keyvalue.changes import Change
from cairn.keyvalue.model import Entry, Place, Recount, Usage

RECOUNTS = 6
"""How often keys are counted again because some were written meanwhile."""
BATCH = 24
"""How much is collected at once: four writes for each key and the counters make one transaction of at most 100."""


class Collector:
    """Finds and removes what has expired or is no longer used."""

    def __init__(self, adapters: Adapters) -> None:
        """Hold no state of its own."""
        self._adapters = adapters

    def due(self, tenant: Tenant) -> tuple[Attributes, ...]:
        """Return up to a batch of what has fallen due in any namespace, as far as the index knows."""
        until = rfc3339(self._adapters.clock.now())
        return self._adapters.table.query(
            Query(keyvalue_layout.namespaces_pk(tenant), "", until, limit=BATCH, index=True)
        ).items

    def expired(self, tenant: Tenant, namespace: Namespace) -> tuple[Attributes, ...]:
        """Return up to a batch of a namespace's expired keys."""
        low, high = keyvalue_layout.expired_by(self._adapters.clock.now())
        return self._adapters.table.query(
            Query(keyvalue_layout.namespace_pk(tenant, namespace), low, high, limit=BATCH)
        ).items

    def collect(self, tenant: Tenant, due: Iterable[Attributes]) -> int:
        """Remove what is due and return how much that was; what changed meanwhile is left to the next time."""
        blobs: list[Key] = []
        keys: dict[Namespace, list[Place]] = defaultdict(list)
        for item in due:
            where = Key.of(item)
            if where.sk.startswith(keyvalue_layout.garbage_sk(Digest(""))):
                blobs.append(where)
            else:
                namespace = keyvalue_layout.namespace_of(where.pk)
                keys[namespace].append(Place(tenant, namespace, keyvalue_layout.expired_key(where.sk)))
        calls = [Pending(partial(self._discard, tenant, where)) for where in blobs]
        calls += [Pending(partial(self._expire, places)) for places in keys.values()]
        self._adapters.parallel(calls)
        return sum(call.result for call in calls)

    def collect_all(self, tenant: Tenant) -> int:
        """Remove all that is due and return how much that was."""
        collected = 0
        while batch := self.collect(tenant, self.due(tenant)):
            collected += batch
        return collected

    def recount(self, tenant: Tenant, reads: Reads | None = None) -> tuple[Recount, ...]:
        """Count every key of the tenant beside its counters, the whole tenant's last; as these reads find them.

        Counted again where a counter moved meanwhile; Unavailable where it does each time.
        """
        found_by = reads or self._adapters.table
        total_at = Key(keyvalue_layout.namespaces_pk(tenant), keyvalue_layout.USAGE)
        low, high = prefix_range(keyvalue_layout.namespace_sk(Namespace("")))
        for _ in range(RECOUNTS):
            before = found_by.get(total_at)
            items = every(found_by, Query(keyvalue_layout.namespaces_pk(tenant), low, high))
            names = [Namespace(str(item["sk"]).removeprefix(low)) for item in items]
            found = [_recounted(found_by, tenant, name) for name in names]
            if found_by.get(total_at) == before:
                whole = Usage(sum(each.counted.items for each in found), sum(each.counted.size for each in found))
                return (*found, Recount(None, Usage.of(before), whole))
        raise Unavailable("keys are written all the time; run the recount again")

    def _discard(self, tenant: Tenant, where: Key) -> int:
        item = self._adapters.table.get(where)  # the index may be behind what uses the blob again, or has just read it
        if item is None or text(item, "isk") > rfc3339(self._adapters.clock.now()):
            return 0
        self._adapters.blobs.delete(tenant, Digest(where.sk.removeprefix(keyvalue_layout.garbage_sk(Digest("")))))
        self._adapters.table.delete(Delete(where))
        return 1

    def _expire(self, places: Sequence[Place]) -> int:
        now = self._adapters.clock.now()
        reads = [Pending(partial(self._adapters.table.get, changes.entry_key(place))) for place in places]
        self._adapters.parallel(reads)
        entries = [None if read.result is None else Entry.of(read.result) for read in reads]
        gone = [
            Change(place, entry, None)
            for place, entry in zip(places, entries, strict=True)
            if entry is not None and not entry.is_there(now)
        ]
        if not gone:
            return 0
        writes = [write for change in gone for write in changes.writes(change, now)]
        try:
            self._adapters.table.transact([*writes, *changes.counting(gone, None)])
        except TransactionRefused:
            return 0
        return len(gone)


def _recounted(reads: Reads, tenant: Tenant, namespace: Namespace) -> Recount:
    pk, usage = keyvalue_layout.namespace_pk(tenant, namespace), Usage()
    kept = Usage.of(reads.get(Key(pk, keyvalue_layout.USAGE)))
    low, high = prefix_range(keyvalue_layout.entry_sk(""))
    for item in every(reads, Query(pk, low, high)):
        usage = usage.plus(Entry.of(item))
    return Recount(namespace, kept, usage)
