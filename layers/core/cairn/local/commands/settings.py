"""`cairn settings`: print each setting with its value, its source and its meaning."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from rich.console import Console
from rich.text import Text

from cairn.ground.errors import SettingsError
from cairn.ground.ids import Tenant, tenant
from cairn.local.store import local_settings
from cairn.settings.settings import provenance

_WIDTH = 100


def show(name: str | None, environment: Mapping[str, str], console: Console | None = None) -> None:
    """Print every setting as the local commands see it, with a tenant's own values if one is named."""
    console = console or Console(width=None if Console().is_terminal else _WIDTH, highlight=False)
    for each in provenance(local_settings(environment), _tenant(name)):
        line = Text(each.key, "bold").append(f" = {_shown(each.value)}", "green").append(f"  ({each.source})", "dim")
        console.print(line, soft_wrap=True)
        console.print(Text(f"  {each.description}", "dim"))


def _tenant(name: str | None) -> Tenant | None:
    try:
        return None if name is None else tenant(name)
    except ValueError as error:
        raise SettingsError(f"--tenant: {error}") from None


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
