"""`cairn audit`: the record of calls listed, and held against the chain that seals it."""

from __future__ import annotations

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import click

from cairn.ground import codec
from cairn.ground.ids import Tenant
from cairn.local.options import data_option, tenant_option

if TYPE_CHECKING:
    from cairn.calls.audit import AuditLog
    from cairn.calls.record import AuditRecord

_COLUMNS = "{:20}  {:28}  {:18}  {:16}  {}"
_MOST_LISTED = 1000


_time = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])


@click.group()
def audit() -> None:
    """List the calls of a tenant, and verify that their record is what it was.

    The record is the data directory's; where CAIRN_TABLE, CAIRN_BUCKET and CAIRN_KEY_ID name a store in AWS, and --data
    is not given, it is that store's. It is sealed by `cairn maintain`, or in AWS on the schedule.
    """


@audit.command("list")
@tenant_option
@click.option("--since", type=_time, help="From this time in UTC; a day before the end unless told.")
@click.option("--until", type=_time, help="Up to this time in UTC; now unless told.")
@click.option("--limit", type=click.IntRange(1, _MOST_LISTED), default=100, show_default=True, help="The most lines.")
@data_option
def list_(owner: Tenant, since: datetime | None, until: datetime | None, limit: int, data: Path | None) -> None:
    """List calls, the newest first: when, which tool, how it ended, by which key, on what.

    A call that was let in and failed has two lines.
    """
    end = datetime.now(UTC) if until is None else until.replace(tzinfo=UTC)
    start = end - timedelta(days=1) if since is None else since.replace(tzinfo=UTC)
    click.echo(_COLUMNS.format("TIME", "TOOL", "OUTCOME", "KEY", "ABOUT"))
    for record in _log(data).records(owner, start, end, limit):
        at = codec.rfc3339(record.at)[:19] + "Z"
        click.echo(_COLUMNS.format(at, record.tool, record.outcome, record.credential[:16], _about(record)))


@audit.command()
@tenant_option
@click.option("--holds", metavar="HEAD", help="The head that an earlier run printed; the chain must still hold it.")
@data_option
def verify(owner: Tenant, holds: str | None, data: Path | None) -> None:
    """Name every record that was changed, removed, moved or added since it was sealed; exit status 1 if there is one.

    Keep the head that it prints elsewhere: without it, nothing tells that the newest digests were cut off.
    """
    found = _log(data).verify(owner, holds)
    for finding in found.findings:
        click.echo(f"{finding.kind} {finding.what} {finding.name}")
    click.echo(f"{found.records} records in {found.digests} digests, {found.unsealed} not sealed yet", err=True)
    verdict = f"{len(found.findings)} findings" if found.findings else "nothing was changed, removed, moved or added"
    click.echo(verdict, err=True)
    click.echo(f"head {found.head or 'none'}", err=True)
    sys.exit(1 if found.findings else 0)


def _log(data: Path | None) -> AuditLog:
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only

    return operator_services(data, os.environ).audit


def _about(record: AuditRecord) -> str:
    subject = record.subject
    parts = (subject.project, subject.session_id, subject.turn_id, subject.namespace, subject.key, subject.user_id)
    return " ".join(repr(part) if " " in part else part for part in parts if part)
