"""Reading on past the end of a page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from cairn.domain.table import Attributes, Query
from cairn.ports import Table


def every(table: Table, query: Query) -> Iterator[Attributes]:
    """Yield the items of a range, reading one page after another as they are asked for."""
    while True:
        page = table.query(query)
        yield from page.items
        if page.next is None:
            return
        query = replace(query, start=page.next)
