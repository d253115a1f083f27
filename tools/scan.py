"""Scan template.yaml with checkov, offline: 0 where nothing fails. What is skipped says so in the template, and why.

checkov goes to `.cache/`, in an exact and hashed version, since it wants older libraries than Cairn's tests.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from cairn.local.emulator.programs import install, interpreter

ROOT = Path(__file__).resolve().parent.parent
_OPTIONS = ("--file", "template.yaml", "--framework", "cloudformation", "--skip-download", "--compact", "--quiet")


def main() -> int:
    """Print what failed and how many checks passed, failed and were skipped."""
    _, python = interpreter()
    checkov = install(ROOT, "checkov", python) / "checkov"
    return subprocess.run([checkov, *_OPTIONS], cwd=ROOT, check=False).returncode  # noqa: S603 - the pinned checkov


if __name__ == "__main__":
    sys.exit(main())
