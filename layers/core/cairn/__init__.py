"""Cairn: memory for AI agents, in the user's own account."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cairn.client.async_memory import AsyncMemory
    from cairn.client.memory import Memory

__all__ = ["AsyncMemory", "Memory"]
__version__ = "0.1.0"

_ROOMS = {"Memory": "cairn.client.memory", "AsyncMemory": "cairn.client.async_memory"}


def __getattr__(name: str) -> object:
    """Return Memory or AsyncMemory, loaded when it is first asked for: a Lambda imports this package, and no client."""
    if name not in _ROOMS:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415 - as above

    found = globals()[name] = getattr(import_module(_ROOMS[name]), name)
    return found
