"""`cairn reindex`: rebuild the search indexes from the memory logs."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cairn.ground.ids import Tenant
from cairn.local.store import operator_services, recorded
from cairn.recall.indexing import Indexed
from cairn.recall.indexing import reindex as logs


def reindex(owner: Tenant, data: Path | None) -> None:
    """Rebuild the index of each of the tenant's logs, and print what it was built with."""
    services = operator_services(data, os.environ)
    embedder = services.embedder
    with recorded(services, owner, "cairn reindex"):
        done = list(logs(services.indexer, services.inventory, owner))
    total = sum(done, Indexed())
    by = f"words and the vectors of {embedder.name}" if embedder else "words alone"
    click.echo(f"Indexed {total.entries} entries of {len(done)} logs anew, by {by}: {total.bytes} bytes.")
