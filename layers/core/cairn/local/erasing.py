"""Erasing, told on the terminal."""

from __future__ import annotations

import click

from cairn.domain.ids import Tenant
from cairn.local.store import Custody
from cairn.service.bundles import Scope
from cairn.service.erasure import TenantErasure
from cairn.service.parts import Parts
from cairn.service.subject_erasure import SubjectErasure


def erase_tenant(custody: Custody, owner: Tenant) -> int:
    """Erase a tenant, print what was removed, and return how much is left."""

    def shredded() -> None:
        click.echo("The data keys are deleted: nothing stored can be opened any more.")
        click.echo("Processes that run may keep a key in memory for 5 minutes; restart them to end that now.")

    done = TenantErasure(custody.world, custody.inventory).run(owner, shredded)
    click.echo(f"Revoked {done.api_keys} API keys; deleted {done.data_keys} data keys, {done.items} items")
    click.echo(f"and {done.blobs} blobs.")
    return done.left


def erase_user(custody: Custody, scope: Scope) -> int:
    """Erase a user, print what was removed, and return how much is left."""
    parts = Parts.of(custody.world, custody.settings.memory_for)
    click.echo("Calls that are under way get 30 seconds to end; then a second pass follows.", err=True)
    done = SubjectErasure(parts, custody.inventory).run(scope)
    click.echo(f"Deleted {done.log_items} items of memory, {done.sessions} sessions, {done.blobs} blobs,")
    click.echo(f"and {done.shared_turns} turns in sessions that others share.")
    return done.left
