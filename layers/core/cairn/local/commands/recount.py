"""`cairn recount`: compare the counters of key-value memory with what is stored."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cairn.ground.ids import Tenant
from cairn.keyvalue.collection import Collector
from cairn.keyvalue.model import Recount
from cairn.local.store import operator_services

_COLUMNS = "{:40}  {:>12}  {:>16}  {}"


def recount(tenant: Tenant, data: Path | None) -> bool:
    """Collect what has expired, print what each namespace holds, and return whether every counter says the same."""
    services = operator_services(data, os.environ)
    collection = Collector(services.adapters)
    collection.collect_all(tenant)
    with services.inventory.snapshot() as snapshot:
        counts = collection.recount(tenant, snapshot)
    click.echo(_COLUMNS.format("NAMESPACE", "KEYS", "BYTES", ""))
    for each in counts:
        click.echo(_line(each))
    return all(each.kept == each.counted for each in counts)


def _line(count: Recount) -> str:
    kept, counted = count.kept, count.counted
    verdict = "" if kept == counted else f"counted {counted.items} keys, {counted.size} bytes"
    return _COLUMNS.format(count.namespace or "(all)", kept.items, kept.size, verdict).rstrip()
