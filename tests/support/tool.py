"""What an empty store answers to the example of each tool."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator

from cairn.edge.fields import SessionInput
from cairn.tool.tool import Tool
from cairn_tools.catalog import CATALOG

FOR_AGENTS = tuple(tool for tool in CATALOG if not tool.for_operators)
"""The tools that agents may call, which MCP and pipes have."""
SESSION_TOOLS = tuple(tool for tool in FOR_AGENTS if issubclass(tool.input, SessionInput))
"""The tools of agents that are about a session, and so about a project."""
ABSENT = frozenset(
    {
        *("retrieve_session_from_cascade", "getMemory", "deleteMemory", "forget", "memory_take_back_turn"),
        "memory_read_file",
        *(
            "memory_correct",
            "memory_replay",
            "memory_restore",
            "memory_pin",
            "memory_get_export",
            "memory_rotate_key",
            "memory_revoke_key",
        ),
    }
)
"""The tools whose examples name something that an empty store does not hold."""


def outcome(tool: Tool) -> str:
    """Return the code with which an empty store answers a tool's example."""
    return "NOT_FOUND" if tool.name in ABSENT else "OK"


def http_status(tool: Tool) -> int:
    """Return the HTTP status with which an empty store answers a tool's example."""
    return 404 if tool.name in ABSENT else 200


def check_example(tool: Tool, answer: Mapping[str, Any]) -> None:
    """Hold what an empty store answers to a tool's example to the tool's schema, or else to the code."""
    if tool.name in ABSENT:
        assert answer["error"]["code"] == outcome(tool)
    else:
        Draft202012Validator(tool.output_schema()).validate(answer)  # pyright: ignore[reportUnknownMemberType] - half a stub
