"""`cairn shadow`: read the records, replay them and print the comparison."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import anyio
import click
from rich.console import Console

from cairn.ground.errors import Unavailable
from cairn.local.demo.client import Lost, connected
from cairn.local.demo.screen import WIDTH
from cairn.local.shadow.comparison import ShadowSession, Thresholds
from cairn.local.shadow.records import Record, read
from cairn.local.shadow.replay import replay
from cairn.local.shadow.report import Report
from cairn.local.shadow.targets import Service, fresh_store


def compare(path: Path, service: tuple[str, str] | None, asked: Thresholds) -> Report:
    """Replay the file's records into the service at (URL, key), or into a store that is gone afterwards.

    InvalidArgument where a record is none, Unavailable where the service is lost.
    """
    records = read(path)
    try:
        sessions = anyio.run(_replayed, records, service)
    except Lost as lost:
        raise Unavailable(str(lost)) from None
    return Report(sessions, asked)


def show(report: Report, *, as_json: bool, values: bool) -> None:
    """Print the report as a table, or as one line of JSON."""
    if as_json:
        click.echo(json.dumps(report.document(values=values), ensure_ascii=False))
    else:
        report.show(Console(width=None if Console().is_terminal else WIDTH, highlight=False), values=values)


async def _replayed(records: Sequence[Record], service: tuple[str, str] | None) -> Sequence[ShadowSession]:
    if service is None:
        with fresh_store(os.environ) as store:
            return await replay(store, records)
    async with connected(*service, project="") as memory:
        # No two runs share a project or a user.
        prefix = f"shadow.{datetime.now(UTC):%Y%m%d-%H%M%S}-{secrets.token_hex(3)}"
        return await replay(Service(memory, prefix), records)
