"""Everything that can be brought along, a line each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from cairn.local.bring import (
    agentcore,
    basic_memory,
    chatgpt,
    claude_code,
    claude_memory,
    codex,
    gemini,
    mem0,
    server_memory,
)
from cairn.local.bring.found import Read


@dataclass(frozen=True, slots=True)
class Source:
    """How something is read, and where it is as a rule, given the environment; None where that is nowhere."""

    read: Read
    usual: Callable[[Mapping[str, str]], Path] | None = None


def _home(variable: str, name: str, below: str = "") -> Callable[[Mapping[str, str]], Path]:
    """Return where a program keeps its files: below the folder that a variable names, or one of the user's home."""
    return lambda environment: (Path(environment.get(variable) or Path.home() / name)) / below


SOURCES: Final[Mapping[str, Source]] = {
    "claude-code": Source(claude_code.read, _home("CLAUDE_CONFIG_DIR", ".claude", "projects")),
    "codex": Source(codex.read, _home("CODEX_HOME", ".codex", "sessions")),
    "gemini": Source(gemini.read, lambda _environment: Path.home() / ".gemini" / "tmp"),
    "claude-memory": Source(claude_memory.read, _home("CLAUDE_CONFIG_DIR", ".claude")),
    "chatgpt": Source(chatgpt.read),
    "mem0": Source(mem0.read),
    "agentcore": Source(agentcore.read),
    "server-memory": Source(server_memory.read),
    "basic-memory": Source(basic_memory.read, lambda _environment: Path.home() / "basic-memory"),
}
