"""Print how to use a running Cairn: its address, a key, and the lines for coding agents."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

import click


def announce(urls: Sequence[str], directory: Path, key: str | None) -> None:
    """Print the address, the key and the lines for agents; a second address is for clients that sign in.

    Without a key, it says that an earlier start printed one.
    """
    url, *oauth_urls = urls
    shown = key or "YOUR_KEY"
    header = f"Authorization: Bearer {shown}"
    cursor = {"mcpServers": {"cairn": {"url": url, "headers": {"Authorization": f"Bearer {shown}"}}}}
    click.echo(f"Cairn serves MCP at {url}")
    click.echo(f"  data     {directory}")
    click.echo(f"  API key  {key}  (shown this once)" if key else "  API key  as printed at the first start")
    for each in oauth_urls:
        click.echo(f"  sign-in  {each}")
    click.echo(f'\nClaude Code:\n  claude mcp add --transport http cairn {url} --header "{header}"')
    click.echo(f"\nCursor, in mcp.json:\n  {json.dumps(cursor)}\n")
    click.echo(f"Stop with Ctrl+C (process {os.getpid()}).")
