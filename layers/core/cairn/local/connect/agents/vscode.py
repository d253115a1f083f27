"""VS Code: the MCP server in the user's mcp.json.

Its hooks for all projects are those of Copilot CLI, in the same file: with hooks of its own each would run twice.
"""

from __future__ import annotations

from typing import Final

from cairn.local.connect.agent import Agent, Machine, endpoint, headers
from cairn.local.connect.agents.copilot import HOOKS
from cairn.local.connect.configuration import JsonFile
from cairn.local.hook.client_file import Client

NAME: Final = "vscode"


def agent(machine: Machine, client: Client) -> Agent:
    """Return what is written for VS Code."""
    folder = machine.application_config / "Code" / "User"
    has_hooks = (machine.folder("COPILOT_HOME", ".copilot") / HOOKS).exists()
    server = {"type": "http", "url": endpoint(client, "hooks" if has_hooks else "agent"), "headers": headers(client)}
    return Agent(
        name=NAME,
        title="VS Code",
        is_here=machine.has("code", folder),
        configurations=(
            JsonFile(path=folder / "mcp.json", holds_key=True, comments=True, members={("servers", "cairn"): server}),
        ),
        notes=("VS Code gets the memory tools alone; it runs the hooks of Copilot CLI too: cairn connect copilot.",),
        has_hooks=False,
    )
