"""Load handlers by name, as Lambda does, so that this room imports no tool and no door."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias

Handler: TypeAlias = Callable[[dict[str, Any], object], dict[str, Any]]


def load(name: str) -> Any:
    """Return the object with a dotted name such as "cairn_mcp.door.handler". A request never chooses the name."""
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def tool_handlers() -> dict[str, Handler]:
    """Return each catalogued tool's HTTP handler under the tool's name."""
    catalog = load("cairn_tools.catalog.CATALOG")
    return {tool.name: load(f"cairn_tools.{tool.name}.handler") for tool in catalog}
