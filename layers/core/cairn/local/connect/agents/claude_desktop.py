"""Claude Desktop, which starts programs alone: `cairn stdio`, on the data directory."""

from __future__ import annotations

from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from cairn.ground.errors import SettingsError
from cairn.local.connect.agent import Agent, Machine
from cairn.local.connect.configuration import JsonFile
from cairn.local.connect.words import program_words
from cairn.local.hook.client_file import LOOPBACK, Client

NAME: Final = "claude-desktop"


def agent(machine: Machine, client: Client) -> Agent:
    """Return what is written for Claude Desktop; SettingsError where the memory is not on this machine."""
    if urlsplit(client.url).hostname not in LOOPBACK:
        raise SettingsError("Claude Desktop starts a program on this machine: it cannot be given a server elsewhere")
    folder = machine.application_config / "Claude"
    program, *words = program_words()
    data = machine.environment.get("CAIRN_DATA")
    options = [("--project", client.project), ("--data", data and str(Path(data).expanduser().absolute()))]
    given = [word for name, value in options if value for word in (name, value)]
    server = {"command": program, "args": [*words, "stdio", "--profile", "agent", *given]}
    path = folder / "claude_desktop_config.json"
    return Agent(
        name=NAME,
        title="Claude Desktop",
        is_here=machine.has("claude-desktop", folder),
        configurations=(JsonFile(path=path, members={("mcpServers", "cairn"): server}),),
        notes=("Claude Desktop has no hooks: its model decides what it keeps and looks up.",),
        has_hooks=False,
    )
