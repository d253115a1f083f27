"""Load handlers by name, as Lambda does, so that this room imports no tool and no door."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

_OTHERS = {
    "mcp": "cairn_mcp.door.handler",
    "health": "cairn_health.door.handler",
    "console": "cairn_console.door.handler",
    "operators": "cairn_console.operators.handler",
    "programs": "cairn_programs.door.handler",
    "mem0": "cairn_mem0.door.handler",
    "agentcore": "cairn_agentcore.door.handler",
    "authorizer": "cairn_auth.authorizer.handler",
    "metadata": "cairn_auth.metadata.handler",
    "schedule": "cairn_jobs.schedule.handler",
    "worker": "cairn_jobs.worker.handler",
    "sandbox": "cairn_sandbox.door.handler",
}
Handler: TypeAlias = Callable[[dict[str, Any], object], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class ToolRoute:
    """A method and path at which a tool is asked without a body."""

    method: str
    path: str
    tool: str


@dataclass(frozen=True, slots=True)
class Invocation:
    """An invocation that may take so many milliseconds, in the place of Lambda's context."""

    milliseconds: int

    def get_remaining_time_in_millis(self) -> int:
        """Return how long it may take."""
        return self.milliseconds


def load(name: str) -> Any:
    """Return the object with a dotted name such as "cairn_mcp.door.handler". A request never chooses the name."""
    module, _, attribute = name.rpartition(".")
    return getattr(import_module(module), attribute)


def functions() -> dict[str, str]:
    """Return each function's handler by the function's name: a tool's is named after it where it has its own."""
    catalog = load("cairn_tools.catalog.CATALOG")
    tools = {tool.name: f"cairn_tools.{tool.name}.handler" for tool in catalog if tool.function == tool.name}
    return {**tools, **_OTHERS}


def tool_routes() -> list[ToolRoute]:
    """Return the routes of the catalogued tools that have one."""
    found = ((tool.route, tool.name) for tool in load("cairn_tools.catalog.CATALOG"))
    return [ToolRoute(route.method, route.path, name) for route, name in found if route is not None]


def mcp_paths() -> list[str]:
    """Return the path of the MCP endpoint, and that of each of its profiles."""
    return ["/mcp", *(f"/mcp/{profile}" for profile in load("cairn_mcp.profiles.PROFILES"))]


def tool_handlers() -> dict[str, Handler]:
    """Return each catalogued tool's HTTP handler under the tool's name."""
    catalog = load("cairn_tools.catalog.CATALOG")
    return {tool.name: load(f"cairn_tools.{tool.name}.handler") for tool in catalog}
