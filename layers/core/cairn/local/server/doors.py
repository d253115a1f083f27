"""Handlers found by name, as Lambda finds them: the rooms above this one are never imported statically."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias

Handler: TypeAlias = Callable[[dict[str, Any], object], dict[str, Any]]


def load(name: str) -> Any:
    """Return what a dotted name such as "cairn_mcp.door.handler" names; it is never a request's to choose."""
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def tool_handlers() -> dict[str, Handler]:
    """Return each catalogued tool's HTTP handler under the tool's name."""
    catalog = load("cairn_tools.catalog.CATALOG")
    return {tool.name: load(f"cairn_tools.{tool.name}.handler") for tool in catalog}
