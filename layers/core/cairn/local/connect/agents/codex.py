"""Codex: hooks in hooks.json, the MCP server in config.toml."""

from __future__ import annotations

from typing import Final

from cairn.local.connect.agent import Agent, Machine, endpoint, groups
from cairn.local.connect.configuration import JsonFile, TomlTable
from cairn.local.connect.words import headers_command
from cairn.local.hook.client_file import Client

NAME: Final = "codex"
EVENTS: Final = (
    "SessionStart",
    "UserPromptSubmit",
    "PostToolUse",
    "Stop",
    "SubagentStop",
    "PostCompact",
    "SessionEnd",
)


def agent(machine: Machine, client: Client) -> Agent:
    """Return what is written for Codex. Its helper runs in the project's folder, and names that project too."""
    folder = machine.folder("CODEX_HOME", ".codex")
    server = {"url": endpoint(client, "hooks"), "http_headers_helper": headers_command("--folder")}
    return Agent(
        name=NAME,
        title="Codex",
        is_here=machine.has("codex", folder),
        configurations=(
            JsonFile(path=folder / "hooks.json", hooks=groups(NAME, EVENTS)),
            TomlTable(path=folder / "config.toml", table=("mcp_servers", "cairn"), values=server),
        ),
        notes=("Codex runs no hook before you trusted it: start codex, type /hooks, and trust those of cairn once.",),
    )
