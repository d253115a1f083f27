"""Store the vectors of a log's newest entries right after they were appended.

So a process that reads them for the first time finds them by meaning at once; segments take their vectors over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import partial
from itertools import chain

from cairn.ground.adapters import Adapters
from cairn.ground.damage import sound
from cairn.ground.errors import ConditionFailed, EmbeddingFailed
from cairn.ground.ids import Tenant
from cairn.ground.jobs import EmbedLog
from cairn.ground.paging import every
from cairn.ground.ports import Embedder
from cairn.ground.table import Attributes, Equals, Key, Query, Update
from cairn.log.documents import KINDS, Vectors
from cairn.log.entry_vectors import VECTORS, sealed_vectors
from cairn.log.layout import is_entry, log_pk, log_range, with_across
from cairn.log.manifest import ENTRIES
from cairn.log.stretch import Tail
from cairn.vault.vault import Vault

PAGE = 3
"""How many items are read at once: the manifest, the newest entry, which mostly has none alone, and one before it."""
MOST = 2 * ENTRIES
"""How many entries a run looks at: older ones are a segment's, or soon will be."""
MOST_AT_ONCE, _MOST_READ = 4_000, 1_000
"""Of how many characters who appends makes vectors itself, since somebody waits; a model reads so many of each text."""


class TailVectors:
    """Gives vectors to the newest entries of logs."""

    def __init__(self, adapters: Adapters, vault: Vault, embedder: Embedder | None) -> None:
        """Make vectors with the embedder, or none without one."""
        self._adapters = adapters
        self._vault = vault
        self._embedder = embedder

    def store(self, job: EmbedLog, within: timedelta) -> int:
        """Store vectors with each of the newest entries that has none, and return with how many.

        The newest come first; what there is no time for, and what an embedder that fails leaves, is found by the next
        run or by whoever makes a segment of it.
        """
        if self._embedder is None:
            return 0
        until, count = self._adapters.clock.now() + within, 0
        with suppress(EmbeddingFailed):
            for entry in chain.from_iterable(map(self._without_vectors, self._logs(job))):
                count += self._store(job.tenant, entry, self._embedder)
                if self._adapters.clock.now() >= until:
                    break
        return count

    @staticmethod
    def _logs(job: EmbedLog) -> Iterator[str]:
        """Yield the partitions of the owner's log and of that across projects: a turn appends to both, as a rule."""
        return (log_pk(job.tenant, job.project, owner) for owner in with_across([job.owner]))

    def _without_vectors(self, pk: str) -> Iterator[Attributes]:
        """Yield the newest entries, until one that has vectors: those before it had their turn."""
        low, high = log_range()
        newest = every(self._adapters.table, Query(pk, low, high, descending=True, limit=PAGE))
        for _, item in zip(range(MOST), newest, strict=False):
            if is_entry(Key.of(item).sk):
                if VECTORS in item:
                    return
                yield item

    def give(self, tenant: Tenant, entries: Sequence[Attributes]) -> bool:
        """Store the vectors of entries that were just appended; False, and none, if they are long or one fails.

        Unavailable where the store is.
        """
        tails = [self._tail(tenant, entry) for entry in entries]
        texts = chain.from_iterable(tail.texts(kind) for tail in tails for kind in KINDS)
        if self._embedder is None or sum(min(len(text), _MOST_READ) for text in texts) > MOST_AT_ONCE:
            return False
        try:
            made = [self._vectors(tail, self._embedder) for tail in tails]
        except EmbeddingFailed:
            return False
        each = zip(entries, made, strict=True)
        self._adapters.parallel([partial(self._keep, tenant, entry, vectors) for entry, vectors in each if vectors])
        return True

    def _store(self, tenant: Tenant, entry: Attributes, embedder: Embedder) -> bool:
        vectors = self._vectors(self._tail(tenant, entry), embedder)
        return vectors is not None and self._keep(tenant, entry, vectors)

    def _tail(self, tenant: Tenant, entry: Attributes) -> Tail:
        tail = Tail()
        for record in sound(self._adapters, [entry], partial(self._vault.unseal, tenant)):
            tail.apply(record)
        return tail

    @staticmethod
    def _vectors(tail: Tail, embedder: Embedder) -> Vectors | None:
        from cairn.recall.embedding import vectors_of  # noqa: PLC0415 - numpy, which a process may do without

        data = b"".join(vectors_of(tail, kind, embedder) for kind in KINDS)
        return Vectors(embedder.name, data) if data else None

    def _keep(self, tenant: Tenant, entry: Attributes, vectors: Vectors) -> bool:
        where = Key.of(entry)
        attribute = sealed_vectors(self._vault, tenant, where, vectors)
        try:
            # Only where the entry is still as it was read: what was erased meanwhile does not come back.
            self._adapters.table.update(Update(where, set=attribute, condition=Equals("kid", entry["kid"])))
        except ConditionFailed:
            return False
        return True
