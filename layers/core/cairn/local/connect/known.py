"""Every agent that Cairn can be made the memory of, by name."""

from __future__ import annotations

from typing import Final

from cairn.local.connect.agent import Agent, Machine
from cairn.local.connect.agents import (
    claude_code,
    claude_desktop,
    codex,
    copilot,
    cursor,
    gemini,
    opencode,
    vscode,
    windsurf,
    zed,
)
from cairn.local.connect.changes import read
from cairn.local.connect.names import NAMES
from cairn.local.hook.client_file import Client

_BUILT: Final = {
    claude_code.NAME: claude_code.agent,
    codex.NAME: codex.agent,
    gemini.NAME: gemini.agent,
    cursor.NAME: cursor.agent,
    vscode.NAME: vscode.agent,
    opencode.NAME: opencode.agent,
    copilot.NAME: copilot.agent,
    claude_desktop.NAME: claude_desktop.agent,
    windsurf.NAME: windsurf.agent,
    zed.NAME: zed.agent,
}
UNKNOWN: Final = Client(url="http://127.0.0.1:8787", key="cairn_key")
"""A client for questions that no address or key matters to."""


def agent(name: str, machine: Machine, client: Client = UNKNOWN) -> Agent:
    """Return what is known of the agent of a name."""
    return _BUILT[name](machine, client)


def every(machine: Machine) -> list[Agent]:
    """Return every agent, here or not."""
    return [agent(name, machine) for name in NAMES]


def connected(machine: Machine) -> list[Agent]:
    """Return the agents in whose configuration Cairn is; SettingsError where one cannot be read."""
    return [each for each in every(machine) if is_connected(each)]


def is_connected(found: Agent) -> bool:
    """Tell whether any part of Cairn's is in an agent's configuration."""
    texts = [(file, read(file.path)) for file in found.configurations]
    return any(text is not None and file.has_cairn(text) for file, text in texts)
