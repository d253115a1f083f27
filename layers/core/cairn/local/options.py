"""The options that several commands take."""

from __future__ import annotations

from pathlib import Path

import click

from cairn.domain.ids import Tenant, tenant

DIRECTORY = click.Path(file_okay=False, path_type=Path)
data_option = click.option(
    "--data",
    type=DIRECTORY,
    envvar="CAIRN_DATA",
    help="Where the memory is kept; ~/.local/share/cairn, or CAIRN_DATA, unless told.",
)


def named_tenant(value: str) -> Tenant:
    """Return the tenant of an option; BadParameter where it cannot be one."""
    try:
        return tenant(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
