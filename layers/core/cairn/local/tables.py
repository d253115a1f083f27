"""Print rows: as a table on a terminal, as lines of tab-separated values elsewhere; never a control character."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

import click

if TYPE_CHECKING:
    from rich.console import Console

_LEAST_ROOM: Final = 24
"""In characters: a column with less is words one above the other."""
_BETWEEN: Final = 3
"""In characters, what the table puts between two columns."""


def plain(value: object) -> str:
    """Return a value as one line of text that moves no cursor and changes no colour."""
    text = "" if value is None else str(value)
    return " ".join("".join(each if each.isprintable() else " " for each in text).split())


def counted(number: int, one: str) -> str:
    """Return how many there are of what `one` is called: 1 blob, 2 blobs."""
    return f"{number} {one}{'' if number == 1 else 's'}"


def when(moment: str) -> str:
    """Return a moment as people of this place say it on a terminal, and elsewhere in UTC to the second."""
    at = datetime.fromisoformat(moment)
    if sys.stdout.isatty():
        return at.astimezone().strftime("%Y-%m-%d %H:%M")
    return at.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], wide: str = "") -> None:
    """Print rows; on a terminal under the columns' names, and the `wide` column has the room that is left.

    A terminal too narrow for that gets two lines a row, without names: as far as the `wide` column, and what is behind.
    """
    texts = [[*map(plain, row)] for row in rows]
    if not sys.stdout.isatty():
        for row in texts:
            click.echo("\t".join(row))
        return
    from rich.console import Console  # noqa: PLC0415 - on a terminal alone

    console = Console(highlight=False)
    if wide and _room(columns, texts, wide, console.width) < _LEAST_ROOM:
        _stacked(columns, texts, wide)
    else:
        _under_names(columns, texts, wide, console)


def _room(columns: Sequence[str], rows: Sequence[Sequence[str]], wide: str, width: int) -> int:
    """Return how many characters of a line the other columns leave to the wide one."""
    from rich.cells import cell_len  # noqa: PLC0415 - on a terminal alone

    taken = (max(map(cell_len, each)) for each in zip(columns, *rows, strict=True) if each[0] != wide)
    return width - sum(taken) - _BETWEEN * len(columns)


def _stacked(columns: Sequence[str], rows: Sequence[Sequence[str]], wide: str) -> None:
    behind = columns.index(wide) + 1
    for row in rows:
        click.echo("  ".join(filter(None, row[:behind])))
        if row[behind:]:
            click.echo("    " + "  ".join(filter(None, row[behind:])))


def _under_names(columns: Sequence[str], rows: Sequence[Sequence[str]], wide: str, console: Console) -> None:
    from rich import box  # noqa: PLC0415 - on a terminal alone
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        # An id that is cut or broken cannot be copied.
        shown.add_column(column, ratio=1 if column == wide else None, overflow="fold", no_wrap=column != wide)
    for row in rows:
        shown.add_row(*map(Text, row))
    console.print(shown)
