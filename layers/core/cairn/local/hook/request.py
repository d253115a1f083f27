"""What `cairn hook` is asked: its arguments, the event on its standard input, and the folder that it is about."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from math import isfinite
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from cairn.local.hook.event import MOST_READ

SECONDS: Final = 5.0
"""How long a hook takes at most, unless --timeout says otherwise."""
_BLOCK: Final = 1 << 16
_USAGE: Final = "cairn hook takes the name of one agent, and may take --timeout with seconds: cairn hook --help"


class Asked(NamedTuple):
    """Whose event it is, and how many seconds the hook may take."""

    agent: str
    seconds: float


def arguments_of(given: Sequence[str]) -> Asked:
    """Return what the words after `cairn hook` say; ValueError, which says how to call it, where they say no such."""
    agents, seconds, words = list[str](), SECONDS, iter(given)
    for word in words:
        option, equals, value = word.partition("=")
        if option == "--timeout":
            seconds = _seconds(value if equals else next(words, ""))
        else:
            agents.append(word)
    if len(agents) != 1 or agents[0].startswith("-") or not agents[0]:
        raise ValueError(_USAGE)
    return Asked(agents[0], seconds)


def standard_input() -> bytes:
    """Return all of the standard input, or a little more than an event may have."""
    read = bytearray()
    while len(read) <= MOST_READ and (block := os.read(0, _BLOCK)):
        read += block
    return bytes(read)


def folder_of(told: Mapping[str, Any], environment: Mapping[str, str]) -> Path:
    """Return the folder that an agent works in: the one it was started in where it says so, its present one otherwise.

    An agent may change the folder within a session, which is of one project all the same.
    """
    roots = told.get("workspace_roots")
    listed = cast("list[object]", roots) if isinstance(roots, list) else []
    for value in (environment.get("CLAUDE_PROJECT_DIR"), told.get("cwd"), *listed[:1]):
        if isinstance(value, str) and value.startswith("/") and "\0" not in value:
            return Path(value)
    return _present_folder()


def _present_folder() -> Path:
    try:
        return Path.cwd()
    except OSError:
        return Path("/")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        raise ValueError(_USAGE) from None
    if not isfinite(seconds) or seconds <= 0:
        raise ValueError(_USAGE)
    return seconds
