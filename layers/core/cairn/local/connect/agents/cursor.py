"""Cursor: hooks in hooks.json, https://cursor.com/docs/hooks, the MCP server in mcp.json."""

from __future__ import annotations

from typing import Final

from cairn.local.connect.agent import Agent, Machine, endpoint, headers
from cairn.local.connect.configuration import JsonFile
from cairn.local.connect.words import SECONDS, hook_command
from cairn.local.hook.client_file import Client

NAME: Final = "cursor"
EVENTS: Final = ("sessionStart", "beforeSubmitPrompt", "postToolUse", "afterAgentResponse", "stop", "sessionEnd")


def agent(machine: Machine, client: Client) -> Agent:
    """Return what is written for Cursor."""
    folder = machine.home / ".cursor"
    hook = {"command": hook_command(NAME), "timeout": SECONDS}
    server = {"url": endpoint(client, "hooks"), "headers": headers(client)}
    return Agent(
        name=NAME,
        title="Cursor",
        is_here=machine.has("cursor", folder),
        configurations=(
            JsonFile(path=folder / "hooks.json", needs={"version": 1}, hooks=dict.fromkeys(EVENTS, hook)),
            JsonFile(path=folder / "mcp.json", holds_key=True, members={("mcpServers", "cairn"): server}),
        ),
    )
