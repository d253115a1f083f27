"""Erasing, told on the terminal."""

from __future__ import annotations

import logging
from dataclasses import asdict

import click

from cairn.custody.bundles import DataScope
from cairn.custody.erase_tenant import ErasedTenant, EraseTenant
from cairn.custody.erase_user import ErasedUser, EraseUser
from cairn.ground.errors import ResourceBusy
from cairn.ground.ids import Tenant
from cairn.services import Services
from cairn.telemetry import logs

_logger = logging.getLogger("cairn")


def erase_tenant(services: Services, owner: Tenant) -> None:
    """Erase a tenant, print and log what was removed; ResourceBusy where something is left."""
    logs.configure()

    def shredded() -> None:
        click.echo("The data keys are deleted: nothing stored can be opened any more.")
        click.echo("Processes that run may keep a key in memory for 5 minutes; restart them to end that now.")

    done = EraseTenant(services.adapters, services.inventory).run(owner, shredded)
    if done == ErasedTenant():
        click.echo("There was nothing of this tenant.")
    else:
        click.echo(f"Revoked {done.api_keys} API keys; deleted {done.data_keys} data keys, {done.items} items")
        click.echo(f"and {done.blobs} large texts.")
    # What a tenant's audit log would say is erased with it.
    _logger.info("tenant erased", extra={"tenant": owner, "erased": asdict(done)})
    _nothing_left(done.left)


def erase_user(services: Services, scope: DataScope) -> None:
    """Erase a user and print what was removed; ResourceBusy where something is left."""
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
    _nothing_left(done.left)


def _nothing_left(left: int) -> None:
    if left:
        raise ResourceBusy(f"{left} items are left: something wrote meanwhile. Run this again")
    click.echo("A recount found nothing left.")
