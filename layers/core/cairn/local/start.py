"""Start the `cairn` command, or say why it cannot run here before anything is imported that would fail."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main() -> None:
    """Run the command; exit at once, with one sentence, on a system that it does not run on."""
    if told := objection(sys.platform):
        sys.exit(told)
    if is_hook(sys.argv):
        from cairn.local.hook.command import main as hook  # noqa: PLC0415 - an agent waits: it loads what it needs only

        hook(sys.argv[2:])
    from cairn.local.cli import main as run  # noqa: PLC0415 - what it imports exists on Linux and macOS alone

    run()


def is_hook(arguments: Sequence[str]) -> bool:
    """Tell whether an agent's hook is run, and not asked for its help."""
    return arguments[1:2] == ["hook"] and not {"-h", "--help"}.intersection(arguments)


def objection(platform: str) -> str | None:
    """Return what keeps Cairn from running on a platform, as `sys.platform` names it."""
    if platform in {"win32", "cygwin"}:
        return (
            "Cairn runs on Linux and macOS. On Windows, install WSL (run: wsl --install) and install Cairn inside it."
        )
    return None
