"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path

import click

from cairn.ground import ids
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, Tenant, UserId

DIRECTORY = click.Path(file_okay=False, path_type=Path)
data_option = click.option(
    "--data",
    type=DIRECTORY,
    envvar="CAIRN_DATA",
    help="The data directory. Default: CAIRN_DATA, or else ~/.local/share/cairn.",
)


def a_tenant(_context: click.Context, _option: click.Parameter, value: str | None) -> Tenant | None:
    """Return an option's value as a tenant's name."""
    try:
        return None if value is None else ids.tenant(value)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


def _tenant(context: click.Context, option: click.Parameter, value: str | None) -> Tenant:
    from cairn.local.store import LOCAL_TENANT  # noqa: PLC0415 - a command pays for its own imports only

    return a_tenant(context, option, value) or LOCAL_TENANT


def project_of(_context: click.Context, _option: click.Parameter, value: str | None) -> Project | None:
    """Return an option's value as a project's name."""
    try:
        return None if value is None else ids.project(value)
    except InvalidArgument as error:
        raise click.BadParameter(error.message) from None


def user_of(_context: click.Context, _option: click.Parameter, value: str | None) -> UserId | None:
    """Return an option's value as a user's name."""
    try:
        return None if value is None else ids.user_id(value)
    except InvalidArgument as error:
        raise click.BadParameter(error.message) from None


tenant_option = click.option(
    "--tenant", "owner", callback=_tenant, help="The tenant. Default: local, the tenant of the first key."
)
project_option = click.option("--project", callback=project_of, help="Only this project.")
user_option = click.option(
    "--user", callback=user_of, help="Only this user: what they said and what was learnt about them."
)
