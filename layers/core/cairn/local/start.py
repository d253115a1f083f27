"""Start the `cairn` command, or say why it cannot run here before anything is imported that would fail."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command; exit at once, with one sentence, on a system that it does not run on."""
    if told := objection(sys.platform):
        sys.exit(told)
    from cairn.local.cli import main as run  # noqa: PLC0415 - what it imports exists on Linux and macOS alone

    run()


def objection(platform: str) -> str | None:
    """Return what keeps Cairn from running on a platform, as `sys.platform` names it."""
    if platform in {"win32", "cygwin"}:
        return (
            "Cairn runs on Linux and macOS. On Windows, install WSL (run: wsl --install) and install Cairn inside it."
        )
    return None
