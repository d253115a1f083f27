"""`cairn branch`: let an agent try something in a branch of memory, and merge the branch or drop it."""

from __future__ import annotations

import click

from cairn.local.asking import Ask, asking
from cairn.local.tables import counted, table, when


@click.group()
def branch() -> None:
    """Branch a project's memory, or a session's.

    Agents and commands work on the branch NAME of the project shop by naming the project shop@NAME.
    """


@branch.command()
@click.argument("name")
@click.option("--session", help="Branch this conversation alone.")
@click.option("--at", help="As it was at this time, such as 2026-03-01T12:00:00Z. Default: as it is now.")
@asking
def create(ask: Ask, *, name: str, session: str | None, at: str | None) -> None:
    """Make the branch NAME, which begins with all that the project knows."""
    made = ask("memory_branch", action="create", name=name, session_id=session, at=at)
    click.echo(made["branches"][0]["project"])


@branch.command("list")
@asking
def list_(ask: Ask) -> None:
    """List the project's branches."""
    found = ask("memory_branch", action="list")["branches"]
    rows = [(each["project"], when(each["at"]), each["session_id"] or "", each["closing"] or "open") for each in found]
    table(("BRANCH", "AT", "SESSION", "STATE"), rows)


@branch.command()
@click.argument("name")
@asking
def merge(ask: Ask, *, name: str) -> None:
    """Bring what was done on the branch NAME to the project; then the branch is gone.

    What the project said of the same since then stands. If it fails halfway, call it again.
    """
    done = ask("memory_branch", action="merge", name=name)["merged"]
    turns, changes = counted(done["turns"], "turn"), counted(done["changes"], "other change")
    left_out = f"; there already: {counted(done['left_out'], 'turn')}" if done["left_out"] else ""
    click.echo(f"Came to the project: {turns} and {changes}{left_out}.", err=True)


@branch.command()
@click.argument("name")
@asking
def drop(ask: Ask, *, name: str) -> None:
    """Erase what was done on the branch NAME, for good."""
    ask("memory_branch", action="drop", name=name)
