"""Claude Code: hooks in settings.json, the MCP server for all projects in .claude.json."""

from __future__ import annotations

from typing import Final

from cairn.local.connect.agent import Agent, Machine, endpoint, groups
from cairn.local.connect.configuration import JsonFile
from cairn.local.connect.words import headers_command
from cairn.local.hook.client_file import Client

NAME: Final = "claude-code"
EVENTS: Final = (
    "SessionStart",
    "UserPromptSubmit",
    "PostToolBatch",
    "Stop",
    "SubagentStop",
    "PostCompact",
    "SessionEnd",
)


def agent(machine: Machine, client: Client) -> Agent:
    """Return what is written for Claude Code. Its helper reads the key from the client file at each connection."""
    folder = machine.folder("CLAUDE_CONFIG_DIR", ".claude")
    state = folder if machine.environment.get("CLAUDE_CONFIG_DIR") else machine.home
    server = {"type": "http", "url": endpoint(client, "hooks"), "headersHelper": headers_command()}
    return Agent(
        name=NAME,
        title="Claude Code",
        is_here=machine.has("claude", folder),
        configurations=(
            JsonFile(path=folder / "settings.json", hooks=groups(NAME, EVENTS, beside=("PostToolBatch",))),
            JsonFile(path=state / ".claude.json", members={("mcpServers", "cairn"): server}),
        ),
    )
