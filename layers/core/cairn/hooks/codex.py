"""Codex: its events are those of Claude Code; a turn is named `turn_id`, and other fields in an answer are refused."""

from __future__ import annotations

from cairn.hooks.claude_code import answer, read

__all__ = ["answer", "read"]
