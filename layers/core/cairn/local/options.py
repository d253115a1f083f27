"""The options that several commands take."""

from __future__ import annotations

from pathlib import Path

import click

DIRECTORY = click.Path(file_okay=False, path_type=Path)
data_option = click.option(
    "--data",
    type=DIRECTORY,
    envvar="CAIRN_DATA",
    help="Where the memory is kept; ~/.local/share/cairn, or CAIRN_DATA, unless told.",
)
