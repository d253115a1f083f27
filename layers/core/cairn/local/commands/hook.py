"""`cairn hook`, for the list of commands and for its help; agents' hooks do without both: cairn.local.start."""

from __future__ import annotations

import click

from cairn.local.hook.request import SECONDS


@click.command()
@click.argument("agent")
@click.option(
    "--timeout",
    "seconds",
    default=SECONDS,
    show_default=True,
    type=click.FloatRange(0, min_open=True),
    help="How many seconds it takes at most.",
)
def hook(agent: str, seconds: float) -> None:
    """Take an event of AGENT to the server, and print the answer.

    Agents run it: it reads the event, as the agent gives it to its hooks, from standard input and prints one JSON
    object in that agent's form. Address and key come from ~/.config/cairn/client.json, and CAIRN_URL, CAIRN_KEY,
    CAIRN_PROJECT and CAIRN_USER win over it. Whatever fails, it prints {} and its exit status is 0, so that the agent
    goes on. What failed stands in ~/.local/state/cairn/hooks.log. Events that found no server wait beside it, in
    hooks.spool, and are sent by the next hook that finds one.
    """
    from cairn.local.hook.command import hook as run  # noqa: PLC0415 - a command pays for its own imports only

    run(agent, seconds)
