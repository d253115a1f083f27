"""Windsurf: the MCP server in mcp_config.json."""

from __future__ import annotations

from typing import Final

from cairn.local.connect.agent import Agent, Machine, endpoint, headers
from cairn.local.connect.configuration import JsonFile
from cairn.local.hook.client_file import Client

NAME: Final = "windsurf"


def agent(machine: Machine, client: Client) -> Agent:
    """Return what is written for Windsurf."""
    folder = machine.home / ".codeium" / "windsurf"
    server = {"serverUrl": endpoint(client, "agent"), "headers": headers(client)}
    path = folder / "mcp_config.json"
    return Agent(
        name=NAME,
        title="Windsurf",
        is_here=machine.has("windsurf", folder),
        configurations=(JsonFile(path=path, holds_key=True, members={("mcpServers", "cairn"): server}),),
        notes=("Windsurf has no such hooks: its model decides what it keeps and looks up.",),
        has_hooks=False,
    )
