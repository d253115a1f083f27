"""Remove single items of a store, each with what lists, counts and indexes it, and its blob."""

from __future__ import annotations

from cairn.archive.moves import ArchiveMoves
from cairn.custody.admission import rule_at
from cairn.custody.scope import parts_of
from cairn.documents import changes as document_changes
from cairn.documents.layout import place_of
from cairn.documents.model import Held, owner_of
from cairn.documents.model import Place as DocumentPlace
from cairn.ground.adapters import Adapters
from cairn.ground.errors import TransactionRefused, Unavailable
from cairn.ground.paging import every
from cairn.ground.table import Attributes, Delete, Key, Query, Write, tenant_of
from cairn.keyvalue import changes
from cairn.keyvalue.layout import namespace_of, value_sk
from cairn.keyvalue.model import Entry, KeyName, Place
from cairn.log.layout import is_entry
from cairn.log.segments import Segments
from cairn.vault.vault import Vault, blob_of


class Removal:
    """Removes items, so that nothing of them stays; it may be done again."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._archive = ArchiveMoves(adapters, vault)
        self._segments = Segments(adapters, vault)

    def remove(self, where: Key) -> None:
        """Remove what is there, if anything is."""
        item = self._adapters.table.get(where)
        if item is None:
            return
        kind, tenant = parts_of(where.pk)[0], tenant_of(where.pk)
        if kind == "a":
            self._archive.remove(tenant, item)
        elif kind == "m" and is_entry(where.sk):
            self._segments.rewrite(where.pk, [Delete(where)])
            self._segments.drop_discarded(tenant, where.pk)
        elif kind in {"k", "d"}:
            self._transact(self._value(where, item) if kind == "k" else self._document(where, item))
        else:
            self._adapters.table.delete(Delete(where))
        if (blob := blob_of(item)) is not None:
            self._adapters.blobs.delete(tenant, blob)

    def clear(self, pk: str) -> None:
        """Remove what is left in a partition that has nothing of its own any more: counters, and its owner's name."""
        everything = Query(pk, "\x01", "\U0010ffff")
        if parts_of(pk)[2] is None or any(rule_at(Key.of(item)) for item in every(self._adapters.table, everything)):
            return
        for item in every(self._adapters.table, everything):
            self._adapters.table.delete(Delete(Key.of(item)))

    def _value(self, where: Key, item: Attributes) -> list[Write]:
        """Return the writes that remove a key without leaving that it was removed."""
        place = Place(
            tenant_of(where.pk), namespace_of(where.pk), KeyName(where.sk.removeprefix(value_sk(KeyName(""))))
        )
        change = changes.Change(place, Entry.of(item), None)
        first, *others = [*changes.writes(change, self._adapters.clock.now()), *changes.counting([change], None)]
        return [Delete(where, first.condition), *others]

    def _document(self, where: Key, item: Attributes) -> list[Write]:
        change = document_changes.Change(DocumentPlace(*place_of(where.sk)), Held.of(item), None)
        first, *others = document_changes.writes(self._adapters, owner_of(where.pk), [change], None)
        return [Delete(where, first.condition), *others]

    def _transact(self, writes: list[Write]) -> None:
        try:
            self._adapters.table.transact(writes)
        except TransactionRefused as refused:
            raise Unavailable("the store refused to remove an item; run the import again") from refused
