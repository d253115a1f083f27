"""Making the segments of a tenant's logs anew: after another embedder was chosen, or to be sure of them."""

from __future__ import annotations

from collections.abc import Iterator

from cairn.ground.ids import Tenant
from cairn.ground.ports import Inventory
from cairn.log.layout import MANIFEST, log_of
from cairn.recall.indexing import Indexed, Indexer


def reindex(indexer: Indexer, inventory: Inventory, tenant: Tenant) -> Iterator[Indexed]:
    """Make the segments of each log that has any, and yield what that took; logs are read and written meanwhile.

    It may be stopped at any time and run again.
    """
    logs = [str(item["pk"]) for item in inventory.items(tenant) if item["sk"] == MANIFEST]
    for pk in logs:
        yield indexer.rebuild(*log_of(pk))
