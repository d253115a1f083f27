"""`cairn doctor`: tell whether agents are connected, and whether their turns arrive."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click


@click.command()
def doctor() -> None:
    """Tell whether agents are connected, and whether their turns arrive in memory.

    Compares the newest transcripts of Claude Code, Codex and Gemini CLI with what the server has, and looks at what
    hooks could not deliver. The exit status is 1 where anything is wrong.
    """
    from cairn.local.connect.agent import Machine  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.doctor.examination import examine  # noqa: PLC0415

    findings = examine(Machine(Path.home(), os.environ))
    for each in findings:
        click.secho(
            f"{'ok    ' if each.is_well else 'WRONG '} {each.subject}: {each.said}", fg=None if each.is_well else "red"
        )
    sys.exit(0 if all(each.is_well for each in findings) else 1)
