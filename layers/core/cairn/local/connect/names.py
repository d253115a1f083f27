"""The names of the agents that Cairn can be made the memory of."""

from __future__ import annotations

from typing import Final

NAMES: Final = (
    "claude-code",
    "codex",
    "gemini",
    "cursor",
    "vscode",
    "opencode",
    "copilot",
    "claude-desktop",
    "windsurf",
    "zed",
)
