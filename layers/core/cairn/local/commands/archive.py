"""`cairn archive`: archive sessions, and find, read, price or delete archived ones."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cairn.archive.cost import DISCLAIMER, MAX_BYTES, MAX_REDUNDANCY, assumptions, estimate
from cairn.archive.model import MAX_TAGS, RAW_ACKNOWLEDGEMENT, parse_pointer, pointer
from cairn.ground import ids
from cairn.local.options import data_option

if TYPE_CHECKING:
    from cairn.archive.archive import Archive
    from cairn.archive.model import Deposit
    from cairn.ground.ids import Tenant

_project_option = click.option("--project", help="The project in which the session was recorded.")


@click.group()
def archive() -> None:
    """Archive sessions, and find, read or delete archived ones."""


@archive.command()
@click.argument("session_id")
@_project_option
@click.option("--tag", "tags", multiple=True, help="A label to find the session by. May be repeated.")
@click.option("--dry-run", is_flag=True, help="Print the card of the session, and write nothing.")
@data_option
def store(*, session_id: str, project: str | None, tags: tuple[str, ...], dry_run: bool, data: Path | None) -> None:
    """Archive a session and print its pointer.

    If the `cm` command is on the path, the session is what `cm context SESSION_ID --json` prints; otherwise it is what
    Cairn recorded in the project. A session that contains a secret or personal data is refused.
    """
    with _open_archive(data) as (kept, tenant):
        deposit = _deposit(session_id, project, tags)
        if dry_run:
            _print(asdict(kept.preview(tenant, deposit)))
            return
        receipt = kept.store(tenant, deposit)
    click.echo(pointer(receipt.digest))
    click.echo(receipt.card.title, err=True)


@archive.command("list")
@click.argument("text", default="")
@click.option("--tag", "tags", multiple=True, help="Only sessions with a tag that contains this. May be repeated.")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(1, 100), help="List at most this many.")
@data_option
def list_(*, text: str, tags: tuple[str, ...], limit: int, data: Path | None) -> None:
    """List archived sessions, the newest first.

    With TEXT, list only those whose tag, session id or tool contains it.
    """
    with _open_archive(data) as (kept, tenant):
        found = kept.query(tenant, text.strip(), tags[:MAX_TAGS], limit)
    for each in found:
        click.echo(
            f"{pointer(each.digest)}  {each.created_at:%Y-%m-%d %H:%M}  {each.session_id}  {' '.join(each.tags)}"
        )


@archive.command()
@click.argument("pointer", metavar="POINTER")
@data_option
def get(*, pointer: str, data: Path | None) -> None:
    """Print an archived session as JSON."""
    with _open_archive(data) as (kept, tenant):
        _print(kept.retrieve(tenant, parse_pointer(pointer)))


@archive.command()
@click.argument("pointer", metavar="POINTER")
@data_option
def delete(*, pointer: str, data: Path | None) -> None:
    """Delete an archived session and its index entries."""
    with _open_archive(data) as (kept, tenant):
        kept.delete(tenant, parse_pointer(pointer))
    click.echo("Deleted.")


@archive.command()
@click.argument("session_id")
@_project_option
@click.option("--raw", is_flag=True, help="Print secrets and personal data too; needs --acknowledge.")
@click.option("--acknowledge", help=f'Exactly this: "{RAW_ACKNOWLEDGEMENT}".')
@data_option
def export(*, session_id: str, project: str | None, raw: bool, acknowledge: str | None, data: Path | None) -> None:
    """Print a recorded session as JSON, with secrets masked.

    Personal data is masked too.
    """
    named = ids.project(project or ""), ids.session_id(session_id)
    with _open_archive(data) as (kept, tenant):
        _print(kept.export(tenant, *named, raw=raw, acknowledgement=acknowledge))


@archive.command()
@click.argument("size", metavar="BYTES", type=click.IntRange(0, MAX_BYTES))
@click.option(
    "--redundancy", default=3, show_default=True, type=click.IntRange(1, MAX_REDUNDANCY), help="The number of copies."
)
def cost(*, size: int, redundancy: int) -> None:
    """Estimate what it costs to store BYTES in AWS."""
    expected = estimate(size, redundancy)
    click.echo(f"${expected.monthly_storage_usd:.6f} a month, and ${expected.request_usd:.6f} once")
    for line in (*assumptions(), DISCLAIMER):
        click.echo(line, err=True)


@contextmanager
def _open_archive(data: Path | None) -> Generator[tuple[Archive, Tenant]]:
    """Open the data directory and yield its archive and the tenant."""
    from cairn import wiring  # noqa: PLC0415
    from cairn.local.store import LOCAL_TENANT, open_store  # noqa: PLC0415 - a command pays for its own imports only

    with open_store(data, os.environ):
        yield wiring.services().archive, LOCAL_TENANT


def _deposit(session_id: str, project: str | None, tags: tuple[str, ...]) -> Deposit:
    """Return what the tool would make of the same arguments."""
    from cairn.archive.fields import DepositFields  # noqa: PLC0415
    from cairn.edge.validation import Rules, validate  # noqa: PLC0415
    from cairn.ground.settings import Limits  # noqa: PLC0415
    from cairn.local.commands.cm import export as export_of_cm  # noqa: PLC0415

    session = export_of_cm(ids.session_id(session_id))
    given = {"session_id": session_id, "project": project, "tags": list(tags), "session": session}
    return validate(DepositFields, given, Rules(Limits(), lenient=False)).deposit()


def _print(value: dict[str, Any]) -> None:
    click.echo(json.dumps(value, ensure_ascii=False, indent=2))
