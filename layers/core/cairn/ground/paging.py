"""Read a query page by page to its end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from cairn.ground.ports import Reads
from cairn.ground.table import Attributes, Query


def every(table: Reads, query: Query) -> Iterator[Attributes]:
    """Yield the items of a range, reading one page after another as they are asked for."""
    for page in pages(table, query):
        yield from page


def pages(table: Reads, query: Query) -> Iterator[Sequence[Attributes]]:
    """Yield the items of a range page by page, reading one after another as they are asked for."""
    while True:
        page = table.query(query)
        yield page.items
        if page.next is None:
            return
        query = replace(query, start=page.next)
