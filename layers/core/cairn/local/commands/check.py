"""`cairn check`: find what is damaged in a store, and mend what can be mended."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import click

from cairn.custody.check import Check, Checked
from cairn.custody.findings import Finding
from cairn.ground.errors import CorruptData
from cairn.ground.ids import Tenant
from cairn.local.store import operator_services, recorded
from cairn.services import Services

_LINE = "{:8}  {}: {}"


def check(owner: Tenant, data: Path | None, *, repair: bool, as_json: bool) -> bool:
    """Print what is wrong with all that a tenant has, mend it if told to, and return whether nothing is left."""
    services = operator_services(data, os.environ)
    checking = Check(services, services.inventory, services.audit)
    mended: list[Finding] = []
    with _on_record(services, owner, "cairn check --repair" if repair else "cairn check"):
        if repair:
            mended = list(checking.repair(owner))
        left = checking.run(owner)
    (_print_json if as_json else _print)(left, mended)
    return not left.findings


def _on_record(services: Services, owner: Tenant, command: str) -> AbstractContextManager[None]:
    """Record the command, but where the tenant's key is damaged: then nothing can be recorded, and that is told."""
    try:
        return recorded(services, owner, command)
    except CorruptData:
        return nullcontext()


def _print(left: Checked, mended: Sequence[Finding]) -> None:
    for each in mended:
        click.echo(_LINE.format("mended", each.where, each.problem))
    for each in left.findings:
        click.echo(_LINE.format(each.kind, each.where, each.problem))
    what = "nothing is wrong" if not left.findings else f"{len(left.findings)} findings"
    click.echo(
        f"{left.items} items and {left.blobs} blobs: {what}{f', {len(mended)} mended' if mended else ''}", err=True
    )


def _print_json(left: Checked, mended: Sequence[Finding]) -> None:
    shown = {
        "items": left.items,
        "blobs": left.blobs,
        "mended": [_told(each) for each in mended],
        "findings": [_told(each) for each in left.findings],
    }
    click.echo(json.dumps(shown, indent=2))


def _told(finding: Finding) -> dict[str, object]:
    told = {"kind": finding.kind, "where": finding.where, "problem": finding.problem}
    return {**told, "mendable": finding.mend is not None}
