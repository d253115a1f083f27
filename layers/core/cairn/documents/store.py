"""The documents of all owners: write, read, search and list them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from cairn.documents.collections import Listed, collections
from cairn.documents.model import Collection, Document, Hit, HitPage, Owner, Place, Sought, Wanted
from cairn.documents.reading import MOST_BYTES, SPARE, Reading
from cairn.documents.writing import Writing
from cairn.ground.adapters import Adapters
from cairn.ground.settings import Quotas
from cairn.process.once import Once
from cairn.vault.vault import Vault

if TYPE_CHECKING:
    from cairn.documents.collecting import Collector
    from cairn.documents.searching import Searching
    from cairn.ground.ports import Embedder


class Documents:
    """Keeps documents of users and projects."""

    def __init__(
        self, adapters: Adapters, vault: Vault, quotas: Quotas, embedder: Callable[[], Embedder | None] = lambda: None
    ) -> None:
        """Hold what owners keep to these quotas; search by words alone without an embedder."""
        self._adapters = adapters
        self._vault = vault
        self._embedder = embedder
        self._reading = Reading(adapters, vault)
        self._writing = Writing(adapters, vault, quotas)

    @property
    def collector(self) -> Collector:
        """Return what removes that which has expired or is no longer used."""
        return self._writing.collector

    @Once
    def _searching(self) -> Searching:
        from cairn.documents.searching import Searching  # noqa: PLC0415 - numpy, which who only keeps can do without

        return Searching(self._adapters, self._vault, self._reading, self._embedder)

    def put(self, owner: Owner, wanted: Sequence[Wanted]) -> list[int]:
        """Make all changes, of distinct documents, or none, and return their versions, 0 of those that are gone.

        Conflict, which tells the versions there, where a document has another than it was to have; QuotaExceeded.
        """
        return self._writing.write(owner, wanted)

    def get(self, owner: Owner, places: Sequence[Place]) -> list[Document | None]:
        """Return what stands at these places, None where nothing does, as far as an answer holds it; one at least."""
        return self._reading.get(owner, places)

    def search(self, owner: Owner, sought: Sought) -> HitPage:
        """Return what matches, the best first or, where nothing is asked, in the order of the keys.

        A page ends as well where an answer holds no more.
        """
        found = self._searching.search(owner, sought) if sought.query else self._in_order(owner, sought)
        hits, size = list[Hit](), 0
        for hit in islice(found, sought.offset, None):
            size += hit.document.size
            if len(hits) == sought.limit or (hits and size > MOST_BYTES):
                return HitPage(tuple(hits), more=True)
            hits.append(hit)
        return HitPage(tuple(hits), more=False)

    def collections(self, owner: Owner, listed: Listed) -> tuple[list[Collection], bool]:
        """Return a page of the collections that have documents, in their order, and whether there are more."""
        return collections(self._adapters, owner, listed)

    def _in_order(self, owner: Owner, sought: Sought) -> Iterator[Hit]:
        limit = None if sought.filter else sought.offset + sought.limit + SPARE
        items = self._reading.items(owner, sought.collection, limit)
        if not sought.filter:
            items = islice(items, sought.offset + sought.limit + 1)
        return map(Hit, self._reading.matching(owner, items, sought.filter))
