"""`cairn export` and `cairn erase`: copy or remove what a tenant, a project or a user has."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.ground.ids import Project, Tenant, UserId
from cairn.local.options import a_tenant, data_option, project_option, tenant_option, user_option

if TYPE_CHECKING:
    from cairn.local.store import Custody


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@tenant_option
@project_option
@user_option
@data_option
def export(*, file: Path, owner: Tenant, project: Project | None, user: UserId | None, data: Path | None) -> None:
    """Write all that a tenant, a project or a user has into FILE.

    FILE is a bundle to hand over or to keep as a backup: a zip with one JSON object a line. It is not encrypted, so
    whoever has it can read it. FILE must not exist yet.
    """
    from cairn.custody.bundles import DataScope  # noqa: PLC0415
    from cairn.local.commands import bundle_files as bundles  # noqa: PLC0415 - a command pays for its own imports only

    store = _custody(data)
    with store.recorded(owner, "cairn export", project, user):
        count = bundles.write(file, DataScope(owner, project, user), store)
    click.echo(f"{count} items are in {file}, in the clear.", err=True)


@click.command()
@click.option("--tenant", "owner", callback=a_tenant, help="The tenant. Default with --user: local.")
@user_option
@project_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@data_option
def erase(*, owner: Tenant | None, user: UserId | None, project: Project | None, yes: bool, data: Path | None) -> None:
    """Erase a tenant, or with --user one user.

    Only a backup of yours can bring it back. You may stop the command at any time and run it again. The exit status is
    1 if something is left.
    """
    if user is None and (owner is None or project is not None):
        raise click.UsageError("name --user, in a --project or in all, or else a whole --tenant")
    from cairn.local.store import LOCAL_TENANT  # noqa: PLC0415 - a command pays for its own imports only

    whose = owner or LOCAL_TENANT
    place = "all projects" if project is None else f"project {project}"
    what = f"tenant {whose} and all it ever stored" if user is None else f"user {user} in {place} of tenant {whose}"
    if not yes:
        click.confirm(f"Erase {what}?", abort=True, err=True)
    from cairn.custody.bundles import DataScope  # noqa: PLC0415
    from cairn.local.commands import erasing  # noqa: PLC0415

    store = _custody(data)
    if user is None:
        erasing.erase_tenant(store, whose)
        return
    with store.recorded(whose, "cairn erase", project, user):
        erasing.erase_user(store, DataScope(whose, project, user))


def _custody(data: Path | None) -> Custody:
    from cairn.local.store import custody  # noqa: PLC0415 - a command pays for its own imports only

    return custody(data, os.environ)
