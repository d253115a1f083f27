"""`cairn import`: import a bundle, the files of an earlier memory, or what agents and other memories keep."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.session import Session, Subject
from cairn.local.options import a_tenant, data_option, project_of, user_of

if TYPE_CHECKING:
    from cairn.custody.earlier_import import Imported
    from cairn.local.bring.storing import Into, Outcome

_PATH = click.Path(exists=True, path_type=Path, allow_dash=True)
_DIRECTORY = click.Path(exists=True, file_okay=False, path_type=Path)
_SOURCES: Final = (
    "claude-code",
    "codex",
    "gemini",
    "claude-memory",
    "chatgpt",
    "mem0",
    "agentcore",
    "server-memory",
    "basic-memory",
)


@click.command("import")
@click.argument("path", required=False, type=_PATH)
@click.option("--legacy", type=_DIRECTORY, help="Import the sessions below this directory instead of a bundle.")
@click.option("--from", "source", type=click.Choice(_SOURCES), help="Import what this agent or memory keeps at PATH.")
@click.option(
    "--dry-run",
    is_flag=True,
    help="Only say what would be stored. Of a bundle this makes a plan; with --from there is none to apply or undo.",
)
@click.option(
    "--tenant", "owner", callback=a_tenant, help="The tenant to import into. Default: the bundle's own, or else local."
)
@click.option(
    "--project",
    callback=project_of,
    help="Import a bundle only if all of it is this project's; with --legacy and --from: the project of all of it.",
)
@click.option(
    "--user",
    callback=user_of,
    help="Import a bundle only if all of it is this user's; with --legacy: whose sessions are that name nobody; "
    "with --from: whose all of it is.",
)
@data_option
def import_(  # noqa: PLR0913 - options, by name
    *,
    path: Path | None,
    legacy: Path | None,
    source: str | None,
    dry_run: bool,
    owner: Tenant | None,
    project: Project | None,
    user: UserId | None,
    data: Path | None,
) -> None:
    """Import a bundle, or with --from or --legacy what another program kept.

    PATH is a bundle that `cairn export` wrote; - is standard input. Import it into an empty service, which then answers
    as the one it came from. All of it is checked before anything is stored, and what it lacks is named; a bundle of a
    project or a user is refused where it holds anything else. A bundle of `cairn export --since` is imported where the
    earlier one was, and nothing was stored since. What went since is removed there; write nothing meanwhile. For 30
    days `cairn plan undo` removes what a whole bundle brought, but for what somebody changed or built on since.

    With --from, PATH is a file or directory of that agent or memory; without one it is where that keeps its files as a
    rule. Conversations become turns, single things memories, with their times. Without --project it is the one that
    this machine's hooks are bound to, or else that of the folder where an agent worked; without --user it is whom the
    source names, or else whom the hooks name, or your login name. A turn that hooks stored is not stored again.

    A legacy session is a directory named after it. It holds log.jsonl or context.jsonl, memory_facts.jsonl and
    meta.json, or one file legacy*.json with the same content. A session that already has turns here keeps them and gets
    no others.

    No other replaces anything. Each may be stopped and run again. The exit status is 1 if a line could not be read.
    """
    if source is not None and legacy is None:
        _bring_along(source, path, owner, project, user, data, dry_run=dry_run)
    elif (path is None) == (legacy is None) or source is not None:
        raise click.UsageError("name a bundle, or --legacy and a directory, or --from and what to import from")
    elif dry_run and path is None:
        raise click.UsageError("--dry-run goes with a bundle or with --from")
    elif legacy is not None:
        _take_over(legacy, owner, project, user, data)
    elif path is not None:
        _take_in(path, owner, project, user, data, dry_run=dry_run)


def _take_in(  # noqa: PLR0913 - what the command was given
    file: Path,
    owner: Tenant | None,
    project: Project | None,
    user: UserId | None,
    data: Path | None,
    *,
    dry_run: bool,
) -> None:
    from cairn.custody.planned_import import follows_a_base  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.commands.bundle_files import planned, take_in  # noqa: PLC0415
    from cairn.local.commands.plan import tell, tell_undo  # noqa: PLC0415
    from cairn.local.store import operator_services  # noqa: PLC0415

    if file.is_dir():
        raise click.UsageError("a bundle is a file; a directory goes with --from or --legacy")
    services = operator_services(data, os.environ)
    if dry_run:
        tell(planned(file, owner, project, user, services))
        return
    done = take_in(file, owner, project, user, services)
    new, there = done.done["new"], done.done["items"] - done.done["new"]
    click.echo(f"{new} items are new to tenant {done.tenant}; {there} were there already.", err=True)
    if done.can_be_undone(services.adapters.clock.now()) and not follows_a_base(done):
        tell_undo(done)


def _take_over(
    directory: Path, owner: Tenant | None, project: Project | None, user: UserId | None, data: Path | None
) -> None:
    """Import every session, print what came of each, and end the command with 1 where a line could not be read."""
    from cairn.custody.earlier_import import EarlierImport  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.commands.earlier_records import sessions  # noqa: PLC0415
    from cairn.local.store import LOCAL_TENANT, services  # noqa: PLC0415

    if project is None:
        raise click.UsageError("--legacy: name the --project of the sessions")
    tenant, unreadable = owner or LOCAL_TENANT, 0
    subject = Subject(project=project, user_id=user)
    with services(data, os.environ) as opened, opened.journal.command(tenant, "cairn import --legacy", subject):
        taking = EarlierImport(opened)
        for found in sessions(directory):
            session = Session(tenant, project, found.session_id)
            click.echo(f"{found.session_id}: {_summary_line(taking.run(session, found.history, user))}")
            if found.unreadable:
                click.echo(f"{found.session_id}: {found.unreadable} lines could not be read", err=True)
            unreadable += found.unreadable
    sys.exit(1 if unreadable else 0)


def _summary_line(imported: Imported) -> str:
    if imported.kept:
        return f"has turns of its own and keeps them; {imported.processed} ids of processed turns"
    return f"{imported.turns} turns, {imported.facts} facts, {imported.processed} ids of processed turns"


def _bring_along(  # noqa: PLR0913, PLR0917 - what the command was given
    source: str,
    path: Path | None,
    owner: Tenant | None,
    project: Project | None,
    user: UserId | None,
    data: Path | None,
    *,
    dry_run: bool,
) -> None:
    """Store what another program keeps, say what came of it, and end the command with 1 where a line was unreadable."""
    from cairn.local.bring.bringing import bring  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.bring.sources import SOURCES  # noqa: PLC0415
    from cairn.local.bring.storing import Storing  # noqa: PLC0415
    from cairn.local.store import LOCAL_TENANT, services  # noqa: PLC0415

    usual = SOURCES[source].usual
    place = path or (usual(os.environ) if usual else None)
    if place is None or not place.exists():
        raise click.UsageError(
            f"--from {source}: name the PATH of its files" if place is None else f"{place} is missing"
        )
    into = _into(owner or LOCAL_TENANT, project, user, os.environ)
    if source == "agentcore":  # a memory is a project of its own name
        into = replace(into, project=project)
    subject = Subject(project=into.project, user_id=into.user)
    with services(data, os.environ) as opened:
        named = f"cairn import --from {source}"
        with nullcontext() if dry_run else opened.journal.command(into.tenant, named, subject):
            outcome = bring(SOURCES[source], place, Storing(opened, source, into, dry=dry_run))
    _tell(outcome, "would be" if dry_run else "are")
    if dry_run:
        click.echo("--from makes no plan: without --dry-run this stores it, and no plan takes it back.", err=True)
    sys.exit(1 if outcome.unreadable else 0)


def _into(tenant: Tenant, project: Project | None, user: UserId | None, environment: Mapping[str, str]) -> Into:
    """Return where it is stored: as it is said, or else where the hooks of this machine's agents store."""
    from cairn.ground import ids  # noqa: PLC0415 - as above
    from cairn.ground.errors import SettingsError  # noqa: PLC0415
    from cairn.local.bring.storing import Into  # noqa: PLC0415
    from cairn.local.hook import client_file  # noqa: PLC0415
    from cairn.local.own_names import login_name  # noqa: PLC0415

    try:
        client = client_file.read(environment)
        names = client.project, client.user
    except SettingsError:
        names = environment.get("CAIRN_PROJECT"), environment.get("CAIRN_USER")
    fixed = ids.project(names[0]) if names[0] else None
    whose = ids.user_id(names[1]) if names[1] else login_name()
    return Into(tenant=tenant, owner=whose, project=project or fixed, user=user)


def _tell(outcome: Outcome, verb: str) -> None:
    for (project, user), count in sorted(outcome.counts.items()):
        new = f"{count.turns} turns of {len(count.sessions)} sessions and {count.memories} memories {verb} new"
        there = f"{count.turns_there} turns and {count.memories_there} memories were there already"
        click.echo(f"{project}, {user}: {new}; {there}")
    if not outcome.counts:
        click.echo("Nothing was found there.")
    if outcome.unfinished:
        click.echo(f"{outcome.unfinished} turns have no answer yet: run this again in an hour.", err=True)
    for place in outcome.unreadable:
        click.echo(f"{place}: cannot be read", err=True)
