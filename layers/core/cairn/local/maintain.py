"""`cairn maintain`: what the schedule does in AWS, once, on this machine."""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

import click

from cairn.edge.maintenance import maintain_shard
from cairn.local.store import opened
from cairn.runtime import logs, wiring
from cairn.service.fan_out import Outcome

_TIME_LIMIT = timedelta(minutes=10)
_REQUEST = "cairn-maintain"


def maintain(data: Path | None) -> bool:
    """Maintain the sessions that are due and print how many fared how; return whether none failed."""
    logs.configure()
    until = datetime.now(UTC) + _TIME_LIMIT
    counts: Counter[Outcome] = Counter()
    with opened(data, os.environ):
        services = wiring.services()
        for shard in services.fan_out.due_shards():
            counts += maintain_shard(services, shard, until - datetime.now(UTC), _REQUEST)
    outcomes: tuple[Outcome, ...] = ("maintained", "busy", "failed", "left")
    click.echo(", ".join(f"{counts[outcome]} {outcome}" for outcome in outcomes))
    return not counts["failed"]
