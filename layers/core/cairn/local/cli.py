"""The `cairn` command."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from cairn import __version__
from cairn.domain.errors import CairnError, InvalidArgument, SettingsError
from cairn.local.keys import keys
from cairn.local.options import DIRECTORY, data_option

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class _Commands(click.Group):
    """Commands that tell an error in one sentence: exit status 2 for wrong settings and options, 1 for all else."""

    def invoke(self, ctx: click.Context) -> object:
        try:
            return super().invoke(ctx)
        except (SettingsError, InvalidArgument) as error:
            raise click.UsageError(str(error)) from None
        except CairnError as error:
            raise click.ClickException(error.message) from None


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="cairn")
def main() -> None:
    """Memory for AI agents, on this machine."""


@main.command()
@click.option("--port", default=8787, show_default=True, type=click.IntRange(0, 65535), help="0: any free port.")
@data_option
def serve(port: int, data: Path | None) -> None:
    """Serve MCP and HTTP on 127.0.0.1.

    The first start makes an encryption key and an API key in the data directory, and prints the API key once. Without
    settings of your own (CAIRN_SETTINGS, CAIRN_SETTINGS_FILE or CAIRN_MEMORY_ENABLED), memory is switched on.
    """
    from cairn.local.serve import serve as run  # noqa: PLC0415 - a command pays for its own imports only

    run(data, port)


@main.command()
@data_option
def stdio(data: Path | None) -> None:
    """Serve MCP over standard input and output, for desktop clients.

    It uses the same memory as `cairn serve` and needs no API key: who may start it may read the data directory.
    """
    from cairn.local.stdio import stdio as run  # noqa: PLC0415 - a command pays for its own imports only

    run(data)


main.add_command(keys)


@main.command()
@data_option
def maintain(data: Path | None) -> None:
    """Maintain every session that is due, once: compact, archive, expire, merge, summarise.

    For cron, beside a running server or without one. It stops after ten minutes; what is left goes on with the next
    run. The status is 1 where a session failed; the log on standard error says which.
    """
    from cairn.local.maintain import maintain as run  # noqa: PLC0415 - a command pays for its own imports only

    sys.exit(0 if run(data) else 1)


@main.command()
@click.option("--data", type=_FILE, help="A LoCoMo file to replay instead of the conversation shipped with Cairn.")
@click.option("--store", type=DIRECTORY, help="Keep the memory here, and go on from what is there.")
@click.option("--url", help="Replay against this MCP endpoint instead of a server of the demo's own.")
@click.option("--key", help="The API key for --url.")
def demo(data: Path | None, store: Path | None, url: str | None, key: str | None) -> None:
    """Replay a conversation over several sessions and show what each turn recalls.

    The shipped one takes seconds; its server is killed half-way, and nothing may be lost or doubled. A LoCoMo file
    takes minutes; run it again with the same --store and what is stored already is ignored.
    """
    if (url is None) != (key is None) or (url and store):
        raise click.UsageError("--url and --key go together, and without --store")
    from cairn.local.demo import demo as run  # noqa: PLC0415 - a command pays for its own imports only

    sys.exit(0 if run(data, store, url, key) else 1)


@main.command()
@click.option("--tenant", help="With this tenant's own values.")
def settings(tenant: str | None) -> None:
    """Print each setting: its value, where that came from and what it does."""
    from cairn.local.settings import show  # noqa: PLC0415 - a command pays for its own imports only

    show(tenant, os.environ)
