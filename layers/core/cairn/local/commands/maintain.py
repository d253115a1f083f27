"""`cairn maintain`: do once on this machine what the schedule does in AWS."""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

import click

from cairn import wiring
from cairn.ground.ids import Tenant
from cairn.local.server.sealing import drop_overdue, erase_overdue
from cairn.local.store import open_store, services
from cairn.local.tables import counted
from cairn.sessions.due import DueEntry
from cairn.sessions.layout import HEAD
from cairn.telemetry import logs
from cairn.tool.maintenance_runs import maintain_all, maintain_shard, seal_audits
from cairn.upkeep.every_due import Outcome

_TIME_LIMIT = timedelta(minutes=10)
_NO_LIMIT = timedelta(days=365)
_REQUEST = "cairn-maintain"


def maintain(data: Path | None) -> bool:
    """Maintain what is due, seal the audit logs, erase what waited, and print it; return whether none failed."""
    logs.configure()
    until = datetime.now(UTC) + _TIME_LIMIT
    counts: Counter[Outcome] = Counter()
    with open_store(data, os.environ):
        running = wiring.services()
        for shard in running.every_due.due_shards():
            counts += maintain_shard(running, shard, until - datetime.now(UTC), _REQUEST)
        sealed = seal_audits(running, until - datetime.now(UTC), _REQUEST)
        drop_overdue(running)
        erased = erase_overdue(running)
    told = f"; {counted(sum(erased), 'erasure')} carried out" if erased else ""
    click.echo(f"{_summary_line(counts)}; {sum(filter(None, sealed))} records sealed{told}")
    return not counts["failed"] and None not in sealed and all(erased)


def maintain_tenant(data: Path | None, tenant: Tenant) -> bool:
    """Maintain every session of a tenant, due or not, print what was done; return whether none failed or is left."""
    logs.configure()
    with services(data, os.environ) as found:
        items = found.inventory.items(tenant)
        heads = [DueEntry.of(item) for item in items if item["sk"] == HEAD]
        counts = maintain_all(found, heads, _NO_LIMIT, _REQUEST)
    click.echo(_summary_line(counts))
    return not counts["failed"] + counts["left"] + counts["busy"]


def _summary_line(counts: Counter[Outcome]) -> str:
    told: list[Outcome] = [outcome for outcome in get_args(Outcome) if outcome != "damaged" or counts["damaged"]]
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in told)
