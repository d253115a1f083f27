"""VS Code's agents: https://code.visualstudio.com/docs/agents/reference/hooks-reference.

Their events are those of Copilot CLI under Claude Code's names, and what either has at user level, in
`~/.copilot/hooks`, the other runs too: one form is read and answered for both.
"""

from __future__ import annotations

from cairn.hooks.copilot import answer, read

__all__ = ["answer", "read"]
