"""The command lines of Cairn that stand in agents' configurations."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Any, Final, cast

HOOK: Final = "hook"
SECONDS: Final = 5
"""How long an agent waits for its hook, which gives up in time to keep what it could not deliver."""
_ENDPOINTS: Final = ("/mcp/hooks", "/mcp/agent")


def program_words() -> tuple[str, ...]:
    """Return how the program that runs now is called from anywhere."""
    beside = Path(sys.executable).with_name("cairn")
    return (str(beside),) if beside.is_file() else (sys.executable, "-P", "-m", "cairn.local")


def hook_command(agent: str) -> str:
    """Return the command line of an agent's hook."""
    return shlex.join([*program_words(), HOOK, agent])


def headers_command(*options: str) -> str:
    """Return the command line that prints the headers with the key."""
    return shlex.join([*program_words(), "headers", *options])


def is_hook(value: object) -> bool:
    """Tell whether an entry of an agent's list of hooks is Cairn's: each command in it is."""
    commands = commands_of(value)
    return bool(commands) and all(is_hook_command(each) for each in commands)


def is_server(value: object) -> bool:
    """Tell whether an entry of an agent's MCP servers is what this command writes: a profile's endpoint, or stdio."""
    if not isinstance(value, dict):
        return False
    entry = cast("dict[str, Any]", value)
    address = next((entry[name] for name in ("url", "httpUrl", "serverUrl") if isinstance(entry.get(name), str)), "")
    arguments = entry.get("args")
    return address.endswith(_ENDPOINTS) or (isinstance(arguments, list) and {"stdio", "--profile"} <= {*arguments})


def commands_of(value: object) -> list[str]:
    """Return the command lines of an entry, whether it is one hook or a group of them."""
    if not isinstance(value, dict):
        return []
    entry = cast("dict[str, Any]", value)
    group = entry.get("hooks")
    if isinstance(group, list):
        return [line for each in cast("list[Any]", group) for line in commands_of(each) or [""]]
    return [line for line in (entry.get("command"), entry.get("bash")) if isinstance(line, str)]


def is_hook_command(line: str) -> bool:
    """Tell whether a command line runs `cairn hook`, of this or another install."""
    try:
        words = shlex.split(line)
    except ValueError:
        return False
    if HOOK not in words:
        return False
    called = words[: words.index(HOOK)]
    return bool(called) and (Path(called[-1]).name == "cairn" or called[-2:] == ["-m", "cairn.local"])
