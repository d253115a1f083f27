"""`cairn keys`: create, list, rotate and revoke API keys."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.access.api_keys import MOST_DAYS, SCOPES, Credential, Grant, IssuedKey, parse, project_pattern, scope
from cairn.access.callers import settled
from cairn.ground.ids import Tenant, user_id
from cairn.local.options import a_tenant, data_option, dry_run_option
from cairn.local.program import program
from cairn.plans.model import SHOWN

if TYPE_CHECKING:
    from cairn.access.key_store import Credentials
    from cairn.plans.model import Plan

_COLUMNS = "{:16}  {:20}  {:18}  {:20}  {:18}  {}"


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
@click.option("--days", type=click.IntRange(1, MOST_DAYS), help="How many days the key is valid. Default: for ever.")
@click.option(
    "--aws",
    "for_aws",
    is_flag=True,
    help="Make a key with which AWS's clients sign, for /agentcore, and print it as they take it.",
)
@data_option
def create(  # noqa: PLR0913 - one parameter for each option
    *,
    owner: Tenant | None,
    projects: tuple[str, ...],
    scopes: tuple[str, ...],
    users: tuple[str, ...],
    policy: str | None,
    days: int | None,
    for_aws: bool,
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
        recorded,
        tenant_here,
    )

    services = operator_services(data, os.environ)
    known = memories(services)
    owner = owner or tenant_here(services, known)
    issued = services.credentials.create(owner, grant, lifetime, derived=for_aws)
    # A key that is not on record is one that nobody has seen.
    with recorded(services, issued.credential.tenant, "cairn keys create"):
        _show(issued)
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
    type=click.IntRange(0, 24 * MOST_DAYS),
    default=24,
    show_default=True,
    help="How many hours the old key still works.",
)
@dry_run_option
@data_option
def rotate(key_id: str, hours: int, data: Path | None, *, dry_run: bool) -> None:
    """Replace an API key by a new one with the same rights.

    The new key is printed once. The old one works for --hours more. `cairn plan undo` has the old one open what it did,
    and the new one nothing.
    """
    _end(data, key_id, timedelta(hours=hours), dry_run=dry_run)


@keys.command()
@click.argument("key_id", metavar="ID")
@dry_run_option
@data_option
def revoke(key_id: str, data: Path | None, *, dry_run: bool) -> None:
    """Revoke an API key at once; `cairn plan undo` has it open again what it did."""
    _end(data, key_id, None, dry_run=dry_run)


def _end(data: Path | None, key_id: str, overlap: timedelta | None, *, dry_run: bool) -> None:
    """Plan to revoke or rotate a key, and unless it is only planned do so."""
    from cairn.custody.planned_keys import plan_to_end  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.commands.plan import tell, tell_undo  # noqa: PLC0415
    from cairn.local.store import operator_services, recorded  # noqa: PLC0415

    services = operator_services(data, os.environ)
    made = services.plans.make(plan_to_end(services.credentials.owner_of(key_id), key_id, overlap))
    if dry_run:
        tell(made.plan)
        return
    with recorded(services, made.plan.tenant, f"cairn keys {'revoke' if overlap is None else 'rotate'}"):
        plan = made.at_once()
    if overlap is None:
        click.echo(f"Key {key_id} opens nothing any more.")
    else:
        show_issued(services.credentials, plan)
    tell_undo(plan)


def show_issued(credentials: Credentials, plan: Plan) -> None:
    """Print the key that a rotation made, once."""
    _show(IssuedKey(plan.done[SHOWN], credentials.find(plan.done["successor"], plan.tenant)))


def _credentials(data: Path | None) -> Credentials:
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only

    return operator_services(data, os.environ).credentials


def _show(issued: IssuedKey) -> None:
    """Print the key on standard output, and on standard error what it opens."""
    credential = issued.credential
    click.echo(issued.text if credential.derived_under is None else _for_aws(issued.text))
    grant = credential.grant
    projects, scopes, users = " ".join(grant.projects), " ".join(grant.scopes), _users(grant)
    opens = f"tenant {credential.tenant}, projects {projects}, scopes {scopes}, users {users}"
    click.echo(f"Key {credential.id}: {opens}.", err=True)
    if bound := [name.removesuffix("_id") for name in settled(grant.projects, grant.users)]:
        click.echo(f"A call with it need not name the {' and the '.join(bound)}, and can name no other.", err=True)
    click.echo("Keep it: it is not stored and cannot be shown again.", err=True)


def _for_aws(text: str) -> str:
    """Return a key as the environment of AWS's clients has it."""
    key = parse(text)
    return "" if key is None else f"AWS_ACCESS_KEY_ID={key.access_key_id}\nAWS_SECRET_ACCESS_KEY={key.secret}"


def _users(grant: Grant) -> str:
    return " ".join(repr(each) if " " in each else each for each in grant.users) or "*"


def _state(credential: Credential, now: datetime) -> str:
    if credential.ends_at is None:
        return "open"
    until = f"{credential.ends_at:%Y-%m-%d %H:%M} UTC"
    return f"open until {until}" if credential.is_open(now) else f"ended {until}"
