"""The `cairn` command."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import click

from cairn import __version__
from cairn.ground.errors import CairnError, InvalidArgument, SettingsError
from cairn.ground.ids import Tenant
from cairn.local.commands.archive import archive
from cairn.local.commands.audit import audit
from cairn.local.commands.custody import erase, export
from cairn.local.commands.data_keys import data_keys
from cairn.local.commands.files import files
from cairn.local.commands.importing import import_
from cairn.local.commands.keys import keys
from cairn.local.commands.policy import policy
from cairn.local.options import DIRECTORY, a_tenant, data_option, tenant_option

_SHARE = click.FloatRange(0, 1)
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
@click.option(
    "--oauth-port",
    type=click.IntRange(0, 65535),
    help="Serve on this port too, for clients that sign in with the issuer of settings.mcp.auth.oidc.",
)
@data_option
def serve(port: int, oauth_port: int | None, data: Path | None) -> None:
    """Serve MCP and HTTP on 127.0.0.1.

    The first start makes an encryption key and an API key in the data directory, and prints the API key once. Without
    settings of your own (CAIRN_SETTINGS, CAIRN_SETTINGS_FILE or CAIRN_MEMORY_ENABLED), memory is switched on.
    """
    from cairn.local.server.serve import serve as run  # noqa: PLC0415 - a command pays for its own imports only

    run(data, port, oauth_port)


@main.command()
@click.option("--profile", type=click.Choice(["agent"]), help="Serve its tools alone; agent: what a turn needs.")
@data_option
def stdio(profile: str | None, data: Path | None) -> None:
    """Serve MCP over standard input and output, for desktop clients.

    It uses the same memory as `cairn serve` and needs no API key: who may start it may read the data directory.
    """
    from cairn.local.server.stdio import stdio as run  # noqa: PLC0415 - a command pays for its own imports only

    run(data, profile)


for command in (keys, data_keys, archive, policy, audit, files, export, import_, erase):
    main.add_command(command)


@main.command()
@tenant_option
@data_option
def recount(owner: Tenant, data: Path | None) -> None:
    """Collect what has expired of key-value memory, count what is stored, and compare it with the counters.

    The status is 1 where they differ: it is exact while nobody writes. The store is that of `cairn policy`.
    """
    from cairn.local.commands.recount import recount as run  # noqa: PLC0415 - a command pays for its own imports only

    sys.exit(0 if run(owner, data) else 1)


@main.command()
@tenant_option
@data_option
def reindex(owner: Tenant, data: Path | None) -> None:
    """Make what recall searches anew from the logs, with the embedder that the settings name.

    After another one was chosen; until then what the old one made is found by its words alone. It may be stopped at
    any time and run again, beside a service in use. The store is that of `cairn policy`.
    """
    from cairn.local.commands.reindex import reindex as run  # noqa: PLC0415 - a command pays for its own imports only

    run(owner, data)


@main.command()
@click.option("--tenant", "owner", callback=a_tenant, help="All sessions of this tenant, due or not, without a limit.")
@data_option
def maintain(owner: Tenant | None, data: Path | None) -> None:
    """Maintain every session that is due, once: compact, archive, expire, merge, summarise; seal the audit log.

    For cron, beside a running server or without one. It stops after ten minutes; what is left goes on with the next
    run. The status is 1 where a session failed; the log on standard error says which.

    With --tenant it looks at sessions in which nothing was due too: once after memory.session_retention_days was set.
    """
    from cairn.local.commands import maintain as runs  # noqa: PLC0415 - a command pays for its own imports only

    sys.exit(0 if (runs.maintain(data) if owner is None else runs.maintain_tenant(data, owner)) else 1)


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
    from cairn.local.demo.demo import demo as run  # noqa: PLC0415 - a command pays for its own imports only

    sys.exit(0 if run(data, store, url, key) else 1)


@main.command()
@click.argument("records", type=_FILE)
@click.option("--url", help="Compare with the service at this MCP endpoint instead of a fresh store.")
@click.option("--key", help="The API key for --url; one for the projects shadow.* will do.")
@click.option(
    "--min-facts", default=0.9, show_default=True, type=_SHARE, help="The least share of the direct path's facts."
)
@click.option(
    "--max-tokens", default=1.5, show_default=True, type=click.FloatRange(0), help="The greatest ratio to its tokens."
)
@click.option("--min-files", default=1.0, show_default=True, type=_SHARE, help="The least share of its directories.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.option("--show-values", "values", is_flag=True, help="Print the facts and directories that only one path has.")
def shadow(  # noqa: PLR0913 - one parameter for each option
    *,
    records: Path,
    url: str | None,
    key: str | None,
    min_facts: float,
    max_tokens: float,
    min_files: float,
    as_json: bool,
    values: bool,
) -> None:
    """Compare Cairn with a direct memory path that has answered the turns in RECORDS.

    docs/how-to/roll-out.md says what a record holds. The turns are replayed into a store that is gone afterwards, at
    the times they were spoken, or with --url into projects shadow.* of their own. Exit status 1 below the thresholds.
    """
    if (url is None) != (key is None):
        raise click.UsageError("--url and --key go together")
    from cairn.local.shadow.command import compare, show  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.shadow.comparison import Thresholds  # noqa: PLC0415

    service = (url, key) if url and key else None
    report = compare(records, service, Thresholds(min_facts, max_tokens, min_files))
    show(report, as_json=as_json, values=values)
    sys.exit(0 if report.passed else 1)


@main.command()
@click.option("--emulator", is_flag=True, help="To an AWS emulator on this machine; it serves until Ctrl+C.")
@click.option("--port", default=8788, show_default=True, type=click.IntRange(1, 65535), help="The emulator's port.")
def deploy(*, emulator: bool, port: int) -> None:
    """Deploy the template of this checkout to an AWS emulator on 127.0.0.1 and print how to use it.

    The first start takes a few minutes, since it installs SAM CLI and the emulator into .cache. Stop it with Ctrl+C:
    what was stored is there again at the next start. To deploy to AWS, use SAM CLI.
    """
    if not emulator:
        raise click.UsageError("--emulator is missing; to deploy to AWS, run: sam build && sam deploy --guided")
    from cairn.local.emulator.deploy import deploy as run  # noqa: PLC0415 - a command pays for its own imports only

    run(Path.cwd(), port)


@main.command()
@click.option("--tenant", help="With this tenant's own values.")
def settings(tenant: str | None) -> None:
    """Print each setting: its value, where that came from and what it does."""
    from cairn.local.commands.settings import show  # noqa: PLC0415 - a command pays for its own imports only

    show(tenant, os.environ)
