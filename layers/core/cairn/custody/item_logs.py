"""Take item logs out of a store whole, and hold those that come in to what their heads say.

A log may change while it is read. Its head is read first and told last: of the rows that were there, those that are
found, which it then counts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from cairn.custody.pieces import Opener, Piece
from cairn.custody.records import record_of
from cairn.custody.scope import parts_of
from cairn.ground.attributes import number
from cairn.ground.errors import Conflict, InvalidArgument
from cairn.ground.ids import Tenant
from cairn.ground.paging import every
from cairn.ground.ports import Reads
from cairn.ground.table import Attributes, Key, Query, prefix_range
from cairn.items import layout
from cairn.items.head import Head
from cairn.items.layout import GUARDS, OPERATIONS, ROWS, TAKEN


@dataclass(slots=True)
class RowsMet:
    """What was met of a log's rows, in any order; `newest` is the revision of the last one."""

    count: int = 0
    size: int = 0
    newest: int = 0
    first: int | None = None
    last: int = -1

    def meet(self, row: Piece) -> None:
        """Take note of a row."""
        first = layout.position_of(row.key.sk)
        self.count += number(row.attributes, "count")
        self.size += number(row.attributes, "size")
        self.newest = max(self.newest, number(row.attributes, "revision"))
        self.first = first if self.first is None else min(self.first, first)
        self.last = max(self.last, number(row.attributes, "last"))

    def agrees(self, head: Attributes) -> bool:
        """Tell whether a head counts these rows, and they lie within it."""
        is_within = self.first is None or number(head, "floor") <= self.first <= self.last < number(head, "next")
        counted = (number(head, "count"), number(head, "size")) == (self.count, self.size)
        return is_within and counted


def whole_log(reads: Reads, opener: Opener, found: Attributes) -> Iterator[Piece]:
    """Yield all that is kept of a log but what passes; of a deleted one nothing."""
    head, where, met = Head.of(found), Key.of(found), RowsMet()
    if not head.is_there:
        return
    pk = f"{where.pk}#{where.sk}"
    rows = every(reads, Query(pk, layout.row_sk(head.floor), layout.row_sk(max(head.next - 1, 0))))
    for piece in opener.opened(rows):
        met.meet(piece)
        yield piece
    for prefix in (GUARDS, OPERATIONS, TAKEN):
        kept = every(reads, Query(pk, *prefix_range(prefix)))
        yield from opener.opened(item for item in kept if head.floor <= number(item, "position") <= head.next)
    last = opener.open(found)
    if last is not None:
        yield last.having(count=met.count, size=met.size, newest=met.newest)


@dataclass(slots=True)
class LogsMet:
    """The item logs of a bundle, as far as it was read."""

    heads: dict[str, Piece] = field(default_factory=dict[str, Piece])
    rows: dict[str, RowsMet] = field(default_factory=dict[str, RowsMet])

    def meet(self, piece: Piece) -> None:
        """Take note of a record that is of an item log."""
        kind, _, rest = parts_of(piece.key.pk)
        if kind == "i" and rest is None:
            self.heads[f"{piece.key.pk}#{piece.key.sk}"] = piece
        elif kind == "i" and piece.key.sk.startswith(ROWS[0]):
            self.rows.setdefault(piece.key.pk, RowsMet()).meet(piece)

    def check(self, tenant: Tenant, store: Reads | None) -> None:
        """Refuse rows that no head counts, and a log that the store has, if one is given, and that is another there."""
        for pk in self.heads.keys() | self.rows.keys():
            head, where = self.heads.get(pk), pk.removeprefix(f"{tenant}#")
            if head is None or not self.rows.get(pk, RowsMet()).agrees(head.attributes):
                raise InvalidArgument("bundle", f"holds another log {where} than its head counts")
            held = store.get(head.key) if store else None
            if held is not None and not _is_same(tenant, head, held):
                raise Conflict(f"The store has another log {where}; import into an empty service")


def _is_same(tenant: Tenant, head: Piece, held: Attributes) -> bool:
    return record_of(tenant, Piece(head.key, held))["attributes"] == record_of(tenant, head)["attributes"]
