"""`cairn export` and `erase`: what a tenant, a project or a user has, taken out and removed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.ground.ids import Project, Tenant, UserId
from cairn.local.options import a_tenant, data_option, project_option, tenant_option, user_option

if TYPE_CHECKING:
    from cairn.services import Services


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@tenant_option
@project_option
@user_option
@data_option
def export(*, file: Path, owner: Tenant, project: Project | None, user: UserId | None, data: Path | None) -> None:
    """Write all that a tenant, a project or a user has into FILE: a bundle, to hand over or as a backup.

    FILE is a zip with one JSON object a line, in the clear: whoever has it can read it. It must not be there yet.
    """
    from cairn.custody.bundles import DataScope  # noqa: PLC0415
    from cairn.local.commands import bundle_files as bundles  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.store import recorded  # noqa: PLC0415

    services = _services(data)
    with recorded(services, owner, "cairn export", project, user):
        count = bundles.write(file, DataScope(owner, project, user), services)
    click.echo(f"{count} items are in {file}, in the clear.", err=True)


@click.command()
@click.option("--tenant", "owner", callback=a_tenant, help="Whose memory; with --user, `local` unless told.")
@user_option
@project_option
@click.option("--yes", is_flag=True, help="Do not ask.")
@data_option
def erase(*, owner: Tenant | None, user: UserId | None, project: Project | None, yes: bool, data: Path | None) -> None:
    """Erase a tenant, or with --user one user of it. Nothing brings it back but a backup of yours.

    It may be stopped at any time and run again. The status is 1 where something is left.
    """
    if user is None and (owner is None or project is not None):
        raise click.UsageError("name --user, in a --project or in all, or else a whole --tenant")
    from cairn.local.store import LOCAL_TENANT, recorded  # noqa: PLC0415 - a command pays for its own imports only

    whose = owner or LOCAL_TENANT
    place = "all projects" if project is None else f"project {project}"
    what = f"tenant {whose} and all it ever stored" if user is None else f"user {user} in {place} of tenant {whose}"
    if not yes:
        click.confirm(f"Erase {what}?", abort=True, err=True)
    from cairn.custody.bundles import DataScope  # noqa: PLC0415
    from cairn.local.commands import erasing  # noqa: PLC0415

    services = _services(data)
    if user is None:
        erasing.erase_tenant(services, whose)
        return
    with recorded(services, whose, "cairn erase", project, user):
        erasing.erase_user(services, DataScope(whose, project, user))


def _services(data: Path | None) -> Services:
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only

    return operator_services(data, os.environ)
