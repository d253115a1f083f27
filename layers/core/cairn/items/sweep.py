"""Remove what a deleted log leaves: rows, guards, records and blobs, in bounded steps that can be stopped anywhere.

Positions are never used again, so that all below the head's floor is of the deleted log, and nothing above it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress

from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number
from cairn.ground.damage import MALFORMED
from cairn.ground.errors import ConditionFailed, TransactionRefused
from cairn.ground.ids import Tenant
from cairn.ground.paging import pages
from cairn.ground.table import Attributes, Delete, Equals, Key, LessThan, Query, Update
from cairn.items import layout
from cairn.items.dropped import blobs_of, discard
from cairn.items.head import KEPT, Head
from cairn.items.heads import Heads
from cairn.items.model import Log

BATCH = 100
_MARKED = ("c", "drop", "g", "o", "t")
_ALL = (" ", "\U0010ffff")


class Sweep:
    """Removes what deleted logs leave."""

    def __init__(self, adapters: Adapters, heads: Heads) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._heads = heads

    def all(self, log: Log, head: Head) -> None:
        """Remove all that lies below the head's floor, and say so in the head."""
        for page in pages(self._adapters.table, Query(log.pk, *_ALL, limit=BATCH)):
            self._remove(log.tenant, _below(page, head.floor))
        self._finish(log, head)

    def some(self, log: Log, head: Head) -> None:
        """Remove a batch of rows that lie below the floor, and what is left where that was all of them."""
        low, high = layout.row_sk(0), layout.row_sk(max(head.floor - 1, 0))
        page = self._adapters.table.query(Query(log.pk, low, high, limit=BATCH))
        self._remove(log.tenant, _below(page.items, head.floor))
        if page.next is None:
            self.all(log, head)

    def _remove(self, tenant: Tenant, found: Iterable[Attributes]) -> None:
        items = list(found)
        discard(self._adapters, tenant, [item for item in items if "blobs" in item])
        kept = [item for item in items if "blobs" not in item]
        for blob in blobs_of(kept):
            self._adapters.blobs.delete(tenant, blob)
        if kept:
            with suppress(TransactionRefused):  # another call removed or replaced one; the next one reads again
                self._adapters.table.transact([_removal(item) for item in kept])
                return
            for item in kept:
                with suppress(ConditionFailed):
                    self._adapters.table.delete(_removal(item))

    def _finish(self, log: Log, head: Head) -> None:
        """Let the head of a log that is gone expire, and say of one that began anew that it is swept."""
        until = int((self._adapters.clock.now() + KEPT).timestamp())
        gone = Update(
            log.head, set={"expires_at": until}, remove=("unswept",), condition=Equals("revision", head.revision)
        )
        anew = Update(log.head, remove=("unswept",), condition=Equals("floor", head.floor))
        with suppress(ConditionFailed):
            if head.gone:
                with suppress(ConditionFailed):
                    self._heads.remember(log, Head.of(self._adapters.table.update(gone)))
                    return
            self._heads.remember(log, Head.of(self._adapters.table.update(anew)))


def _below(items: Iterable[Attributes], floor: int) -> Iterator[Attributes]:
    for item in items:
        kind, _, rest = Key.of(item).sk.partition("#")
        is_row = kind == "i" and rest.isdecimal() and int(rest) < floor
        if is_row or (kind in _MARKED and _position(item, floor) < floor):
            yield item


def _position(item: Attributes, floor: int) -> int:
    """Return what `next` was when a guard or record was made, or before; the floor where it is damaged."""
    try:
        return number(item, "position")
    except MALFORMED:
        return floor


def _removal(item: Attributes) -> Delete:
    """Return the delete of an item, which spares what took its place; a row's place is never taken."""
    where = Key.of(item)
    position = item.get("position")
    return Delete(where, None if not isinstance(position, int) else LessThan("position", position + 1))
