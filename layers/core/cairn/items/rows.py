"""Rows of a log: each holds, sealed, what was appended at once, and says in the clear how far it reaches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from cairn.ground import codec
from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number
from cairn.ground.damage import sound_or_none
from cairn.ground.errors import CorruptData, MissingBlob
from cairn.ground.ids import Digest
from cairn.ground.table import Attributes, Delete, Equals, Key, Put, Write
from cairn.items import layout
from cairn.items.model import Item, ItemId, Log, total_size
from cairn.vault.vault import Vault, blob_of


@dataclass(frozen=True, slots=True)
class Row:
    """A row as it is stored; `last` is the position of its last item, `revision` that at which it was written."""

    first: int
    last: int
    count: int
    size: int
    revision: int
    stored: Attributes

    @classmethod
    def of(cls, item: Attributes) -> Row:
        """Return the row that an item is; CorruptData where it is none."""
        try:
            first = layout.position_of(Key.of(item).sk)
        except ValueError:
            raise CorruptData("a row of a log has no position") from None
        last, count, size, revision = (number(item, name) for name in ("last", "count", "size", "revision"))
        return cls(first, last, count, size, revision, item)

    @property
    def blob(self) -> Digest | None:
        """Return the blob that holds its items, None where it holds them itself."""
        return blob_of(self.stored)

    def removed(self) -> Delete:
        """Return the write that removes it."""
        return Delete(Key.of(self.stored), self._as_read())

    def replaced(self, by: Attributes) -> Put:
        """Return the write that puts another row in its place."""
        return Put(by, self._as_read() or Equals("revision", self.revision))

    def _as_read(self) -> Equals | None:
        """Return that it has the blob that it was read with: under new data keys it has another."""
        return None if self.blob is None else Equals("blob", self.blob)


class Rows:
    """Seals and opens rows."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault

    def sealed(self, log: Log, first: int, items: Sequence[Item], revision: int) -> Attributes:
        """Return the row that holds these items; what is large is stored as a blob."""
        where = Key(log.pk, layout.row_sk(first))
        return {
            "pk": where.pk,
            "sk": where.sk,
            "last": items[-1].position,
            "count": len(items),
            "size": total_size(items),
            "revision": revision,
            **self._vault.seal(log.tenant, where, content_of(items)),
        }

    def opened(self, log: Log, rows: Iterator[Row], at_once: int = 8) -> Iterator[tuple[Row, Sequence[Item]]]:
        """Yield rows with their items; one that is damaged has none, and is counted."""
        seen: list[Row] = []

        def stored() -> Iterator[Attributes]:
            for row in rows:
                seen.append(row)
                yield row.stored

        for item in self._vault.fetched(log.tenant, stored(), at_once):
            row = seen.pop(0)
            found = sound_or_none(self._adapters, item, lambda each: self._items(log, each))
            yield row, found or ()

    def _items(self, log: Log, stored: Attributes) -> Sequence[Item]:
        try:
            return items_of(self._vault.unseal(log.tenant, stored))
        except MissingBlob:
            now = self._adapters.table.get(Key.of(stored))
            if now is None:  # taken back or deleted after it was read
                return ()
            if blob_of(now) == blob_of(stored):
                raise
            return items_of(self._vault.unseal(log.tenant, now))


def items_of(content: list[tuple[int, str, str, object]]) -> Sequence[Item]:
    """Return the items that an opened row holds."""
    return tuple(Item(position, ItemId(name), codec.moment(at), data) for position, name, at, data in content)


def content_of(items: Sequence[Item]) -> list[tuple[int, str, str, object]]:
    """Return what a row of these items holds before it is sealed."""
    return [(item.position, item.id, codec.rfc3339(item.at), item.data) for item in items]


def without(log: Log, rows: Rows, row: Row, left: Sequence[Item], revision: int) -> Write:
    """Return the write after which a row holds but these of its items."""
    if not left:
        return row.removed()
    return row.replaced(rows.sealed(log, row.first, left, revision))
