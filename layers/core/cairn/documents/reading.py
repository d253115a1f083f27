"""Read documents: by their places, or those of a collection and all below it in the order of their keys."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import accumulate, islice
from typing import Any, Final

from cairn.documents import contents
from cairn.documents.layout import place_of, tree_range
from cairn.documents.matching import matches
from cairn.documents.model import Collection, Document, Held, Owner, Place, key_at
from cairn.ground.adapters import Adapters, Pending
from cairn.ground.attributes import moment
from cairn.ground.damage import sound
from cairn.ground.errors import CorruptData
from cairn.ground.paging import pages
from cairn.ground.table import Attributes, Key, Query
from cairn.vault.vault import Vault

MOST_BYTES: Final = 1_900_000
"""How many bytes of values one answer holds, but for one value that is larger alone.

Lambda hands on 6 MB, in which what is not ASCII takes up to three times its bytes.
"""
_BLOBS_AT_ONCE = 16
SPARE = 20
"""How many documents more than asked for a page reads, so that expired ones among them seldom cost a second read."""


class Reading:
    """Reads the documents of all owners."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault

    def get(self, owner: Owner, places: Sequence[Place]) -> list[Document | None]:
        """Return what stands at these places, None where nothing does, as far as an answer holds it; one at least."""
        reads = [Pending(partial(self._adapters.table.get, key_at(owner, place))) for place in places]
        self._adapters.parallel(reads)
        now = self._adapters.clock.now()
        items = [read.result for read in reads]
        there = [item if item is not None and Held.of(item).is_there(now) else None for item in items]
        fitting = _fitting(there)
        opened = iter(self.opened(owner, [item for item in fitting if item is not None]))
        return [None if item is None else next(opened) for item in fitting]

    def opened(self, owner: Owner, items: Sequence[Attributes]) -> list[Document]:
        """Return the documents of items; their blobs are read at once. CorruptData where one is damaged."""
        blobs = contents.fetched(self._adapters, self._vault, owner.tenant, items)
        return [self._opened(owner, item, blob) for item, blob in zip(items, blobs, strict=True)]

    def matching(self, owner: Owner, items: Iterable[Attributes], wanted: Mapping[str, Any]) -> Iterator[Document]:
        """Yield the documents of items whose values match a filter; those that are damaged are left out."""
        left = iter(items)
        while some := list(islice(left, _BLOBS_AT_ONCE)):
            blobs = contents.fetched(self._adapters, self._vault, owner.tenant, some)
            held = {Key.of(item).sk: blob for item, blob in zip(some, blobs, strict=True)}

            def read(item: Attributes, held: Mapping[str, bytes | None] = held) -> Document:
                return self._opened_now(owner, item, held[Key.of(item).sk])

            found = sound(self._adapters, some, read)
            yield from (document for document in found if matches(document.value, wanted))

    def items(self, owner: Owner, collection: Collection, limit: int | None = None) -> Iterator[Attributes]:
        """Yield the items of the documents that are there in a collection and all below it, in the order of their keys.

        A page is of `limit` items, where one is given.
        """
        now = self._adapters.clock.now()
        low, high = tree_range(collection)
        for page in pages(self._adapters.table, Query(owner.pk, low, high, limit=limit)):
            held = sound(self._adapters, page, lambda item: (item, Held.of(item).is_there(now)))
            yield from (item for item, is_there in held if is_there)

    def _opened_now(self, owner: Owner, item: Attributes, blob: bytes | None) -> Document:
        """Return the document of an item that was read some time ago: it may have been sealed anew since."""
        try:
            return self._opened(owner, item, blob)
        except CorruptData:
            again = self._adapters.table.get(Key.of(item))
            if again is None or again == item or not Held.of(again).is_there(self._adapters.clock.now()):
                raise
            return self._opened(owner, again, None)

    def _opened(self, owner: Owner, item: Attributes, blob: bytes | None) -> Document:
        held = Held.of(item)
        return Document(
            place=Place(*place_of(Key.of(item).sk)),
            value=contents.opened(self._vault, owner.tenant, item, blob).value,
            version=held.version,
            size=held.size,
            created_at=moment(item, "created_at"),
            updated_at=moment(item, "updated_at"),
            expires_at=held.until,
        )


def _fitting(items: Sequence[Attributes | None]) -> Sequence[Attributes | None]:
    """Return the first items that fit into an answer; one at least."""
    spent = accumulate(0 if item is None else Held.of(item).size for item in items)
    return items[: max(1, sum(size <= MOST_BYTES for size in spent))]
