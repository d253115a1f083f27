"""The `cairn` command."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from cairn import __version__
from cairn.ground.errors import CairnError, InvalidArgument, SettingsError
from cairn.ground.ids import Project, Tenant, UserId
from cairn.local.backup.command import backup, drill
from cairn.local.commands.archive import archive
from cairn.local.commands.audit import audit
from cairn.local.commands.branch import branch
from cairn.local.commands.completion import completion
from cairn.local.commands.cost import cost
from cairn.local.commands.data_keys import data_keys
from cairn.local.commands.erase import erase
from cairn.local.commands.export import export
from cairn.local.commands.files import files
from cairn.local.commands.hook import hook
from cairn.local.commands.import_ import import_
from cairn.local.commands.keys import keys
from cairn.local.commands.look import (
    changes,
    correct,
    forget,
    pin,
    projects,
    recall,
    remember,
    restore,
    sessions,
    show,
    users,
)
from cairn.local.commands.model import model
from cairn.local.commands.plan import plan
from cairn.local.commands.policy import policy
from cairn.local.commands.replay import replay
from cairn.local.commands.settings import settings
from cairn.local.connect.command import connect
from cairn.local.connect.headers import headers
from cairn.local.doctor.command import doctor
from cairn.local.options import DIRECTORY, a_tenant, data_option, project_of, tenant_option, user_of
from cairn.local.server.address import LOOPBACK_HOST, ListenAddress
from cairn.local.service.command import service

_SHARE = click.FloatRange(0, 1)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


class _Commands(click.Group):
    """Commands that report an error in one sentence: exit status 2 for wrong settings and options, 1 otherwise."""

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
@click.option(
    "--port", default=8787, show_default=True, type=click.IntRange(0, 65535), help="The port; 0 takes any free one."
)
@click.option(
    "--oauth-port",
    type=click.IntRange(0, 65535),
    help="A second port, for clients that sign in with the issuer of settings.mcp.auth.oidc.",
)
@click.option(
    "--project", default="default", show_default=True, callback=project_of, help="The project of the first API key."
)
@click.option("--user", callback=user_of, help="The user of the first API key. Default: your login name.")
@click.option(
    "--host",
    default=LOOPBACK_HOST,
    show_default=True,
    help="The IPv4 address to listen on; 0.0.0.0: all of this machine.",
)
@click.option("--allow-host", "names", multiple=True, help="Answer requests to this name too; give it once or more.")
@click.option("--quiet", is_flag=True, help="Log warnings and errors only.")
@click.option("--verbose", is_flag=True, help="Log every event of a call, as Lambda does, not one line a call.")
@data_option
def serve(  # noqa: PLR0913 - one parameter for each option
    *,
    port: int,
    oauth_port: int | None,
    project: Project,
    user: UserId | None,
    host: str,
    names: tuple[str, ...],
    quiet: bool,
    verbose: bool,
    data: Path | None,
) -> None:
    """Serve MCP and HTTP, on 127.0.0.1 unless --host says otherwise.

    The first start creates an encryption key and an API key in the data directory, and prints the API key once. An
    agent with that key names neither project nor user; `cairn keys create` makes keys to others, or to all. The memory
    tools are on, unless CAIRN_SETTINGS, CAIRN_SETTINGS_FILE or CAIRN_MEMORY_ENABLED says otherwise. The log on
    standard error has one line a call: for people on a terminal, JSON elsewhere. /metrics tells Prometheus the rest.
    """
    if quiet and verbose:
        raise click.UsageError("--quiet and --verbose are opposites; give one of them")
    address = ListenAddress(host, port, oauth_port, tuple(each.lower() for each in names))
    from cairn.local.own_names import OwnNames  # noqa: PLC0415 - a command pays for its own imports only
    from cairn.local.server.serve import serve as run  # noqa: PLC0415

    run(data, address, "quiet" if quiet else "all" if verbose else "calls", OwnNames.of(project, user))


@main.command()
@click.option(
    "--profile", type=click.Choice(["agent"]), help="Serve only these tools; agent: the turn and memory tools."
)
@click.option("--project", callback=project_of, help="Serve this project alone. Default: any that a call names.")
@click.option("--user", callback=user_of, help="Serve this user alone. Default: any that a call names.")
@data_option
def stdio(*, profile: str | None, project: Project | None, user: UserId | None, data: Path | None) -> None:
    """Serve MCP over standard input and output, for desktop clients.

    It uses the same memory as `cairn serve`. It needs no API key, since whoever can start it can read the data
    directory. A call that names no project is about the one named default, and one that names no user is yours, by your
    login name, as with the first key of `cairn serve`.
    """
    from cairn.local.server.stdio import stdio as run  # noqa: PLC0415 - a command pays for its own imports only

    run(data, profile, project, user)


for command in (connect, doctor, headers):
    main.add_command(command)

for command in (
    remember,
    recall,
    show,
    changes,
    sessions,
    users,
    projects,
    forget,
    correct,
    pin,
    restore,
    branch,
    completion,
):
    main.add_command(command)

for command in (backup, drill, plan, replay):
    main.add_command(command)

for command in (keys, data_keys, archive, policy, audit, cost, files, export, import_, erase, model, service, hook):
    main.add_command(command)


@main.command()
@tenant_option
@data_option
def recount(owner: Tenant, data: Path | None) -> None:
    """Check the counters of key-value memory against what is stored.

    Expired keys are collected first. The exit status is 1 if a counter is wrong; the result is exact only while nobody
    writes. The command works on the same store as `cairn policy`.
    """
    from cairn.local.commands.recount import recount as run  # noqa: PLC0415 - a command pays for its own imports only

    sys.exit(0 if run(owner, data) else 1)


@main.command()
@tenant_option
@data_option
def reindex(owner: Tenant, data: Path | None) -> None:
    """Rebuild the search index of every memory log of a tenant.

    Run it after you have chosen another embedder. Until then, texts that the old one embedded are found by their words
    alone. You may stop it at any time and run it again, also while the service is in use. It works on the same store as
    `cairn policy`.
    """
    from cairn.local.commands.reindex import reindex as run  # noqa: PLC0415 - a command pays for its own imports only

    run(owner, data)


@main.command()
@tenant_option
@click.option("--repair", is_flag=True, help="Mend what can be mended. Stop what writes to the store first.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of lines.")
@data_option
def check(*, owner: Tenant, repair: bool, as_json: bool, data: Path | None) -> None:
    """Find what is damaged in all that a tenant has.

    Opens every item, blob and index, and compares counters, lists and the audit log's chain with what is there. The
    exit status is 1 if anything is found, with --repair if anything is left. With --repair, damaged items are moved
    into quarantine as they are, and what follows from sound ones is made anew. It works on the same store as `cairn
    policy`.
    """
    from cairn.local.commands.check import check as run  # noqa: PLC0415 - a command pays for its own imports only

    sys.exit(0 if run(owner, data, repair=repair, as_json=as_json) else 1)


@main.command()
@click.option(
    "--tenant",
    "owner",
    callback=a_tenant,
    help="Maintain all sessions of this tenant, due or not, without a time limit.",
)
@click.option("--dry-run", is_flag=True, help="Change nothing: print what would be erased, ended, merged and packed.")
@data_option
def maintain(owner: Tenant | None, data: Path | None, *, dry_run: bool) -> None:
    """Maintain every session that is due, and seal the audit log.

    Maintenance summarises and packs old turns, expires and merges facts, and refreshes directory summaries. Run it from
    cron, with or without a running server. It stops after ten minutes; the next run does the rest. The exit status is 1
    if a session failed; the log on standard error says which.

    With --tenant it also visits sessions in which nothing is due. Do that once after you set
    memory.session_retention_days.

    With --dry-run it prints of each session, and in all, what a run would do now and why. The run itself decides by
    what is there then, and makes a plan of what it ends, which `cairn plan undo` takes back. If CAIRN_TABLE,
    CAIRN_BUCKET and CAIRN_KEY_ID are set and --data is not given, it tells that of the store in AWS.
    """
    from cairn.local.commands import maintain as runs  # noqa: PLC0415 - a command pays for its own imports only

    if dry_run:
        sys.exit(0 if runs.forecast(data, owner) else 1)
    sys.exit(0 if (runs.maintain(data) if owner is None else runs.maintain_tenant(data, owner)) else 1)


@main.command()
@click.option("--data", type=_FILE, help="A LoCoMo file to replay instead of the conversation shipped with Cairn.")
@click.option("--store", type=DIRECTORY, help="Keep the memory in this directory, and continue from what it holds.")
@click.option("--url", help="Replay against this MCP endpoint instead of starting a server.")
@click.option("--key", help="The API key for --url.")
def demo(data: Path | None, store: Path | None, url: str | None, key: str | None) -> None:
    """Replay a conversation and show what each turn recalls.

    The conversation shipped with Cairn takes seconds. Its server is killed half-way, and the demo fails if a turn is
    lost or doubled. A LoCoMo file takes minutes; with the same --store, a second run skips the turns that are stored.
    """
    if (url is None) != (key is None) or (url and store):
        raise click.UsageError("--url and --key go together, and without --store")
    from cairn.local.demo.demo import demo as run  # noqa: PLC0415 - a command pays for its own imports only

    sys.exit(0 if run(data, store, url, key) else 1)


@main.command()
@click.argument("records", type=_FILE)
@click.option("--url", help="Replay into the service at this MCP endpoint instead of an empty store.")
@click.option("--key", help="The API key for --url; it needs only the projects shadow.*.")
@click.option(
    "--min-facts",
    default=0.9,
    show_default=True,
    type=_SHARE,
    help="Pass with at least this share of the direct path's facts.",
)
@click.option(
    "--max-tokens",
    default=1.5,
    show_default=True,
    type=click.FloatRange(0),
    help="Pass with at most this ratio to the direct path's tokens.",
)
@click.option(
    "--min-files", default=1.0, show_default=True, type=_SHARE, help="Pass with at least this share of its directories."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object instead of a table.")
@click.option("--show-values", "values", is_flag=True, help="Print the facts and directories that only one side has.")
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
    """Compare Cairn with the memory that a client keeps itself.

    RECORDS says what the client's direct path did at each turn; docs/how-to/roll-out.md describes the format. The turns
    are replayed at their original times into a temporary store, or with --url into new projects shadow.* of that
    service. The exit status is 1 if a threshold is missed.
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
@click.argument("function")
@click.option("--event", "events", type=_FILE, multiple=True, required=True, help="A JSON file; give it once or more.")
@click.option("--moto", is_flag=True, help="Use AWS as moto plays it, empty at each start, instead of a directory.")
@click.option(
    "--data",
    type=DIRECTORY,
    help="The data directory. Default: invoke in .cache of a checkout, or else in ~/.cache/cairn.",
)
def invoke(*, function: str, events: tuple[Path, ...], moto: bool, data: Path | None) -> None:
    """Run a function's handler on events, as sam local invoke does, offline and without a container.

    FUNCTION is a tool's name, or mcp, health, authorizer, metadata, schedule, worker or sandbox. The events are those
    of events/ or your own. One process answers them in their order and prints each answer as JSON; its log goes to
    standard error. All tools are on, unless CAIRN_SETTINGS, CAIRN_SETTINGS_FILE or CAIRN_MEMORY_ENABLED says otherwise.
    """
    if moto and data is not None:
        raise click.UsageError("--moto and --data are two stores; give one of them")
    from cairn.local.invoke.command import invoke as run  # noqa: PLC0415 - a command pays for its own imports only

    run(function, events, data, moto=moto)


@main.command()
@click.option("--emulator", is_flag=True, help="Deploy to an AWS emulator on this machine, and serve until Ctrl+C.")
@click.option("--port", default=8788, show_default=True, type=click.IntRange(1, 65535), help="The emulator's port.")
def deploy(*, emulator: bool, port: int) -> None:
    """Deploy this checkout to an AWS emulator on 127.0.0.1.

    The first start takes a few minutes, since it installs SAM CLI and the emulator into .cache. The command prints how
    to use the deployment. Stop it with Ctrl+C; the next start finds what was stored. To deploy to AWS, use SAM CLI.
    """
    if not emulator:
        raise click.UsageError(
            "--emulator is missing; to deploy to AWS, run in a checkout: sam build && sam deploy --guided"
        )
    from cairn.local.emulator.deploy import deploy as run  # noqa: PLC0415 - a command pays for its own imports only

    run(Path.cwd(), port)


main.add_command(settings)
