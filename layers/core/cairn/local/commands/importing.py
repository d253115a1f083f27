"""`cairn import`: a bundle of another service, or what an earlier memory left as files, taken in."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from cairn.ground.ids import Project, Tenant, UserId
from cairn.local.options import a_tenant, data_option, project_of, user_of

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("import")
@click.argument("file", required=False, type=_FILE)
@click.option("--legacy", type=_DIRECTORY, help="Take over the sessions below this directory instead of a bundle.")
@click.option("--tenant", "owner", callback=a_tenant, help="Whose memory it becomes; a bundle's own, or else `local`.")
@click.option("--project", callback=project_of, help="With --legacy: the project of the sessions.")
@click.option("--user", callback=user_of, help="With --legacy: whose sessions they are, where no line names a user.")
@data_option
def import_(  # noqa: PLR0913 - options, by name
    *,
    file: Path | None,
    legacy: Path | None,
    owner: Tenant | None,
    project: Project | None,
    user: UserId | None,
    data: Path | None,
) -> None:
    """Take in FILE, a bundle that `cairn export` wrote, or with --legacy an earlier memory's files.

    A bundle is for an empty service, which then answers as the one it was exported from. A legacy session is a
    directory of its name with log.jsonl, context.jsonl, memory_facts.jsonl and meta.json, or legacy*.json with the same
    in it; one that has turns here keeps them and gets no others. Either may be stopped at any time and run again, and
    replaces nothing. The status is 1 where a line of a legacy file could not be read.
    """
    if (file is None) == (legacy is None):
        raise click.UsageError("name a bundle, or --legacy and a directory")
    if legacy is not None:
        if project is None:
            raise click.UsageError("--legacy: name the --project of the sessions")
        from cairn.local.commands.earlier_import import take_over  # noqa: PLC0415 - a command pays for its own imports only
        from cairn.local.store import LOCAL_TENANT  # noqa: PLC0415

        sys.exit(0 if take_over(legacy, owner or LOCAL_TENANT, project, user, data) else 1)
    if file is not None:
        _bundle(file, owner, data)


def _bundle(file: Path, owner: Tenant | None, data: Path | None) -> None:
    from cairn.local.commands import bundle_files as bundles  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.store import operator_services  # noqa: PLC0415

    whose, items, new = bundles.take_in(file, owner, operator_services(data, os.environ))
    click.echo(f"{new} items are new to tenant {whose}; {items - new} were there already.", err=True)
