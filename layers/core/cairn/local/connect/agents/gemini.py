"""Gemini CLI: hooks and the MCP server in settings.json; its times are in milliseconds."""

from __future__ import annotations

from typing import Final

from cairn.local.connect.agent import Agent, Machine, endpoint, groups, headers
from cairn.local.connect.configuration import JsonFile
from cairn.local.connect.words import SECONDS
from cairn.local.hook.client_file import Client

NAME: Final = "gemini"
EVENTS: Final = ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "SessionEnd")


def agent(machine: Machine, client: Client) -> Agent:
    """Return what is written for Gemini CLI, which can read a header from nowhere but its settings."""
    folder = machine.folder("GEMINI_CLI_HOME", "") / ".gemini"
    # It waits for a server that hangs before it begins, a minute unless told.
    server = {"httpUrl": endpoint(client, "hooks"), "headers": headers(client), "timeout": SECONDS * 1000}
    return Agent(
        name=NAME,
        title="Gemini CLI",
        is_here=machine.has("gemini", folder),
        configurations=(
            JsonFile(
                path=folder / "settings.json",
                holds_key=True,
                comments=True,
                hooks=groups(NAME, EVENTS, timeout=SECONDS * 1000),
                members={("mcpServers", "cairn"): server},
            ),
        ),
    )
