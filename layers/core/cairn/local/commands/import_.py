"""`cairn import`: import a bundle, or the files of an earlier memory."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.session import Session, Subject
from cairn.local.options import a_tenant, data_option, project_of, user_of

if TYPE_CHECKING:
    from cairn.custody.earlier_import import Imported

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("import")
@click.argument("file", required=False, type=_FILE)
@click.option("--legacy", type=_DIRECTORY, help="Import the sessions below this directory instead of a bundle.")
@click.option(
    "--tenant", "owner", callback=a_tenant, help="The tenant to import into. Default: the bundle's own, or else local."
)
@click.option(
    "--project",
    callback=project_of,
    help="Import a bundle only if all of it is this project's; with --legacy: the project of the sessions.",
)
@click.option(
    "--user",
    callback=user_of,
    help="Import a bundle only if all of it is this user's; with --legacy: whose sessions are that name nobody.",
)
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
    """Import a bundle, or an earlier memory with --legacy.

    FILE is a bundle that `cairn export` wrote. Import it into an empty service, which then answers as the one it came
    from. All of it is checked before anything is stored; a bundle of a project or a user is refused where it holds
    anything else. A legacy session is a directory named after it. It holds log.jsonl or context.jsonl,
    memory_facts.jsonl and meta.json, or one file legacy*.json with the same content. A session that already has turns
    here keeps them and gets no others. An import replaces nothing; you may stop it at any time and run it again. The
    exit status is 1 if a line of a legacy file could not be read.
    """
    if (file is None) == (legacy is None):
        raise click.UsageError("name a bundle, or --legacy and a directory")
    if legacy is not None:
        if project is None:
            raise click.UsageError("--legacy: name the --project of the sessions")
        sys.exit(0 if _take_over(legacy, owner, project, user, data) else 1)
    if file is not None:
        _take_in(file, owner, project, user, data)


def _take_in(file: Path, owner: Tenant | None, project: Project | None, user: UserId | None, data: Path | None) -> None:
    from cairn.local.commands.bundle_files import take_in  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.store import operator_services  # noqa: PLC0415

    whose, items, new = take_in(file, owner, project, user, operator_services(data, os.environ))
    click.echo(f"{new} items are new to tenant {whose}; {items - new} were there already.", err=True)


def _take_over(directory: Path, owner: Tenant | None, project: Project, user: UserId | None, data: Path | None) -> bool:
    """Import every session, print what came of each, and return whether all lines could be read."""
    from cairn.local.commands.earlier_records import sessions  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.store import LOCAL_TENANT, services  # noqa: PLC0415

    tenant, unreadable = owner or LOCAL_TENANT, 0
    subject = Subject(project=project, user_id=user)
    with services(data, os.environ) as opened, opened.journal.command(tenant, "cairn import --legacy", subject):
        for found in sessions(directory):
            session = Session(tenant, project, found.session_id)
            click.echo(f"{found.session_id}: {_summary_line(opened.earlier_import.run(session, found.history, user))}")
            if found.unreadable:
                click.echo(f"{found.session_id}: {found.unreadable} lines could not be read", err=True)
            unreadable += found.unreadable
    return not unreadable


def _summary_line(imported: Imported) -> str:
    if imported.kept:
        return f"has turns of its own and keeps them; {imported.processed} ids of processed turns"
    return f"{imported.turns} turns, {imported.facts} facts, {imported.processed} ids of processed turns"
