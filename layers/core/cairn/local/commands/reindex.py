"""`cairn reindex`: rebuild the search indexes from the memory logs."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cairn.ground.ids import Tenant
from cairn.local.store import custody
from cairn.recall.indexing import Indexed
from cairn.recall.indexing import reindex as logs


def reindex(owner: Tenant, data: Path | None) -> None:
    """Rebuild the index of each of the tenant's logs, and print what it was built with."""
    store = custody(data, os.environ)
    embedder = store.world.embedder
    with store.recorded(owner, "cairn reindex"):
        done = list(logs(store.world, store.inventory, owner))
    total = sum(done, Indexed())
    by = f"words and the vectors of {embedder.name}" if embedder else "words alone"
    click.echo(f"Indexed {total.entries} entries of {len(done)} logs anew, by {by}: {total.bytes} bytes.")
