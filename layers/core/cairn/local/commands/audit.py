"""`cairn audit`: list the audit log, and verify it against its hash chain."""

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
    """List a tenant's calls, and verify the audit log.

    Works on the data directory, or, if CAIRN_TABLE, CAIRN_BUCKET and CAIRN_KEY_ID are set and --data is not given, on
    that store in AWS. The log is sealed in the background. Where CAIRN_AUDIT_ANCHORS names a directory, or in AWS a
    bucket, in which heads of the chain are kept, `verify` holds the chain against them.
    """


@audit.command("list")
@tenant_option
@click.option("--since", type=_time, help="The start, in UTC. Default: one day before the end.")
@click.option("--until", type=_time, help="The end, in UTC. Default: now.")
@click.option(
    "--limit",
    type=click.IntRange(1, _MOST_LISTED),
    default=100,
    show_default=True,
    help="Print at most this many lines.",
)
@data_option
def list_(owner: Tenant, since: datetime | None, until: datetime | None, limit: int, data: Path | None) -> None:
    """List calls, the newest first.

    Each line says when, which tool, how it ended, by which key, and on what, the user last. A call that was admitted
    and then failed has two lines.
    """
    end = datetime.now(UTC) if until is None else until.replace(tzinfo=UTC)
    start = end - timedelta(days=1) if since is None else since.replace(tzinfo=UTC)
    click.echo(_COLUMNS.format("TIME", "TOOL", "OUTCOME", "KEY", "ABOUT"))
    for record in _log(data).records(owner, start, end, limit):
        at = codec.rfc3339(record.at)[:19] + "Z"
        click.echo(_COLUMNS.format(at, record.tool, record.outcome, record.credential[:16], _about(record)))


@audit.command()
@tenant_option
@click.option("--holds", metavar="HEAD", help="The head that an earlier run printed; the chain must still contain it.")
@data_option
def verify(owner: Tenant, holds: str | None, data: Path | None) -> None:
    """Check the audit log for tampering.

    Prints every record that was changed, removed, moved or added; the exit status is 1 if there is one. Keep the
    printed head elsewhere, or anchor heads: only with one can you tell later that the newest digests were cut off.
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
