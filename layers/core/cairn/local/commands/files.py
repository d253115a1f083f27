"""`cairn files`: show a session as files, and read, write and export them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cairn.files import owners
from cairn.files.files import FileInfo, FileType, WriteMode
from cairn.ground import ids
from cairn.ground.ids import Tenant
from cairn.ground.session import Session
from cairn.local.options import DIRECTORY, data_option, tenant_option

if TYPE_CHECKING:
    from cairn.files.memory_files import MemoryFiles
    from cairn.files.service import Files

_MOST_ENTRIES = 10_000


_project_option = click.option("--project", required=True, help="The session's project.")


def _on_session(run: Callable[..., None]) -> Callable[..., None]:
    """Open the store and pass the session's files to the command instead of the options that name them."""

    @wraps(run)
    def opened_first(*, owner: Tenant, project: str, session: str, data: Path | None, **arguments: Any) -> None:
        from cairn.local.store import services  # noqa: PLC0415 - a command pays for its own imports only

        where = Session(owner, ids.project(project), ids.session_id(session))
        with services(data, os.environ) as opened:
            run(opened.files, where, **arguments)

    session_option = click.option("--session", required=True, help="The session.")
    for option in (data_option, tenant_option, _project_option, session_option):
        opened_first = option(opened_first)
    return opened_first


def _on_memory_files(run: Callable[..., None]) -> Callable[..., None]:
    """Open the store and pass the files of the memory tool to the command instead of the options that name them."""

    @wraps(run)
    def opened_first(
        *, owner: Tenant, project: str, user: str | None, session: str | None, data: Path | None, **arguments: Any
    ) -> None:
        from cairn.local.store import services  # noqa: PLC0415 - a command pays for its own imports only

        if user is not None and session is not None:
            raise click.UsageError("--user and --session do not go together")
        with services(data, os.environ) as opened:
            run(opened.memory_files, _owner(owner, project, user, session), **arguments)

    session_option = click.option("--session", help="The session whose files; without --user the project's.")
    user_option = click.option("--user", help="The user whose files.")
    for option in (data_option, tenant_option, _project_option, session_option, user_option):
        opened_first = option(opened_first)
    return opened_first


def _owner(tenant: Tenant, project: str, user: str | None, session: str | None) -> Session:
    where = ids.project(project)
    if session is not None:
        return Session(tenant, where, ids.session_id(session))
    return owners.of_project(tenant, where) if user is None else owners.of_user(tenant, where, ids.user_id(user))


@click.group()
def files() -> None:
    """Show a session as files, and keep your own beside them.

    Works on the data directory, or, if CAIRN_TABLE, CAIRN_BUCKET and CAIRN_KEY_ID are set and --data is not given, on
    that store in AWS.
    """


@files.command()
@click.argument("path", default="")
@click.option("--depth", default=1, show_default=True, type=click.IntRange(0), help="How many levels to list.")
@_on_session
def ls(held: Files, session: Session, *, path: str, depth: int) -> None:
    """List a directory."""
    for info in _everything(held, session, path, depth):
        _show(info)


@files.command()
@click.argument("path")
@_on_session
def cat(held: Files, session: Session, *, path: str) -> None:
    """Print a file."""
    sys.stdout.buffer.write(held.read(session, path))


@files.command()
@click.argument("path")
@click.option("--append", is_flag=True, help="Append to the file.")
@click.option("--offset", type=click.IntRange(0), help="Overwrite the file from this byte on.")
@click.option(
    "--if-version",
    type=click.IntRange(0),
    help="Write only if the file has this version; 0: only if it does not exist.",
)
@_on_session
def write(  # noqa: PLR0913 - one parameter for each option
    held: Files, session: Session, *, path: str, append: bool, offset: int | None, if_version: int | None
) -> None:
    """Write standard input to a file of your own.

    Without --append or --offset it replaces the file.
    """
    if append and offset is not None:
        raise click.UsageError("--append and --offset do not go together")
    replacing = WriteMode.TRUNCATE if offset is None else WriteMode.OVERWRITE
    mode = WriteMode.APPEND if append else replacing
    try:
        text = sys.stdin.buffer.read().decode()
    except UnicodeDecodeError:
        raise click.ClickException("standard input is no UTF-8 text") from None
    _show(held.write(session, path, text, mode, offset=offset or 0, if_version=if_version))


@files.command()
@click.argument("path")
@click.option("--recursive", is_flag=True, help="Delete a directory and everything in it.")
@_on_session
def rm(held: Files, session: Session, *, path: str, recursive: bool) -> None:
    """Delete a file of your own."""
    count = held.delete(session, path, recursive=recursive)
    click.echo(f"{count} deleted")


@files.command()
@click.argument("path")
@_on_session
def stat(held: Files, session: Session, *, path: str) -> None:
    """Show what a path is; the exit status is 1 if there is nothing."""
    info = held.stat(session, path)
    if info is None:
        raise click.ClickException("there is nothing at this path")
    _show(info)


@files.command()
@click.argument("query")
@click.option("--path", default="", help="Search only at and below this path.")
@click.option("--limit", default=5, show_default=True, type=click.IntRange(1), help="Print at most this many passages.")
@_on_session
def search(held: Files, session: Session, *, query: str, path: str, limit: int) -> None:
    """Search the files, and print the best passages."""
    for passage in held.search(session, query, path, limit):
        click.echo(f"{passage.path} {passage.start}-{passage.end}")
        click.echo(passage.content.rstrip("\n"))


@files.command()
@click.argument("path")
@_on_memory_files
def log(held: MemoryFiles, owner: Session, *, path: str) -> None:
    """List the versions that are kept of a memory file, such as /memories/notes.md, the newest last."""
    found = list(held.versions(owner, path))
    if not found:
        raise click.ClickException("there is no such file, and no version of it")
    for each in found:
        click.echo(f"{each.size:>10}  {f'v{each.version}':>6}  {each.updated_at:%Y-%m-%d %H:%M}  {each.path}")


@files.command()
@click.argument("path")
@click.argument("version", type=click.IntRange(1))
@_on_memory_files
def restore(held: MemoryFiles, owner: Session, *, path: str, version: int) -> None:
    """Write what a memory file held in a version as its newest; the others are kept."""
    done = held.restore(owner, path, version)
    click.echo(f"{path} is as in version {version}, and has version {done.version}")


@files.command()
@click.argument("directory", type=DIRECTORY)
@_on_session
def export(held: Files, session: Session, *, directory: Path) -> None:
    """Copy all files of a session to DIRECTORY/memory/SESSION.

    The copy holds the session's memory in the canonical layout, and the files written to it. The same memory gives the
    same bytes. If the directory already exists, nothing is written.
    """
    root = directory / "memory" / session.session_id
    if root.exists():
        raise click.ClickException(f"{root} is there already")
    count = 0
    for path, content in held.everything(session):
        target = directory / path.removeprefix("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        count += 1
    click.echo(f"{count} files in {root}")


def _everything(held: Files, session: Session, path: str, depth: int) -> list[FileInfo]:
    found = held.list(session, path, depth=depth, limit=_MOST_ENTRIES)
    entries = list(found.entries)
    while found.next is not None:
        found = held.list(session, path, depth=depth, limit=_MOST_ENTRIES, after=found.next)
        entries.extend(found.entries)
    return entries


def _show(info: FileInfo) -> None:
    kind = "/" if info.type is FileType.DIRECTORY else ""
    version = f"v{info.version}" if info.version is not None else "-"
    click.echo(f"{info.size:>10}  {version:>6}  {info.updated_at:%Y-%m-%d %H:%M}  {info.path}{kind}")
