"""Copilot CLI: a file of its own in its folder of hooks, the MCP server in mcp-config.json.

Its events are asked for under Claude Code's names, since each says which it is then.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

from cairn.local.connect.agent import Agent, Machine, endpoint, headers
from cairn.local.connect.configuration import JsonFile, OwnFile
from cairn.local.connect.words import SECONDS, hook_command
from cairn.local.hook.client_file import Client

HOOKS: Final = Path("hooks") / "cairn.json"
NAME: Final = "copilot"
EVENTS: Final = ("SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStop", "Stop", "SessionEnd")


def agent(machine: Machine, client: Client) -> Agent:
    """Return what is written for Copilot CLI."""
    folder = machine.folder("COPILOT_HOME", ".copilot")
    hook = {"type": "command", "bash": hook_command(NAME), "timeoutSec": SECONDS}
    hooks = {"version": 1, "hooks": {event: [hook] for event in EVENTS}}
    server = {"type": "http", "url": endpoint(client, "hooks"), "headers": headers(client), "tools": ["*"]}
    return Agent(
        name=NAME,
        title="Copilot CLI",
        is_here=machine.has("copilot", folder),
        configurations=(
            OwnFile(path=folder / HOOKS, text=f"{json.dumps(hooks, indent=2)}\n"),
            JsonFile(path=folder / "mcp-config.json", holds_key=True, members={("mcpServers", "cairn"): server}),
        ),
    )
