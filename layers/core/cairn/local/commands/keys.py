"""`cairn keys`: create, list, rotate and revoke API keys."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.access.api_keys import SCOPES, Credential, Grant, IssuedKey, project_pattern, scope
from cairn.access.callers import settled
from cairn.ground.ids import Tenant, user_id
from cairn.local.options import a_tenant, data_option
from cairn.local.program import program

if TYPE_CHECKING:
    from cairn.access.key_store import Credentials

_COLUMNS = "{:16}  {:20}  {:18}  {:20}  {:18}  {}"
_MOST_DAYS = 36500


@click.group()
def keys() -> None:
    """Create, list, rotate and revoke API keys.

    A change takes effect at the next request. Works on the data directory, or, if CAIRN_TABLE, CAIRN_BUCKET and
    CAIRN_KEY_ID are set and --data is not given, on that store in AWS.
    """


@keys.command()
@click.option(
    "--tenant",
    "owner",
    callback=a_tenant,
    help="The tenant whose memory the key opens. Default: the only one on this machine, local where there is none; in "
    "AWS, or beside several, a new tenant.",
)
@click.option(
    "--project",
    "projects",
    multiple=True,
    default=("*",),
    show_default=True,
    help="A project that the key opens; * stands for whole segments, as in team.* or owner/*. May be repeated. A call "
    "need not name the only one, nor the only --user, and can name no other.",
)
@click.option(
    "--scope",
    "scopes",
    multiple=True,
    type=click.Choice(SCOPES),
    default=SCOPES,
    show_default=True,
    help="What the key may do. May be repeated.",
)
@click.option(
    "--user",
    "users",
    multiple=True,
    help="The user that the key speaks for; it reads and writes for nobody else. May be repeated. Default: whomever a "
    "call names, as a back end needs it.",
)
@click.option("--policy", help="The policy that applies to the key.")
@click.option("--days", type=click.IntRange(1, _MOST_DAYS), help="How many days the key is valid. Default: for ever.")
@data_option
def create(  # noqa: PLR0913 - one parameter for each option
    *,
    owner: Tenant | None,
    projects: tuple[str, ...],
    scopes: tuple[str, ...],
    users: tuple[str, ...],
    policy: str | None,
    days: int | None,
    data: Path | None,
) -> None:
    """Create an API key and print it once."""
    grant = Grant(
        tuple(project_pattern(each) for each in projects),
        tuple(scope(each) for each in scopes),
        policy,
        tuple(user_id(each) for each in dict.fromkeys(users)),
    )
    lifetime = None if days is None else timedelta(days=days)
    from cairn.local.store import (  # noqa: PLC0415 - a command pays for its own imports only
        memories,
        operator_services,
        tenant_here,
    )

    services = operator_services(data, os.environ)
    known = memories(services)
    owner = owner or tenant_here(services, known)
    _show(services.credentials.create(owner, grant, lifetime))
    if known and owner not in known:
        click.echo("It opens a new, empty memory. For a key to one that is there:", err=True)
        bound = "".join(f" --{name} {shlex.quote(each)}" for name, each in _bound(projects, users))
        for each in known:
            click.echo(f"  {program()} keys create --tenant {each}{bound}", err=True)


def _bound(projects: Sequence[str], users: Sequence[str]) -> list[tuple[str, str]]:
    return [("project", each) for each in projects if each != "*"] + [("user", each) for each in users]


@keys.command("list")
@data_option
def list_(data: Path | None) -> None:
    """List the API keys, expired and revoked ones too."""
    click.echo(_COLUMNS.format("ID", "TENANT", "PROJECTS", "SCOPES", "USERS", "STATE"))
    now = datetime.now(UTC)
    for credential in _credentials(data).list():
        grant = credential.grant
        projects, scopes, users = " ".join(grant.projects), " ".join(grant.scopes), _users(grant)
        click.echo(_COLUMNS.format(credential.id, credential.tenant, projects, scopes, users, _state(credential, now)))


@keys.command()
@click.argument("key_id", metavar="ID")
@click.option(
    "--hours",
    type=click.IntRange(0, 24 * _MOST_DAYS),
    default=24,
    show_default=True,
    help="How many hours the old key still works.",
)
@data_option
def rotate(key_id: str, hours: int, data: Path | None) -> None:
    """Replace an API key by a new one with the same rights.

    The new key is printed once. The old one works for --hours more.
    """
    _show(_credentials(data).rotate(key_id, timedelta(hours=hours)))


@keys.command()
@click.argument("key_id", metavar="ID")
@data_option
def revoke(key_id: str, data: Path | None) -> None:
    """Revoke an API key at once."""
    _credentials(data).revoke(key_id)
    click.echo(f"Key {key_id} opens nothing any more.")


def _credentials(data: Path | None) -> Credentials:
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only

    return operator_services(data, os.environ).credentials


def _show(issued: IssuedKey) -> None:
    """Print the key on standard output, and on standard error what it opens."""
    click.echo(issued.text)
    credential = issued.credential
    grant = credential.grant
    projects, scopes, users = " ".join(grant.projects), " ".join(grant.scopes), _users(grant)
    opens = f"tenant {credential.tenant}, projects {projects}, scopes {scopes}, users {users}"
    click.echo(f"Key {credential.id}: {opens}.", err=True)
    if bound := [name.removesuffix("_id") for name in settled(grant.projects, grant.users)]:
        click.echo(f"A call with it need not name the {' and the '.join(bound)}, and can name no other.", err=True)
    click.echo("Keep it: it is not stored and cannot be shown again.", err=True)


def _users(grant: Grant) -> str:
    return " ".join(repr(each) if " " in each else each for each in grant.users) or "*"


def _state(credential: Credential, now: datetime) -> str:
    if credential.ends_at is None:
        return "open"
    until = f"{credential.ends_at:%Y-%m-%d %H:%M} UTC"
    return f"open until {until}" if credential.is_open(now) else f"ended {until}"
