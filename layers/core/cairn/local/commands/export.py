"""`cairn export`: copy what a tenant, a project or a user has into a bundle."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cairn.ground.ids import Project, Tenant, UserId
from cairn.local.options import data_option, project_option, tenant_option, user_option


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
    from cairn.custody.bundles import DataScope  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.commands.bundle_files import write  # noqa: PLC0415
    from cairn.local.store import operator_services, recorded  # noqa: PLC0415

    services = operator_services(data, os.environ)
    with recorded(services, owner, "cairn export", project, user):
        count = write(file, DataScope(owner, project, user), services)
    click.echo(f"{count} items are in {file}, in the clear.", err=True)
