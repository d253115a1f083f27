"""Print a tree: drawn within the width of a terminal, indented elsewhere; never a control character."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import click

from cairn.local.tables import plain

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

_GUIDE: Final = 4
"""In characters, how far a branch stands in from the one that it grows from."""
_BETWEEN: Final = 2
"""In characters, what stands between a text and what is told beside it."""
_LEAST_WIDTH: Final = 24
"""In characters: on less, guides leave too little to the texts."""
_BARS: Final = "▁▂▃▄▅▆▇█"
_NO_BAR: Final = "·"


@dataclass(frozen=True, slots=True)
class Branch:
    """A text, what is told beside it, and what grows from it."""

    text: str
    beside: str = ""
    under: tuple[Branch, ...] = ()


def print_tree(root: Branch) -> None:
    """Print a tree; characters that standard output cannot write are escaped."""
    if not sys.stdout.isatty():
        _indented(root, 0)
        return
    from rich.console import Console  # noqa: PLC0415 - on a terminal alone
    from rich.tree import Tree  # noqa: PLC0415

    console = Console(highlight=False)
    if console.width < _LEAST_WIDTH:
        _indented(root, 0)
        return
    drawn = Tree(_label(root, console.width), guide_style="dim")
    _grow(drawn, root, console.width)
    console.print(drawn)


def bars(counts: tuple[int, ...]) -> str:
    """Return a bar for each count, with what the highest stands for; the counts where no such terminal is."""
    if not (sys.stdout.isatty() and _written(_BARS) == _BARS):
        return " ".join(map(str, counts))
    most = max((1, *counts))
    drawn = (_BARS[(each * len(_BARS) - 1) // most] if each else _NO_BAR for each in counts)
    return f"{''.join(drawn)} (0 to {most})"


def _indented(branch: Branch, depth: int) -> None:
    between = " " * (_BETWEEN if branch.beside else 0)
    click.echo(f"{'  ' * depth}{_line(branch.text)}{between}{_line(branch.beside)}")
    for each in branch.under:
        _indented(each, depth + 1)


def _grow(drawn: Tree, branch: Branch, room: int) -> None:
    for each in branch.under:
        _grow(drawn.add(_label(each, room - _GUIDE)), each, room - _GUIDE)


def _label(branch: Branch, room: int) -> Text:
    """Return a text with what is told beside it, or below where one line of `room` characters is too short."""
    from rich.text import Text  # noqa: PLC0415 - on a terminal alone

    text = Text(_line(branch.text), "bold" if branch.under else "")
    beside = Text(_line(branch.beside), "dim")
    if not beside:
        return text
    fits = text.cell_len + _BETWEEN + beside.cell_len <= room
    return Text.assemble(text, " " * _BETWEEN if fits else "\n", beside)


def _line(text: str) -> str:
    return _written(plain(text))


def _written(text: str) -> str:
    encoding = sys.stdout.encoding or "ascii"
    return text.encode(encoding, "backslashreplace").decode(encoding)
