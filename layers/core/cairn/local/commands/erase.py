"""`cairn erase`: remove what a tenant or a user has, and print what was removed."""

from __future__ import annotations

import logging
import os
from dataclasses import asdict
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.ground.errors import NotFound, ResourceBusy
from cairn.ground.ids import Project, Tenant, UserId
from cairn.local.options import a_tenant, data_option, dry_run_option, grace_option, project_option, user_option

if TYPE_CHECKING:
    from cairn.custody.bundles import DataScope
    from cairn.services import Services

_logger = logging.getLogger("cairn")


@click.command()
@click.option("--tenant", "owner", callback=a_tenant, help="The tenant. Default with --user: local.")
@user_option
@project_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@dry_run_option
@grace_option
@data_option
def erase(  # noqa: PLR0913 - options, by name
    *,
    owner: Tenant | None,
    user: UserId | None,
    project: Project | None,
    yes: bool,
    dry_run: bool,
    grace: timedelta | None,
    data: Path | None,
) -> None:
    """Erase a tenant, or with --user one user.

    Only a backup of yours can bring it back. You may stop the command at any time and run it again. The exit status is
    1 if something is left, or if there is no such tenant. With a grace time everything stays and can be read until it
    is over; then all that there is by then is erased, by `cairn serve` or `cairn maintain`, in AWS by `cairn plan apply
    --due`.
    """
    if user is None and (owner is None or project is not None):
        raise click.UsageError("name --user, in a --project or in all, or else a whole --tenant")
    from cairn.calls.record import ERASE  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.custody.bundles import DataScope  # noqa: PLC0415
    from cairn.local.commands.plan import grace_time  # noqa: PLC0415
    from cairn.local.store import LOCAL_TENANT, operator_services, recorded  # noqa: PLC0415

    whose = owner or LOCAL_TENANT
    if not yes and not dry_run:
        _confirm(whose, project, user)
    services = operator_services(data, os.environ)
    grace = grace_time(services, whose, grace)
    if dry_run or grace:
        with recorded(services, whose, "cairn erase --dry-run" if dry_run else "cairn erase --grace", project, user):
            _plan(services, DataScope(whose, project, user), grace, dry_run=dry_run)
        return
    if user is None:
        _erase_tenant(services, whose)
        return
    with recorded(services, whose, ERASE, project, user):
        _erase_user(services, DataScope(whose, project, user))


def _confirm(owner: Tenant, project: Project | None, user: UserId | None) -> None:
    place = "all projects" if project is None else f"project {project}"
    what = f"tenant {owner} and all it ever stored" if user is None else f"user {user} in {place} of tenant {owner}"
    click.confirm(f"Erase {what}?", abort=True, err=True)


def _plan(services: Services, scope: DataScope, grace: timedelta, *, dry_run: bool) -> None:
    from cairn.custody.planned_erasure import plan_to_erase  # noqa: PLC0415
    from cairn.local.commands.plan import tell  # noqa: PLC0415

    made = services.plans.make(plan_to_erase(scope))
    tell(made.plan if dry_run else made.at_once(grace))


def _erase_tenant(services: Services, owner: Tenant) -> None:
    """Erase a tenant, print and log what was removed.

    ResourceBusy where something is left, NotFound for a tenant that never had anything.
    """
    from cairn.custody.erase_tenant import ErasedTenant, EraseTenant  # noqa: PLC0415
    from cairn.telemetry import logs  # noqa: PLC0415

    logs.configure()

    def shredded() -> None:
        click.echo("The data keys are deleted: nothing stored can be opened any more.")
        click.echo("Processes that run may keep a key in memory for 5 minutes; restart them to end that now.")

    done = EraseTenant(services.adapters, services.inventory).run(owner, shredded)
    if done == ErasedTenant():
        if all(each.tenant != owner for each in services.credentials.list()):
            raise NotFound(f"There is no tenant {owner}: it has no API key, no data key and nothing stored")
        click.echo("Nothing of this tenant is left: only ended API keys name it.")
    else:
        click.echo(f"Revoked {done.api_keys} API keys; deleted {done.data_keys} data keys, {done.items} items")
        click.echo(f"and {done.blobs} large texts.")
    # What a tenant's audit log would say is erased with it.
    _logger.info("tenant erased", extra={"tenant": owner, "erased": asdict(done)})
    _nothing_left(done.left)


def _erase_user(services: Services, scope: DataScope) -> None:
    """Erase a user and print what was removed; ResourceBusy where something is left."""
    from cairn.custody.erase_user import ErasedUser, EraseUser  # noqa: PLC0415

    click.echo("Calls that are under way get 30 seconds to end; then a second pass follows.", err=True)
    done = EraseUser(services, services.inventory).run(scope)
    if done == ErasedUser():
        click.echo("There was nothing of this user.")
        return
    click.echo("Deleted")
    click.echo(f"  {done.sessions:5} sessions that were theirs alone")
    click.echo(f"  {done.shared_turns:5} turns in sessions that others share")
    click.echo(f"  {done.log_items:5} items of their own memory")
    click.echo(f"  {done.memories:5} memories of theirs that others see")
    click.echo(f"  {done.archived:5} archived sessions")
    click.echo(f"  {done.blobs:5} large texts")
    if done.files:
        click.echo(f"  {done.files:5} memory files of their own")
    if done.exports:
        click.echo(f"  {done.exports:5} exports in which something of theirs may have been")
    _nothing_left(done.left)


def _nothing_left(left: int) -> None:
    if left:
        raise ResourceBusy(f"{left} items are left: something wrote meanwhile. Run this again")
    click.echo("A recount found nothing left.")
