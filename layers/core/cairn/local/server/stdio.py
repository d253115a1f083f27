"""`cairn stdio`: serve the tools over standard input and output."""

from __future__ import annotations

import os
from pathlib import Path

from cairn.access.api_keys import ALL_PROJECTS, SCOPES
from cairn.access.callers import Caller
from cairn.local.server.doors import load
from cairn.local.store import LOCAL_TENANT, open_store
from cairn.telemetry import logs


def stdio(data: Path | None, profile: str | None = None) -> None:
    """Serve the tools of the profile, or all, until the input ends; SettingsError if the store cannot be opened."""
    logs.configure()
    with open_store(data, os.environ):
        load("cairn_mcp.stdio.run")(Caller(LOCAL_TENANT, frozenset(SCOPES), "stdio", (ALL_PROJECTS,)), profile)
