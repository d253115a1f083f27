"""`cairn import --legacy`: sessions taken over from the layout before the canonical one."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cairn.custody.earlier_import import Imported
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.session import Session, Subject


def take_over(directory: Path, tenant: Tenant, project: Project, user: UserId | None, data: Path | None) -> bool:
    """Take every session over and print how; return whether all lines could be read."""
    from cairn.local.commands.earlier_records import sessions  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.store import services  # noqa: PLC0415

    unreadable = 0
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
