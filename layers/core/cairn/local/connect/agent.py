"""What is known of an agent: where its configuration is, and what Cairn puts there."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cairn.local.connect.configuration import Configuration
from cairn.local.connect.words import SECONDS, hook_command
from cairn.local.hook.client_file import Client


@dataclass(frozen=True, slots=True)
class Machine:
    """Where a person's programs keep their configuration."""

    home: Path
    environment: Mapping[str, str]
    platform: str = field(default_factory=lambda: sys.platform)

    def folder(self, variable: str, usual: str) -> Path:
        """Return the folder that a variable names, or else the usual one in the home folder."""
        chosen = self.environment.get(variable)
        return Path(chosen).expanduser().absolute() if chosen else self.home / usual

    @property
    def config(self) -> Path:
        """Return XDG_CONFIG_HOME, which is ~/.config unless set to an absolute path."""
        chosen = Path(self.environment.get("XDG_CONFIG_HOME", ""))
        return chosen if chosen.is_absolute() else self.home / ".config"

    @property
    def application_config(self) -> Path:
        """Return where desktop programs keep their configuration."""
        return self.home / "Library" / "Application Support" if self.platform == "darwin" else self.config

    def has(self, program: str, folder: Path) -> bool:
        """Tell whether a program is on this machine, by its folder or on the path."""
        return folder.is_dir() or shutil.which(program, path=self.environment.get("PATH")) is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """An agent on this machine, and the files that make Cairn its memory. `notes` tell a person what is left to do."""

    name: str
    title: str
    is_here: bool
    configurations: tuple[Configuration, ...]
    notes: tuple[str, ...] = ()
    has_hooks: bool = True


def endpoint(client: Client, profile: str) -> str:
    """Return the address of the MCP server with the tools of a profile."""
    return f"{client.url}/mcp/{profile}"


def headers(client: Client) -> dict[str, str]:
    """Return the headers of a client: its key, and the project and user where they are fixed."""
    told = {"X-Cairn-Project": client.project, "X-Cairn-User": client.user}
    named = {name: value for name, value in told.items() if value and value.isascii()}
    return {"Authorization": f"Bearer {client.key}", **named}


def groups(
    agent: str, events: Sequence[str], *, timeout: int = SECONDS, beside: Sequence[str] = ()
) -> dict[str, dict[str, Any]]:
    """Return by event the group of hooks that runs `cairn hook`; the agent goes on at once with those `beside` it."""
    hook = {"type": "command", "command": hook_command(agent), "timeout": timeout}
    return {event: {"hooks": [hook | ({"async": True} if event in beside else {})]} for event in events}
