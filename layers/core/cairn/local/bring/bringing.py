"""Read a source and store what is found, showing on a terminal how far that is."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

from cairn.local.bring.sources import Source
from cairn.local.bring.storing import Outcome, Storing, in_order


def bring(source: Source, path: Path, storing: Storing) -> Outcome:
    """Store all that a source has at a path, in the order in which it was said."""
    with _progress() as progress:
        found = in_order(list(progress.track(source.read(path), total=None, description="Read")))
        for each in progress.track(found, description="Store"):
            storing.take(each)
    return storing.outcome


@contextmanager
def _progress() -> Generator[Progress]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    console = Console(stderr=True)
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        yield progress
