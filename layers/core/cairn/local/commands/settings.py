"""`cairn settings`: print each setting with its value, its source and its meaning, and store tenants' own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

import click

from cairn.local.options import data_option

if TYPE_CHECKING:
    from rich.console import Console

    from cairn.settings.settings import Settings

_WIDTH = 100
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.group(invoke_without_command=True)
@click.option("--tenant", help="Show the values for this tenant.")
@data_option
@click.pass_context
def settings(context: click.Context, tenant: str | None, data: Path | None) -> None:
    """Print each setting: its value, its source and what it does.

    Where tenants' own are stored, the data directory, or the store in AWS, is asked for the tenant's.
    """
    if context.invoked_subcommand is None:
        show(tenant, os.environ, data)
    elif tenant is not None or data is not None:
        raise click.UsageError(
            f"--tenant and --data say what is printed; give --data behind {context.invoked_subcommand}"
        )


@settings.command()
@click.argument("file", type=_FILE)
@data_option
def put(file: Path, data: Path | None) -> None:
    """Store the own settings of the tenants that FILE, YAML or JSON, names under settings.mcp.tenants.

    They take the place of what these tenants had; one named with nothing ({}) has none of its own any more, and others
    stay as they are. They hold where settings.mcp.tenants is `stored`, within five minutes. If anything in FILE is
    wrong, nothing is stored. The command works on the same store as `cairn policy`.
    """
    from cairn.ground.errors import SettingsError  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.ground.ids import Tenant  # noqa: PLC0415
    from cairn.local.store import operator_services  # noqa: PLC0415
    from cairn.settings import document  # noqa: PLC0415

    read = document.read(document.parse_text(file.read_text(encoding="utf-8"), file.name))
    if read.values or read.tool_switches or read.tool_rates:
        raise SettingsError(f"{file.name}: may set tenants' own alone; all else is in the deployment's own document")
    services = operator_services(data, os.environ)
    services.settings.with_own(read.tenants)
    for name, own in read.tenants.items():
        services.tenant_settings.put(Tenant(name), own)
    click.echo(f"Stored the settings of {len(read.tenants):,} {'tenant' if len(read.tenants) == 1 else 'tenants'}.")
    if not services.settings.tenants_are_stored:
        click.echo("They hold where the deployment's settings say `tenants: stored`; those here do not.", err=True)


def show(
    name: str | None, environment: Mapping[str, str], data: Path | None = None, console: Console | None = None
) -> None:
    """Print every setting as the local commands see it, with a tenant's own values if one is named."""
    from rich.console import Console  # noqa: PLC0415 - a command pays for its own imports only
    from rich.text import Text  # noqa: PLC0415

    from cairn.ground.errors import SettingsError  # noqa: PLC0415
    from cairn.ground.ids import tenant  # noqa: PLC0415
    from cairn.settings.settings import provenance  # noqa: PLC0415

    try:
        owner = None if name is None else tenant(name)
    except ValueError as error:
        raise SettingsError(f"--tenant: {error}") from None
    console = console or Console(width=None if Console().is_terminal else _WIDTH, highlight=False)
    for each in provenance(_in_force(environment, data, of_tenant=owner is not None), owner):
        line = Text(each.key, "bold").append(f" = {_shown(each.value)}", "green").append(f"  ({each.source})", "dim")
        console.print(line, soft_wrap=True)
        console.print(Text(f"  {each.description}", "dim"))


def _in_force(environment: Mapping[str, str], data: Path | None, *, of_tenant: bool) -> Settings:
    """Return the settings; the store is opened only for a tenant whose own are in it."""
    from cairn.local.store import local_settings, operator_services  # noqa: PLC0415

    found = local_settings(environment)
    return operator_services(data, environment).settings if of_tenant and found.tenants_are_stored else found


def _shown(value: object) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case () | "":
            return "none"
        case tuple():
            return ", ".join(map(str, cast("tuple[object, ...]", value)))
        case _:
            return str(value)
