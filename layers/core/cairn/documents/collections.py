"""List the collections that have documents: each is found by a step over the documents of the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from cairn.documents.layout import own_range, place_of, tree_range
from cairn.documents.model import Collection, Held, Owner
from cairn.ground.adapters import Adapters
from cairn.ground.damage import sound
from cairn.ground.table import Attributes, Key, Query

ANY = "*"
_AT_ONCE = 50
"""How many documents are read for a step: in small collections several lie among them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """Which collections to list: those that begin and end so, `*` being any label, cut to a depth, by the page."""

    prefix: Collection = ()
    suffix: Collection = ()
    max_depth: int | None = None
    limit: int = 100
    offset: int = 0

    def names(self, collection: Collection) -> bool:
        """Tell whether a collection begins and ends so."""
        if len(collection) < max(len(self.prefix), len(self.suffix)):
            return False
        ending = collection[len(collection) - len(self.suffix) :]
        return _alike(collection, self.prefix) and _alike(ending, self.suffix)


def collections(adapters: Adapters, owner: Owner, listed: Listed) -> tuple[list[Collection], bool]:
    """Return a page of the collections, in their order, and whether there are more."""
    found = {each[: listed.max_depth] for each in _all(adapters, owner, listed) if listed.names(each)}
    ordered = sorted(found)
    page = ordered[listed.offset : listed.offset + listed.limit]
    return page, len(ordered) > listed.offset + listed.limit


def _all(adapters: Adapters, owner: Owner, listed: Listed) -> Iterator[Collection]:
    """Yield every collection that has documents below the labels that the prefix begins with."""
    fixed = listed.prefix[: next((n for n, label in enumerate(listed.prefix) if label == ANY), len(listed.prefix))]
    low, high = tree_range(fixed)
    now, query = adapters.clock.now(), Query(owner.pk, low, high, limit=_AT_ONCE)
    while True:
        page = adapters.table.query(query)
        read = sound(adapters, page.items, lambda item: (_of(item), Held.of(item).is_there(now)))
        there = dict.fromkeys(collection for collection, is_there in read if is_there)
        yield from there
        if page.next is None:
            return
        last = next(reversed(there), None)
        # What is left of the last collection that is known to have something is stepped over.
        if last is not None and own_range(last)[0] <= Key.of(page.items[-1]).sk <= own_range(last)[1]:
            query = replace(query, low=own_range(last)[1], start=None)
        else:
            query = replace(query, start=page.next)


def _of(item: Attributes) -> Collection:
    return place_of(Key.of(item).sk)[0]


def _alike(labels: Sequence[str], wanted: Sequence[str]) -> bool:
    return all(want in {ANY, label} for label, want in zip(labels, wanted, strict=False))
