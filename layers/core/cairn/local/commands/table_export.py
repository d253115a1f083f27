"""Work on what DynamoDB exported to a bucket, as if it were the store at that moment."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

from cairn.aws.wiring import AwsWiring
from cairn.embedded.inventory import EmbeddedInventory
from cairn.embedded.table import SqliteTable
from cairn.ground.errors import InvalidArgument
from cairn.ground.ids import Tenant
from cairn.ground.table import MAX_TRANSACTION_BYTES, MAX_TRANSACTION_WRITES, Attributes, Put, item_bytes
from cairn.replay.as_of import StoppedClock
from cairn.services import Services


@contextmanager
def as_exported(services: Services, tenant: Tenant, where: str, *, start: bool) -> Generator[Services]:
    """Lend services over a tenant's items in an export, kept on disk, sealed as they are, until the block ends.

    Data keys are those of the export too. With `start` DynamoDB makes the export first.
    """
    store, place = services.store, urlsplit(where)
    if not isinstance(store, AwsWiring) or place.scheme != "s3" or not place.netloc:
        raise InvalidArgument("--from-dynamodb-export", "takes s3://bucket/prefix, and a store in AWS")
    exports = store.exports(place.netloc, place.path)
    export = exports.make(services.adapters.clock) if start else exports.find()
    with TemporaryDirectory() as made, closing(SqliteTable(Path(made) / "table.sqlite3")) as table:
        for some in _batches(exports.items(export, tenant)):
            table.transact([Put(item) for item in some])
        blobs = store.kept_versions(services.adapters.blobs)
        then = Services(
            services.settings,
            store,
            replace(services.adapters, table=table, blobs=blobs, clock=StoppedClock(export.at)),
        )
        walked = EmbeddedInventory(table, Path(made) / "blobs")
        setattr(then, "inventory", walked)  # noqa: B010 - a capability set by hand
        yield then


def _batches(items: Iterator[Attributes]) -> Iterator[list[Attributes]]:
    """Yield items in as many as one transaction takes."""
    batch, held = list[Attributes](), 0
    for item in items:
        size = item_bytes(item)
        if batch and (len(batch) == MAX_TRANSACTION_WRITES or held + size > MAX_TRANSACTION_BYTES):
            yield batch
            batch, held = [], 0
        batch.append(item)
        held += size
    if batch:
        yield batch
