"""What a walk over a store meets of item logs and documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cairn.documents.layout import DOCUMENTS, USAGE
from cairn.documents.model import Held, Usage
from cairn.ground.attributes import number
from cairn.ground.ids import Tenant
from cairn.ground.table import Attributes, Key
from cairn.items.head import Head
from cairn.items.layout import GUARDS, OPERATIONS, ROWS, TAKEN
from cairn.items.model import Item
from cairn.items.rows import Row, items_of
from cairn.vault.vault import Vault


@dataclass(slots=True)
class ItemLogSeen:
    """What was met of one item log; `next` of its head is at least `highest`."""

    head: Head | None = None
    rows: list[tuple[Row, Sequence[Item]]] = field(default_factory=list[tuple[Row, Sequence[Item]]])
    guards: set[str] = field(default_factory=set[str])
    highest: int = 0
    below: list[tuple[Key, int]] = field(default_factory=list[tuple[Key, int]])


@dataclass(slots=True)
class DocumentsSeen:
    """What was met of one owner's documents."""

    usage: Usage = field(default_factory=Usage)
    counted: Usage = field(default_factory=Usage)


@dataclass(slots=True)
class KeptSeen:
    """What was met of item logs, by the partition of their items, and of documents, by their owner's."""

    logs: defaultdict[str, ItemLogSeen] = field(default_factory=lambda: defaultdict(ItemLogSeen))
    documents: defaultdict[str, DocumentsSeen] = field(default_factory=lambda: defaultdict(DocumentsSeen))

    def note(self, vault: Vault, tenant: Tenant, kind: str, item: Attributes) -> None:
        """Take note of an item that opens."""
        where = Key.of(item)
        if kind == "i1":
            self.logs[f"{where.pk}#{where.sk}"].head = Head.of(item)
        elif kind == "i2":
            self._note_of_log(vault, tenant, self.logs[where.pk], item)
        elif kind == "d" and where.sk == USAGE:
            self.documents[where.pk].usage = Usage.of(item)
        elif kind == "d" and where.sk.startswith(DOCUMENTS) and not (held := Held.of(item)).removed:
            seen = self.documents[where.pk]
            counted = seen.counted
            plain = counted.plain + (not held.indexed)
            seen.counted = replace(counted, documents=counted.documents + 1, size=counted.size + held.size, plain=plain)

    def _note_of_log(self, vault: Vault, tenant: Tenant, seen: ItemLogSeen, item: Attributes) -> None:
        where = Key.of(item)
        if where.sk.startswith(ROWS[0]):
            row = Row.of(item)
            seen.rows.append((row, items_of(vault.unseal(tenant, item))))
            seen.highest = max(seen.highest, row.last + 1)
            seen.below.append((where, row.last))
        elif where.sk.startswith((GUARDS, OPERATIONS, TAKEN)):
            position = number(item, "position")
            is_item = where.sk.startswith(GUARDS)
            seen.highest = max(seen.highest, position + is_item)
            seen.below.append((where, position))
            if is_item:
                seen.guards.add(where.sk)
