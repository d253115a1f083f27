"""`cairn import --legacy`: sessions taken over from the layout before the canonical one."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cairn.domain import ids
from cairn.domain.ids import Project, Tenant, UserId
from cairn.domain.turns import Session
from cairn.local.options import data_option
from cairn.local.session_files import project_option, tenant_option
from cairn.service.legacy_import import Imported

_DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)


@click.command("import")
@click.option("--legacy", "directory", required=True, type=_DIRECTORY, help="Where the sessions' legacy files are.")
@click.option("--user", help="Whose sessions they are; what names a user of its own is that user's.")
@project_option
@tenant_option
@data_option
def import_(*, directory: Path, user: str | None, project: str, tenant: Tenant, data: Path | None) -> None:
    """Take over the sessions below a directory, each in a directory of its name; nothing there is changed.

    A session's files are log.jsonl, context.jsonl, memory_facts.jsonl and meta.json, or legacy*.json with the same in
    it. Run again, it goes on where it stopped. A session that has turns of its own keeps them and gets no others. The
    status is 1 where a line could not be read.
    """
    owner = None if user is None else ids.user_id(user)
    if not take_over(directory, tenant, ids.project(project), owner, data):
        raise click.exceptions.Exit(1)


def take_over(directory: Path, tenant: Tenant, project: Project, user: UserId | None, data: Path | None) -> bool:
    """Take every session over and print how; return whether all lines could be read."""
    from cairn.local.legacy_records import sessions  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.store import services  # noqa: PLC0415

    unreadable = 0
    with services(data, os.environ) as opened:
        for found in sessions(directory):
            session = Session(tenant, project, found.session_id)
            click.echo(f"{found.session_id}: {_told(opened.engine.legacy.run(session, found.history, user))}")
            if found.unreadable:
                click.echo(f"{found.session_id}: {found.unreadable} lines could not be read", err=True)
            unreadable += found.unreadable
    return not unreadable


def _told(imported: Imported) -> str:
    if imported.kept:
        return f"has turns of its own and keeps them; {imported.processed} ids of processed turns"
    return f"{imported.turns} turns, {imported.facts} facts, {imported.processed} ids of processed turns"
