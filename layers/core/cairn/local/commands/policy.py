"""`cairn policy`: the document that says what tools may do with key-value memory and context."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cairn.local.options import data_option

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group()
def policy() -> None:
    """Set and show the policy document in the store, which holds where CAIRN_POLICY_FILE names no file.

    A running process takes a new document up within five minutes. The store is the data directory's; where CAIRN_TABLE,
    CAIRN_BUCKET and CAIRN_KEY_ID name one in AWS, and --data is not given, it is that one.
    """


@policy.command("set")
@click.argument("file", type=_FILE)
@data_option
def set_(file: Path, data: Path | None) -> None:
    """Put the policy document in FILE, YAML or JSON, in force; with anything wrong in it, it is refused as a whole."""
    from cairn.access.policies import parse  # noqa: PLC0415
    from cairn.access.policy_store import PolicyStore  # noqa: PLC0415
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only

    text = file.read_text(encoding="utf-8")
    parse(text)
    PolicyStore(operator_services(data, os.environ).adapters).write(text)
    click.echo("The policy is set.")


@policy.command()
@data_option
def show(data: Path | None) -> None:
    """Print the policy document in the store."""
    from cairn.access.policy_store import PolicyStore  # noqa: PLC0415
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only

    text = PolicyStore(operator_services(data, os.environ).adapters).read()
    click.echo("No policy is set; the standard one holds." if text is None else text)
