"""Zed: the MCP server in its settings, which may have comments."""

from __future__ import annotations

from typing import Final

from cairn.local.connect.agent import Agent, Machine, endpoint, headers
from cairn.local.connect.configuration import JsonFile
from cairn.local.hook.client_file import Client

NAME: Final = "zed"


def agent(machine: Machine, client: Client) -> Agent:
    """Return what is written for Zed."""
    folder = machine.config / "zed"
    server = {"url": endpoint(client, "agent"), "headers": headers(client)}
    members = {("context_servers", "cairn"): server}
    return Agent(
        name=NAME,
        title="Zed",
        is_here=machine.has("zed", folder),
        configurations=(JsonFile(path=folder / "settings.json", holds_key=True, comments=True, members=members),),
        notes=("Zed has no hooks: its model decides what it keeps and looks up.",),
        has_hooks=False,
    )
