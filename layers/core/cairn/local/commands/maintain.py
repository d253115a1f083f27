"""`cairn maintain`: do once on this machine what the schedule does in AWS."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import get_args

import click

from cairn import wiring
from cairn.ground.errors import CairnError
from cairn.ground.ids import Tenant
from cairn.ground.session import Session
from cairn.local.server.sealing import drop_overdue, erase_overdue
from cairn.local.store import open_store, services
from cairn.local.tables import counted
from cairn.services import Services
from cairn.sessions.due import DueEntry
from cairn.sessions.layout import HEAD
from cairn.telemetry import logs
from cairn.tool.maintenance_runs import maintain_all, maintain_shard, seal_audits
from cairn.upkeep.ended_facts import WHY
from cairn.upkeep.every_due import Outcome
from cairn.upkeep.model import MaintenanceReport

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
        counts = maintain_all(found, _of_tenant(found, tenant), _NO_LIMIT, _REQUEST)
    click.echo(_summary_line(counts))
    return not counts["failed"] + counts["left"] + counts["busy"]


def forecast(data: Path | None, owner: Tenant | None) -> bool:
    """Print what would be done of what changes or removes anything, change nothing, and return whether all is known."""
    logs.configure()
    counts, unread, sessions = Counter[str](), 0, 0
    with services(data, os.environ) as found:
        for entry in found.every_due.due() if owner is None else _of_tenant(found, owner):
            if not entry.is_of_session:
                continue
            sessions += 1
            try:
                told = _told(found.maintenance.forecast(entry.session))
            except CairnError as error:
                unread += 1
                click.echo(f"{_named(entry.session)}: cannot be told, {error.code}", err=True)
                continue
            counts.update(told)
            if told:
                click.echo(f"{_named(entry.session)}: {_in_words(told)}")
        waiting = found.plans.records.due() if owner is None else []
    counts["erasures carried out, as their grace time is over"] += len(waiting)
    click.echo(f"{sessions} sessions would be visited: {_in_words(counts) or 'nothing would change'}")
    return not unread


def _told(report: MaintenanceReport) -> dict[str, int]:
    """Return what a run would do, in words that say why, and how much of it."""
    told = {
        "sessions erased, as they were left alone for longer than sessions are kept": int(report.erased),
        "events summed up, as they are older than the recent context; they stay": report.compacted_events,
        "packs made of turns that are old enough; they stay": report.archived_shards,
        f"facts ended, as {WHY['expired']}": report.expired_facts,
        f"facts ended, as {WHY['merged']}": report.merged_facts,
    }
    return {words: count for words, count in told.items() if count}


def _in_words(told: Mapping[str, int]) -> str:
    return "; ".join(f"{count} {words}" for words, count in told.items() if count)


def _named(session: Session) -> str:
    return f"{session.tenant} {session.project} {session.session_id}"


def _of_tenant(found: Services, tenant: Tenant) -> list[DueEntry]:
    return [DueEntry.of(item) for item in found.inventory.items(tenant) if item["sk"] == HEAD]


def _summary_line(counts: Counter[Outcome]) -> str:
    told: list[Outcome] = [outcome for outcome in get_args(Outcome) if outcome != "damaged" or counts["damaged"]]
    return ", ".join(f"{counts[outcome]} {outcome}" for outcome in told)
