"""Print rows: as a table on a terminal, as lines of tab-separated values elsewhere; never a control character."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

import click


def plain(value: object) -> str:
    """Return a value as one line of text that moves no cursor and changes no colour."""
    text = "" if value is None else str(value)
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def when(moment: str) -> str:
    """Return a moment as people of this place say it on a terminal, and elsewhere in UTC to the second."""
    at = datetime.fromisoformat(moment)
    if sys.stdout.isatty():
        return at.astimezone().strftime("%Y-%m-%d %H:%M")
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], wide: str = "") -> None:
    """Print rows; on a terminal under the columns' names, and the `wide` column has the room that is left."""
    if not sys.stdout.isatty():
        for row in rows:
            click.echo("\t".join(map(plain, row)))
        return
    from rich import box  # noqa: PLC0415 - on a terminal alone
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        # An id that is cut or broken cannot be copied.
        shown.add_column(column, ratio=1 if column == wide else None, overflow="fold", no_wrap=column != wide)
    for row in rows:
        shown.add_row(*(Text(plain(each)) for each in row))
    Console(highlight=False).print(shown)
