"""`cairn headers`: what agents run to get the headers with the key, so that it stands in one file alone."""

from __future__ import annotations

import json
import os
from pathlib import Path

import click


@click.command(hidden=True)
@click.option("--folder", "is_folder_named", is_flag=True, help="Name the project of the current folder too.")
def headers(*, is_folder_named: bool) -> None:
    """Print the headers with the API key of the client file as JSON, for an agent that runs this to get them."""
    from cairn.local.connect.agent import headers as headers_of  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.hook import client_file  # noqa: PLC0415
    from cairn.local.hook.project_name import project_of  # noqa: PLC0415

    client = client_file.read(os.environ)
    if is_folder_named and client.project is None:
        client = client._replace(project=project_of(Path.cwd()))
    click.echo(json.dumps(headers_of(client)))
