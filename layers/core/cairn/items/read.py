"""Read a stretch of a log in one round trip: its head, and rows from its newest end, or from a place.

Head and rows are read at once. The rows are read again, after the head, unless the head names the newest row that was
found: a caller that appends under the revision that it was told has seen all that was there. While others take items
back, the count may be of a moment before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain

from cairn.ground.adapters import Adapters, Pending
from cairn.ground.damage import sound, sound_or_none
from cairn.ground.paging import every
from cairn.ground.table import Page, Query
from cairn.items import layout
from cairn.items.head import Head
from cairn.items.heads import Heads
from cairn.items.model import MOST_BYTES, Item, Log, Stretch
from cairn.items.rows import Row, Rows
from cairn.vault.vault import Vault


@dataclass(frozen=True, slots=True)
class Window:
    """Which items a call reads: the newest, those after a position, or the newest before one."""

    limit: int
    after: int | None = None
    before: int | None = None

    def query(self, log: Log) -> Query:
        """Return the query of the rows: as many as may be needed, and one that tells whether there are more."""
        low, high = layout.ROWS
        if self.after is not None:
            return Query(log.pk, layout.row_sk(self.after + 1), high, limit=self.limit + 2)
        high = high if self.before is None else layout.row_sk(max(self.before - 1, 0))
        return Query(log.pk, low, high, descending=True, limit=self.limit + 2)

    def overlapping(self, log: Log) -> Query | None:
        """Return the query of the row that begins before the window and may reach into it."""
        if self.after is None or self.after < 0:
            return None
        return Query(log.pk, layout.ROWS[0], layout.row_sk(self.after), descending=True, limit=1)

    def holds(self, position: int) -> bool:
        """Tell whether a position lies in the window."""
        is_after = self.after is None or position > self.after
        return is_after and (self.before is None or position < self.before)


@dataclass(frozen=True, slots=True)
class Found:
    """The first page of rows, and the row that reaches into the window."""

    query: Query
    page: Page
    overlapping: Page

    def rows(self, adapters: Adapters) -> Iterator[Row]:
        """Yield the rows in the direction of reading; further pages are read as they are asked for."""
        stored = chain(self.overlapping.items, self.page.items)
        if self.page.next is not None:
            stored = chain(stored, every(adapters.table, replace(self.query, start=self.page.next)))
        return sound(adapters, stored, Row.of)

    def is_as_told(self, adapters: Adapters, head: Head, window: Window) -> bool:
        """Tell whether the newest row that the head knows of is among these rows, or was not asked for."""
        if head.count == 0:  # all may have been taken back between the two
            return not self.page.items
        if window.before is not None:
            return True
        newest = self.page.items[:1] if self.query.descending else self.page.items[-1:]
        if window.after is not None and self.page.next is not None:
            return True
        if not newest:
            return window.after is not None and head.next <= window.after + 1
        row = sound_or_none(adapters, newest[0], Row.of)
        return row is not None and row.revision == head.newest


class Reading:
    """Reads logs."""

    def __init__(self, adapters: Adapters, vault: Vault, heads: Heads) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault
        self._heads = heads
        self._rows = Rows(adapters, vault)

    def read(self, log: Log, window: Window) -> Stretch:
        """Return the items of a window; of a log that is not there, nothing."""
        head = Pending(partial(self._heads.read, log))
        found = Pending(partial(self.find, log, window))
        self._adapters.parallel([head, found, lambda: self._vault.prepare(log.tenant)])
        if not head.result.is_there:
            return Stretch()
        rows = found.result
        if not rows.is_as_told(self._adapters, head.result, window):
            rows = self.find(log, window)
        items, more = self._within(log, head.result, window, rows)
        state = self.state(log, head.result)
        return Stretch(items=items, revision=head.result.revision, count=head.result.count, state=state, more=more)

    def find(self, log: Log, window: Window) -> Found:
        """Read the first rows of a window."""
        query, before = window.query(log), window.overlapping(log)
        page = Pending(partial(self._adapters.table.query, query))
        overlapping = Pending(lambda: Page(()) if before is None else self._adapters.table.query(before))
        self._adapters.parallel([page, overlapping] if before else [page])
        return Found(query, page.result, overlapping.result if before else Page(()))

    def state(self, log: Log, head: Head) -> object:
        """Return the log's state, None where it has none."""
        if not head.state:
            return None
        return self._vault.unseal(log.tenant, {"pk": log.head.pk, "sk": log.head.sk, **head.state})

    def _within(self, log: Log, head: Head, window: Window, found: Found) -> tuple[tuple[Item, ...], bool]:
        """Return the items, the oldest first, and whether there are more."""
        backward, beyond = found.query.descending, True
        rows = (row for row in found.rows(self._adapters) if head.floor <= row.last and row.first < head.next)
        taken: list[Item] = []
        while beyond and not taken:  # rows that are damaged have no items
            needed, beyond, rows = _enough(rows, window)
            for _, items in self._rows.opened(log, iter(needed)):
                inside = [item for item in items if window.holds(item.position)]
                taken += inside[::-1] if backward else inside
        some = taken[: window.limit]
        return tuple(some[::-1] if backward else some), beyond or len(some) < len(taken)


def _enough(rows: Iterator[Row], window: Window) -> tuple[list[Row], bool, Iterator[Row]]:
    """Return the rows that an answer needs, whether there are more, and those; a row says how many items it has."""
    needed: list[Row] = []
    count, size = 0, 0
    for row in rows:
        if needed and (count >= window.limit or size + row.size > MOST_BYTES):
            return needed, True, chain([row], rows)
        if window.after is not None and row.last <= window.after:
            continue
        needed.append(row)
        size += row.size
        count += row.count if window.holds(row.first) and window.holds(row.last) else 0
    return needed, False, rows
