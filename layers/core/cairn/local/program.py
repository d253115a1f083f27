"""How this command can be called again."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path


def program() -> str:
    """Return how this command can be called again, for a line to paste: as it was called, or as a module."""
    called = sys.argv[0]
    if Path(called).name == "cairn":
        return shlex.quote(called)
    beside = Path(sys.executable).with_name("cairn")
    return shlex.quote(str(beside)) if beside.is_file() else f"{shlex.quote(sys.executable)} -m cairn.local"
