"""`cairn connect`: make Cairn the memory of an agent, or take it out again."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from cairn.ground.ids import Project
from cairn.local.connect.names import NAMES
from cairn.local.options import data_option, project_of


@click.command()
@click.argument("names", metavar="AGENT...", nargs=-1, type=click.Choice(NAMES))
@click.option("--all", "is_all", is_flag=True, help="Every agent that is found on this machine.")
@click.option("--remove", "is_removed", is_flag=True, help="Take out what was put in.")
@click.option("--print", "is_printed", is_flag=True, help="Show what would be written, and write nothing.")
@click.option(
    "--port",
    type=click.IntRange(1, 65535),
    help="The port of cairn serve on this machine. Default: the known one, or 8787.",
)
@click.option("--url", help="The address of a server elsewhere, or of a deployment in AWS.")
@click.option("--key", envvar="CAIRN_KEY", help="The API key of the server at --url. Asked for where it is not given.")
@click.option("--project", callback=project_of, help="The one project. Default: the one of each folder.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@data_option
def connect(  # noqa: PLR0913 - one parameter for each option
    *,
    names: tuple[str, ...],
    is_all: bool,
    is_removed: bool,
    is_printed: bool,
    port: int | None,
    url: str | None,
    key: str | None,
    project: Project | None,
    yes: bool,
    data: Path | None,
) -> None:
    """Make Cairn the memory of an agent, in every project.

    Shows what changes in the agent's configuration, and asks. Hooks then store what is said, and add what matters of
    the past to each prompt; the model gets tools to remember, recall and forget. Without --url, an API key to this
    machine's memory is made once for all agents. `cairn doctor` tells whether turns arrive.
    """
    if bool(names) == is_all:
        raise click.UsageError(f"name an agent, or give --all: {', '.join(NAMES)}")
    if url and port:
        raise click.UsageError("--port is of a server on this machine, --url of another; give one of them")
    from cairn.local.connect import record  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.connect.agent import Machine  # noqa: PLC0415
    from cairn.local.connect.connection import Wanted  # noqa: PLC0415
    from cairn.local.connect.steps import Steps  # noqa: PLC0415

    data = data.expanduser().absolute() if data else record.read(os.environ).data
    environment = dict(os.environ) | ({"CAIRN_DATA": str(data)} if data else {})
    wanted = Wanted(url, key if url else None, port, project, data)
    steps = Steps(Machine(Path.home(), environment), wanted, is_printed=is_printed, is_asked=not yes)
    sys.exit(0 if steps.with_each(names, is_removed=is_removed) else 1)
