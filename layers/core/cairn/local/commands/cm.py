"""Sessions of the `cm` command, where this machine has it."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any, cast

import click

from cairn.ground.ids import SessionId

_SECONDS = 60


def export(session_id: SessionId) -> dict[str, Any] | None:
    """Return what `cm context <id> --json` says of the session, None where there is no `cm` on the path.

    ClickException where it fails: with the status or the time, and nothing of what it said.
    """
    command = shutil.which("cm")
    if command is None:
        return None
    if session_id.startswith("-"):
        raise click.ClickException("cm would take a session id that begins with - for an option")
    try:
        run = subprocess.run(  # noqa: S603 - the person's own cm, and no shell
            [command, "context", session_id, "--json"], capture_output=True, check=True, timeout=_SECONDS
        )
        exported: object = json.loads(run.stdout)
    except subprocess.CalledProcessError as error:
        raise click.ClickException(
            f"cm could not export the session: it ended with status {error.returncode}"
        ) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise click.ClickException(f"cm could not export the session: {type(error).__name__}") from None
    except ValueError:
        raise click.ClickException("cm could not export the session: what it printed is not JSON") from None
    if not isinstance(exported, dict):
        raise click.ClickException("cm could not export the session: what it printed is no JSON object")
    return cast("dict[str, Any]", exported)
