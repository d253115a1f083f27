"""`cairn backup`, `cairn drill`, and of `cairn restore` what puts a backup back."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from cairn.ground.codec import rfc3339
from cairn.ground.errors import SettingsError
from cairn.local.options import data_option
from cairn.local.tables import counted

if TYPE_CHECKING:
    from cairn.services import Services
    from cairn.settings.settings import EmbeddedStore

_AWS = "aws"
"""The name of the backups that AWS keeps itself of a store there."""
_NOT_IN_IT = (
    "The master key is not in it, and without that key nobody can read the backup: keep a copy of {file} apart from it."
)
_IN_IT = "The master key is in it: whoever has the backup can read it."
_time = click.DateTime(["%Y-%m-%dT%H:%M:%S", "%Y-%m-%dT%H:%M", "%Y-%m-%d"])


@click.command()
@click.argument("place")
@click.option("--keep", type=click.IntRange(1), help="Keep only so many of the newest snapshots. Default: all.")
@click.option("--with-master-key", "with_key", is_flag=True, help="Put the master key into the backup too.")
@click.option("--now", is_flag=True, help="With aws: start an on-demand backup of the table.")
@data_option
def backup(*, place: str, keep: int | None, with_key: bool, now: bool, data: Path | None) -> None:
    """Copy the whole data directory into PLACE, while it is in use, and keep what is there already.

    PLACE is a directory, which should be on another disk, or s3://bucket/prefix. Blobs that it has are not copied
    again. The exit status is 1 if a blob is damaged in the store; the rest is copied. With PLACE aws, it tells from
    when on the store in AWS can be restored, and whether anything that takes is off; the exit status is 1 if so.
    """
    services = _services(data)
    if place == _AWS:
        from cairn.local.backup.in_aws import look  # noqa: PLC0415 - a command pays for its own imports only

        sys.exit(0 if look(services, click.echo, now=now) else 1)
    from cairn.local.backup.backup import back_up  # noqa: PLC0415
    from cairn.local.backup.places import storage_of  # noqa: PLC0415

    store, storage = _embedded(services), storage_of(place)
    done = back_up(store, storage, services.adapters.clock, keep=keep, with_key=with_key)
    found = done.manifest
    click.echo(f"Backup of {rfc3339(found.at)} in {storage}: {found.table_bytes} bytes of database,")
    blobs, snapshots = counted(found.blob_count, "blob"), counted(done.kept, "snapshot")
    click.echo(f"{blobs}, new of them {done.copied}. Kept: {snapshots}; removed: {done.removed}.")
    click.echo(_IN_IT if with_key else _NOT_IN_IT.format(file=store.key_file))
    for blob in found.damaged:
        click.echo(f"Damaged in the store, and not in the backup: the blob {blob}", err=True)
    sys.exit(1 if found.damaged else 0)


@click.command()
@click.argument("source", required=False)
@click.option("--to", help="With aws: TABLE/BUCKET, a table that is made for this, and a bucket without blobs.")
@data_option
def drill(*, source: str | None, to: str | None, data: Path | None) -> None:
    """Prove a backup: restore it into an empty place, and compare that with the store.

    SOURCE is what `cairn backup` was given; without one, a backup is made for this. It compares what there is, each
    item, and what ten questions find, prints what it did, and removes all that it made. The exit status is 1 if the
    backup is not what the store holds.
    """
    services = _services(data)
    if source == _AWS:
        from cairn.local.backup.in_aws import drill_in_aws  # noqa: PLC0415 - a command pays for its own imports only

        if to is None:
            raise click.UsageError("--to names the table and the bucket to restore into: TABLE/BUCKET")
        sys.exit(0 if drill_in_aws(services, to, click.echo) else 1)
    from cairn.local.backup.drill import drill as run  # noqa: PLC0415
    from cairn.local.backup.places import storage_of  # noqa: PLC0415

    storage = None if source is None else storage_of(source)
    sys.exit(0 if run(services, _embedded(services), storage, click.echo) else 1)


def or_a_backup(run: Callable[..., None]) -> Callable[..., None]:
    """Have a command that restores what is believed put a backup back where it is told to where."""

    @wraps(run)
    def either(*, what: str, to: str | None, at: datetime | None, data: Path | None, **given: Any) -> None:
        if to is not None:
            _restore(what, to, at and at.replace(tzinfo=UTC), data)
        elif at is not None:
            raise click.UsageError("--at is for a backup, and goes with --to")
        else:
            run(what=what, data=data, **given)

    at_option = click.option("--at", type=_time, help="Of a backup: the newest not after this time, in UTC.")
    help_ = "Restore the backup WHAT into this directory, which is empty or not there; of aws into this TABLE/BUCKET."
    return click.option("--to", help=help_)(at_option(either))


def _restore(source: str, to: str, at: datetime | None, data: Path | None) -> None:
    if source == _AWS:
        from cairn.local.backup.in_aws import restore_in_aws  # noqa: PLC0415 - a command pays for its own imports only

        restore_in_aws(_services(data), to, at, click.echo)
        return
    from cairn.local.backup.places import storage_of  # noqa: PLC0415
    from cairn.local.backup.restore import restore  # noqa: PLC0415
    from cairn.local.store import local_settings  # noqa: PLC0415
    from cairn.process.system import SystemClock  # noqa: PLC0415
    from cairn.settings.settings import MASTER_KEY, EmbeddedStore  # noqa: PLC0415

    live = EmbeddedStore(directory=_directory(data), master_key=os.environ.get(MASTER_KEY))
    done = restore(
        storage_of(source), Path(to).expanduser().absolute(), live, local_settings(os.environ), SystemClock(), at=at
    )
    found = done.manifest
    click.echo(f"Restored {rfc3339(found.at)} into {to}: {found.table_bytes} bytes of database and")
    tenants, users = counted(len(done.tenants), "tenant"), counted(len(done.users), "user")
    click.echo(f"{counted(found.blob_count, 'blob')}, all as they were written. Erased since, and so left out:")
    click.echo(f"{tenants} and {users}, by {done.known_by}.")
    for blob in found.damaged:
        click.echo(f"Was damaged in the store, and is missing: the blob {blob}", err=True)


def _directory(data: Path | None) -> Path:
    from cairn.local.directory import default_directory  # noqa: PLC0415 - a command pays for its own imports only

    return (data or default_directory(os.environ)).expanduser().absolute()


def _services(data: Path | None) -> Services:
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only

    return operator_services(data, os.environ)


def _embedded(services: Services) -> EmbeddedStore:
    from cairn.settings.settings import EmbeddedStore  # noqa: PLC0415 - a command pays for its own imports only

    if not isinstance(services.settings.store, EmbeddedStore):
        raise SettingsError("This is for a data directory; AWS keeps the backups of the store there: cairn backup aws")
    return services.settings.store
