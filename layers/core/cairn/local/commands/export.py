"""`cairn export`: copy what a tenant, a project or a user has into a bundle."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.ground.ids import Project, Tenant, UserId
from cairn.local.options import data_option, project_option, tenant_option, user_option

if TYPE_CHECKING:
    from cairn.services import Services


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@tenant_option
@project_option
@user_option
@click.option(
    "--since",
    type=click.Path(exists=True, path_type=Path, dir_okay=False),
    help="Write only what came, changed or went since this bundle, which an import then needs to have been imported.",
)
@click.option(
    "--from-dynamodb-export",
    "exported",
    metavar="S3://BUCKET/PREFIX",
    help="Write the state of a full export that DynamoDB made to S3, without reading the table.",
)
@click.option("--start", is_flag=True, help="With --from-dynamodb-export: have DynamoDB make that first, and wait.")
@data_option
def export(  # noqa: PLR0913 - options, by name
    *,
    file: Path,
    owner: Tenant,
    project: Project | None,
    user: UserId | None,
    since: Path | None,
    exported: str | None,
    start: bool,
    data: Path | None,
) -> None:
    """Write all that a tenant, a project or a user has into FILE.

    FILE is a bundle to hand over or to keep as a backup: a zip with one JSON object a line. It is not encrypted, so
    whoever has it can read it. FILE must not exist yet; - is standard output.
    """
    from cairn.custody.bundles import DataScope  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.commands.bundle_files import state_of, write  # noqa: PLC0415
    from cairn.local.store import operator_services, recorded  # noqa: PLC0415

    if start and not exported:
        raise click.UsageError("--start goes with --from-dynamodb-export")
    services = operator_services(data, os.environ)
    with recorded(services, owner, "cairn export", project, user):
        scope = DataScope(owner, project, user)
        base = state_of(since, scope) if since else None
        with _source(services, owner, exported, start=start) as source:
            count = write(file, scope, source, base)
    click.echo(f"{count} items are in {file}, in the clear.", err=True)


def _source(
    services: Services, tenant: Tenant, exported: str | None, *, start: bool
) -> AbstractContextManager[Services]:
    """Return what to export from: the store, or what DynamoDB exported."""
    if exported is None:
        return nullcontext(services)
    from cairn.local.commands.table_export import as_exported  # noqa: PLC0415 - most exports need none of AWS

    return as_exported(services, tenant, exported, start=start)
