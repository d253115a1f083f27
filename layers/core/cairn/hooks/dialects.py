"""Every agent whose hooks are understood, a line each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from cairn.hooks import claude_code, codex, copilot, cursor, gemini, opencode, vscode
from cairn.hooks.events import Hook
from cairn.hooks.reading import Event


@dataclass(frozen=True, slots=True)
class Dialect:
    """How an agent tells what happened, and in which form it takes what memory adds."""

    read: Callable[[Event], Hook]
    answer: Callable[[Event, str], dict[str, Any]]


DIALECTS: Final[Mapping[str, Dialect]] = {
    "claude-code": Dialect(claude_code.read, claude_code.answer),
    "codex": Dialect(codex.read, codex.answer),
    "gemini": Dialect(gemini.read, gemini.answer),
    "cursor": Dialect(cursor.read, cursor.answer),
    "copilot": Dialect(copilot.read, copilot.answer),
    "vscode": Dialect(vscode.read, vscode.answer),
    "opencode": Dialect(opencode.read, opencode.answer),
}
