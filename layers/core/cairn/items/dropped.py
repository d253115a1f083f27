"""Name blobs that a log no longer uses, in the transaction that makes it so, and delete them once that is due."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from cairn.ground.adapters import Adapters
from cairn.ground.ids import Digest, Tenant, time_ordered_id
from cairn.ground.table import Attributes, Delete, Key, Put, Query, Write
from cairn.items import layout
from cairn.items.head import Head
from cairn.items.model import Log
from cairn.vault.vault import blob_of

MOST_AT_ONCE = 100


def blobs_of(items: Iterable[Attributes]) -> list[Digest]:
    """Return the blobs that hold what these items hold."""
    return [blob for item in items if (blob := blob_of(item)) is not None]


def dropping(adapters: Adapters, log: Log, head: Head, blobs: Sequence[Digest], when: datetime) -> list[Write]:
    """Return the write that names blobs to delete from then on, or with the log; nothing where there are none."""
    if not blobs:
        return []
    sk = layout.dropped_sk(time_ordered_id(when, adapters.entropy.token(10)))
    return [Put({"pk": log.pk, "sk": sk, "position": head.next, "blobs": "\n".join(blobs)})]


def due(adapters: Adapters, log: Log) -> Sequence[Attributes]:
    """Return what names blobs that are to be deleted now."""
    latest = time_ordered_id(adapters.clock.now(), b"\xff" * 10)
    return adapters.table.query(
        Query(log.pk, layout.dropped_sk(""), layout.dropped_sk(latest), limit=MOST_AT_ONCE)
    ).items


def discard(adapters: Adapters, tenant: Tenant, named: Iterable[Attributes]) -> None:
    """Delete the blobs that these items name, and then the items."""
    for item in named:
        for digest in str(item["blobs"]).split("\n"):
            adapters.blobs.delete(tenant, Digest(digest))
        adapters.table.delete(Delete(Key.of(item)))
