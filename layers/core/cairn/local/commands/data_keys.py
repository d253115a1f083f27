"""`cairn data-keys`: list, rotate and retire the keys that encrypt a tenant's contents."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.ground.errors import NotFound
from cairn.ground.ids import Tenant
from cairn.local.options import data_option, tenant_option

if TYPE_CHECKING:
    from cairn.custody.data_keys import DataKeys
    from cairn.services import Services


@click.group("data-keys")
def data_keys() -> None:
    """Rotate the keys that encrypt a tenant's contents.

    Works on the data directory, or, if CAIRN_TABLE, CAIRN_BUCKET and CAIRN_KEY_ID are set and --data is not given, on
    that store in AWS. There your own credentials must allow you to scan the table.
    """


@data_keys.command("list")
@tenant_option
@data_option
def list_(owner: Tenant, data: Path | None) -> None:
    """List a tenant's data keys, and how many items and blobs need each.

    This reads all that the tenant has.
    """
    keys = _data_keys(_services(data)).list(owner)
    if not keys:
        raise NotFound("This tenant has no data key: nothing was ever stored for it, or it was erased")
    for key in keys:
        made = f"{key.created_at:%Y-%m-%d %H:%M} UTC" if key.created_at else "earlier"
        click.echo(f"{key.number}  made {made}  needed by {key.needed_by}")


@data_keys.command()
@tenant_option
@data_option
def rotate(owner: Tenant, data: Path | None) -> None:
    """Create a new data key.

    All processes encrypt under it within five minutes. What was stored before stays readable.
    """
    from cairn.local.store import recorded  # noqa: PLC0415

    services = _services(data)
    with recorded(services, owner, "cairn data-keys rotate"):
        number = _data_keys(services).rotate(owner)
    click.echo(f"Data key {number} is the newest. To move what is stored to it: cairn data-keys rewrap")


@data_keys.command()
@tenant_option
@data_option
def rewrap(owner: Tenant, data: Path | None) -> None:
    """Move what is stored to the newest key, and delete unused ones.

    You may stop it at any time and run it again, also while the service is in use.
    """
    from cairn.local.store import recorded  # noqa: PLC0415

    services = _services(data)
    with recorded(services, owner, "cairn data-keys rewrap"):
        done = _data_keys(services).rewrap(owner)
    click.echo(f"Moved {done.items} items and {done.logs} indexes to data key {done.newest}.")
    for number in done.deleted:
        click.echo(f"Data key {number} is deleted.")
    for number, needed in done.kept.items():
        click.echo(f"Data key {number} stays: needed by {needed}.")
    if done.settles_at is not None:
        click.echo(f"Processes may seal under older keys until {done.settles_at:%H:%M:%S} UTC; run this again then.")


def _services(data: Path | None) -> Services:
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only

    return operator_services(data, os.environ)


def _data_keys(services: Services) -> DataKeys:
    from cairn.custody.data_keys import DataKeys  # noqa: PLC0415 - a command pays for its own imports only

    return DataKeys(services.adapters, services.inventory)
