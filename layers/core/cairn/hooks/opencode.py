"""OpenCode: the plugin in `cairn/local/connect/opencode_plugin.js` tells its events in the form of Claude Code's."""

from __future__ import annotations

from cairn.hooks.claude_code import answer, read

__all__ = ["answer", "read"]
