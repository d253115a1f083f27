"""OpenCode: a plugin that follows each session, and the MCP server in opencode.json."""

from __future__ import annotations

from typing import Final

from cairn.local.connect.agent import Agent, Machine, endpoint, headers
from cairn.local.connect.configuration import JsonFile, OwnFile
from cairn.local.connect.plugin import PLUGIN
from cairn.local.hook.client_file import Client

NAME: Final = "opencode"


def agent(machine: Machine, client: Client) -> Agent:
    """Return what is written for OpenCode; its configuration may be opencode.jsonc."""
    folder = machine.config / "opencode"
    settings = folder / "opencode.jsonc"
    path = settings if settings.exists() else folder / "opencode.json"
    server = {"type": "remote", "url": endpoint(client, "hooks"), "enabled": True, "headers": headers(client)}
    return Agent(
        name=NAME,
        title="OpenCode",
        is_here=machine.has("opencode", folder),
        configurations=(
            OwnFile(path=folder / "plugin" / "cairn.js", text=PLUGIN.read_text(encoding="utf-8")),
            JsonFile(path=path, holds_key=True, comments=True, members={("mcp", "cairn"): server}),
        ),
    )
