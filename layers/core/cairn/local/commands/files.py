"""`cairn files`: a session's files for people, and a copy of all that shows its memory."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cairn.files.files import FileInfo, FileType, WriteMode
from cairn.ground import ids
from cairn.ground.ids import Tenant
from cairn.ground.session import Session
from cairn.local.options import DIRECTORY, data_option, tenant_option

if TYPE_CHECKING:
    from cairn.files.service import Files

_MOST_ENTRIES = 10_000


_project_option = click.option("--project", required=True, help="The project of the session.")


def _on_session(run: Callable[..., None]) -> Callable[..., None]:
    """Open the store, and hand the session's files on in place of the options that name them."""

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


@click.group()
def files() -> None:
    """Look at the files of a session, and keep own ones beside them.

    The memory is that of the data directory; where CAIRN_TABLE, CAIRN_BUCKET and CAIRN_KEY_ID name a store in AWS, and
    --data is not given, it is that store's.
    """


@files.command()
@click.argument("path", default="")
@click.option("--depth", default=1, show_default=True, type=click.IntRange(0), help="How many levels.")
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
@click.option("--append", is_flag=True, help="Add at the end.")
@click.option("--offset", type=click.IntRange(0), help="Write over what is there from this byte on.")
@click.option("--if-version", type=click.IntRange(0), help="Only over this version; 0 for a file that is not there.")
@_on_session
def write(  # noqa: PLR0913 - one parameter for each option
    held: Files, session: Session, *, path: str, append: bool, offset: int | None, if_version: int | None
) -> None:
    """Write standard input to an own file; unless told otherwise it takes the place of what was there."""
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
@click.option("--recursive", is_flag=True, help="A directory with all that is in it.")
@_on_session
def rm(held: Files, session: Session, *, path: str, recursive: bool) -> None:
    """Delete an own file."""
    count = held.delete(session, path, recursive=recursive)
    click.echo(f"{count} deleted")


@files.command()
@click.argument("path")
@_on_session
def stat(held: Files, session: Session, *, path: str) -> None:
    """Tell what a path is; the status is 1 where there is nothing."""
    info = held.stat(session, path)
    if info is None:
        raise click.ClickException("there is nothing at this path")
    _show(info)


@files.command()
@click.argument("query")
@click.option("--path", default="", help="Only at and below this path.")
@click.option("--limit", default=5, show_default=True, type=click.IntRange(1), help="The most passages.")
@_on_session
def search(held: Files, session: Session, *, query: str, path: str, limit: int) -> None:
    """Print the passages that match best, each under its path and offsets."""
    for passage in held.search(session, query, path, limit):
        click.echo(f"{passage.path} {passage.start}-{passage.end}")
        click.echo(passage.content.rstrip("\n"))


@files.command()
@click.argument("directory", type=DIRECTORY)
@_on_session
def export(held: Files, session: Session, *, directory: Path) -> None:
    """Copy every file of a session to DIRECTORY/memory/SESSION: its memory in the canonical layout, and its own ones.

    The same memory gives the same bytes. Where there is such a directory already, nothing is written.
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
