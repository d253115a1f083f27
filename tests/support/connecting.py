"""A person's home folder with agents in it, and `cairn connect` run there."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from cairn.local.cli import main

JSON_WITH_COMMENTS = '{\n    // mine\n    "theme": "dark", // for now\n    "%s": {"docs": {"command": "docs"}},\n}\n'
SETTINGS: dict[str, dict[str, str]] = {
    "claude-code": {
        ".claude/settings.json": '{\n\t"model": "opus",\n\t"hooks": {"Stop": [{"hooks": [{"type": "command", '
        '"command": "say done"}]}]}\n}\n',
        ".claude.json": '{"numStartups": 3, "mcpServers": { }}',
    },
    "codex": {
        ".codex/hooks.json": '{"hooks": {"Stop": []}}\n',
        ".codex/config.toml": 'model = "gpt-5" # mine\n\n[mcp_servers.docs]\ncommand = "docs"\n',
    },
    "gemini": {".gemini/settings.json": JSON_WITH_COMMENTS % "mcpServers"},
    "cursor": {
        ".cursor/hooks.json": '{"version": 1, "hooks": {"stop": [{"command": "say done"}]}}',
        ".cursor/mcp.json": '{\n  "mcpServers": {\n    "docs": {"url": "http://docs"}\n  }\n}',
    },
    "vscode": {".config/Code/User/mcp.json": JSON_WITH_COMMENTS % "servers"},
    "opencode": {".config/opencode/opencode.json": '{"$schema": "https://opencode.ai/config.json"}\n'},
    "copilot": {".copilot/mcp-config.json": '{"mcpServers": {"docs": {"command": "docs"}}}'},
    "claude-desktop": {".config/Claude/claude_desktop_config.json": '{\r\n  "mcpServers": {}\r\n}\r\n'},
    "windsurf": {".codeium/windsurf/mcp_config.json": "{ }"},
    "zed": {".config/zed/settings.json": JSON_WITH_COMMENTS % "context_servers"},
}
"""What each agent's configuration may be before Cairn, by the path in the home folder."""


def furnished(home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder the home of a person called ada, with nothing in its environment."""
    for name in (*(each for each in os.environ if each.startswith(("CAIRN_", "XDG_"))), "CODEX_HOME", "COPILOT_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name in ("CLAUDE_CONFIG_DIR", "GEMINI_CLI_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PATH", str(home / "bin"))
    monkeypatch.setenv("LOGNAME", "ada")
    monkeypatch.setattr("cairn.local.connect.agent.sys.platform", "linux")
    return home


def fill(home: Path, agent: str) -> None:
    """Write what the agent's configuration may be before Cairn."""
    for name, text in SETTINGS[agent].items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_bytes(text.encode())


def cairn(*arguments: str, **keywords: Any) -> Result:
    """Run `cairn` with these arguments."""
    return CliRunner().invoke(main, list(arguments), catch_exceptions=False, **keywords)


def files(home: Path) -> Mapping[str, bytes]:
    """Return every file in the home folder but those of Cairn's store, by its path."""
    found = (path for path in home.rglob("*") if path.is_file() and ".local/share/cairn" not in str(path))
    return {str(path.relative_to(home)): path.read_bytes() for path in found}


def client(home: Path) -> dict[str, str]:
    """Return what the client file says."""
    return json.loads((home / ".config/cairn/client.json").read_bytes())
