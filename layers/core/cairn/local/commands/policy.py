"""`cairn policy`: set and show the policy for key-value memory and getContext."""

from __future__ import annotations

import os
from pathlib import Path

import click

from cairn.local.options import data_option, dry_run_option

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group()
def policy() -> None:
    """Set and show the policy document in the store.

    The policy says what each tool may do with key-value memory and context. A running process reads a new document
    within five minutes. If CAIRN_POLICY_FILE names a file, that file applies instead. Works on the data directory, or,
    if CAIRN_TABLE, CAIRN_BUCKET and CAIRN_KEY_ID are set and --data is not given, on that store in AWS.
    """


@policy.command("set")
@click.argument("file", type=_FILE)
@dry_run_option
@data_option
def set_(file: Path, data: Path | None, *, dry_run: bool) -> None:
    """Put the policy document FILE, YAML or JSON, in force.

    If anything in it is wrong, the whole document is refused. It gets a version, one more than the one before. A
    process that finds an older version in the store denies everything; to go back to an older policy, set it again, or
    `cairn plan undo` what set the newer one.
    """
    from cairn.access.policies import parse  # noqa: PLC0415
    from cairn.custody.planned_policy import plan_to_set  # noqa: PLC0415
    from cairn.local.commands.plan import tell, tell_undo  # noqa: PLC0415
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only

    text = file.read_text(encoding="utf-8")
    parse(text)
    made = operator_services(data, os.environ).plans.make(plan_to_set(text))
    if dry_run:
        tell(made.plan)
        return
    plan = made.at_once()
    click.echo(f"The policy is set: version {plan.done['version']}.")
    tell_undo(plan)


@policy.command()
@data_option
def show(data: Path | None) -> None:
    """Print the policy document in the store."""
    from cairn.access.policy_store import PolicyStore  # noqa: PLC0415
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only

    text = PolicyStore(operator_services(data, os.environ).adapters).read()
    click.echo("No policy is set; the standard one holds." if text is None else text)


@policy.command("version")
@data_option
def version_(data: Path | None) -> None:
    """Print the version of the policy document in the store, 0 if none was set.

    The exit status is 2 if the store holds an older document than was in force.
    """
    from cairn.access.policy_store import PolicyStore  # noqa: PLC0415
    from cairn.local.store import operator_services  # noqa: PLC0415 - a command pays for its own imports only

    stored = PolicyStore(operator_services(data, os.environ).adapters).stored()
    click.echo(0 if stored is None else stored.version)
