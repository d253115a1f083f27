"""The one entry of every door: find the tool, run it guarded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NoReturn

from cairn.edge.guard import guarded
from cairn.ground.errors import Disabled, NotFound
from cairn.settings.settings import Settings
from cairn.tool.tool import Call, Tool

MEMORY_ACTIONS: Final = frozenset({"remember", "recall", "forget"})
"""The actions on an agent's memories: one that the catalog lacks is an answer that says so."""


def visible(tools: Sequence[Tool], call: Call) -> tuple[Tool, ...]:
    """Return the tools that are switched on for the caller and that it may use at all, in their order."""
    return tuple(tool for tool in tools if tool.visible(call))


def families(tools: Sequence[Tool], settings: Settings) -> dict[str, bool]:
    """Return each family of tools, and whether a tenant without a switch of its own has any tool of it."""
    switched_on = {tool.family for tool in tools if tool.enabled(settings, None)}
    return {tool.family: tool.family in switched_on for tool in tools}


def execute(tools: Sequence[Tool], name: str, arguments: object, call: Call) -> dict[str, Any]:
    """Run the named tool and return its answer; Disabled where it is unknown or off. Only CairnErrors get out."""
    for tool in tools:
        if tool.name == name:
            return tool.execute(arguments, call)

    def unknown() -> NoReturn:
        with guarded(call.caller.request_id) as record:
            record.ran = True
            record.name_tenant(call.caller.tenant)
            if name in MEMORY_ACTIONS:
                raise NotFound(f"Memory action '{name}' not found")
            raise Disabled("No such tool, or it is switched off")

    return call.observed(name, arguments, (), unknown)
