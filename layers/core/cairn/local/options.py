"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import click

from cairn.ground import ids
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Project, Tenant, UserId

Name = TypeVar("Name")
_DURATION = re.compile(r"(\d{1,5})([dh])")
_MOST_DAYS = 3650
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
    return _named(ids.project, value)


def project_or_branch_of(_context: click.Context, _option: click.Parameter, value: str | None) -> Project | None:
    """Return an option's value as the name of a project, or of a branch of one."""
    return _named(ids.project_or_branch, value)


def user_of(_context: click.Context, _option: click.Parameter, value: str | None) -> UserId | None:
    """Return an option's value as a user's name."""
    return _named(ids.user_id, value)


def _named(make: Callable[[str], Name], value: str | None) -> Name | None:
    try:
        return None if value is None else make(value)
    except InvalidArgument as error:
        raise click.BadParameter(error.message) from None


def _grace(_context: click.Context, _option: click.Parameter, value: str | None) -> timedelta | None:
    found = _DURATION.fullmatch(value or "0h")
    if found is None or int(found[1]) > _MOST_DAYS:
        raise click.BadParameter("is no number of days or hours, such as 7d or 12h")
    length = timedelta(days=int(found[1])) if found[2] == "d" else timedelta(hours=int(found[1]))
    return None if value is None else length


dry_run_option = click.option("--dry-run", is_flag=True, help="Only make a plan of it, for `cairn plan apply`.")
grace_option = click.option(
    "--grace",
    callback=_grace,
    metavar="TIME",
    help="Wait so long before anything is erased, such as 7d or 12h: until then `cairn plan undo` takes it back. "
    "Default: memory.erasure_grace_days.",
)
tenant_option = click.option(
    "--tenant", "owner", callback=_tenant, help="The tenant. Default: local, the tenant of the first key."
)
project_option = click.option("--project", callback=project_of, help="Only this project.")
user_option = click.option(
    "--user", callback=user_of, help="Only this user: what they said and what was learnt about them."
)
