"""Print how to use a running Cairn: its address, a key, and how to connect an agent."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

import click

from cairn.ground.ids import Tenant
from cairn.local.connect.connection import PORT
from cairn.local.directory import default_directory
from cairn.local.hook.client_file import LOOPBACK
from cairn.local.own_names import OwnNames
from cairn.local.program import program
from cairn.local.store import LOCAL_TENANT


def announce(
    urls: Sequence[str],
    directory: Path,
    key: str | None,
    known: Sequence[Tenant] = (),
    own: OwnNames | None = None,
) -> None:
    """Print the address, the key and how to connect an agent; a second address is for clients that sign in.

    A key is bound to the project and user of `own`, if that is given. Without a key, it says how to get one to each
    memory that is known.
    """
    url, *oauth_urls = urls
    click.echo(f"Cairn serves MCP at {url}")
    click.echo(f"  data     {directory}")
    click.echo(
        f"  API key  {key}  (shown this once)" if key else "  API key  as printed when it was made; for another:"
    )
    for line in _other_keys(directory, () if key else known):
        click.echo(f"             {line}")
    if own is not None:
        click.echo(f"           {_binding(own, directory, is_new=key is not None)}")
    if own is not None:
        click.echo(f"  console  {url.removesuffix('mcp')}  (sign in with an API key)")
    for each in oauth_urls:
        click.echo(f"  sign-in  {each}")
    if connecting := _connecting(url, None if own is None else directory):
        click.echo(f"  agents   {connecting}  (or another agent)")
    click.echo(f"Stop with Ctrl+C (process {os.getpid()}).")


def _other_keys(directory: Path, known: Sequence[Tenant]) -> list[str]:
    return [f"{program()} keys create --tenant {each} --data {shlex.quote(str(directory))}" for each in known]


def _connecting(url: str, directory: Path | None) -> str | None:
    """Return how an agent is connected to a server; without a directory it is one whose keys are not made here.

    None for an address at which `cairn connect` shows no key, since it is neither of this machine nor encrypted.
    """
    parts = urlsplit(url)
    if parts.hostname not in LOOPBACK:
        return None
    if directory is None:
        return f"{program()} connect claude-code --url {shlex.quote(url.removesuffix('/mcp'))}"
    port = "" if parts.port == PORT else f" --port {parts.port}"
    data = "" if directory == default_directory(os.environ) else f" --data {shlex.quote(str(directory))}"
    return f"{program()} connect claude-code{port}{data}"


def _binding(own: OwnNames, directory: Path, *, is_new: bool) -> str:
    """Return what a new key is bound to and how to make one to another project, or how to bind another key."""
    user = f"--user {shlex.quote(own.user)}"
    if not is_new:
        return f"add --project {own.project} {user} if an agent shall name neither"
    [another] = _other_keys(directory, [LOCAL_TENANT])
    told = f"for project {own.project} and user {own.user}, which an agent need not name"
    return f"{told}\n           for another project: {another} --project owner/repo {user}"
