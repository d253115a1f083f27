"""`cairn maintain`: what the schedule does in AWS, once, on this machine."""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from cairn.edge.maintenance import maintain_shard, seal_audits
from cairn.local.store import opened
from cairn.runtime import logs, wiring
from cairn.service.fan_out import Outcome

_TIME_LIMIT = timedelta(minutes=10)
_REQUEST = "cairn-maintain"


def maintain(data: Path | None) -> bool:
    """Maintain the sessions that are due, seal the audit logs, print what was done; return whether none failed."""
    logs.configure()
    until = datetime.now(UTC) + _TIME_LIMIT
    counts: Counter[Outcome] = Counter()
    with opened(data, os.environ):
        services = wiring.services()
        for shard in services.fan_out.due_shards():
            counts += maintain_shard(services, shard, until - datetime.now(UTC), _REQUEST)
        sealed = seal_audits(services, until - datetime.now(UTC), _REQUEST)
    outcomes: tuple[Outcome, ...] = ("maintained", "busy", "failed", "left")
    said = ", ".join(f"{counts[outcome]} {outcome}" for outcome in outcomes)
    click.echo(f"{said}; {sum(filter(None, sealed))} records sealed")
    return not counts["failed"] and None not in sealed
