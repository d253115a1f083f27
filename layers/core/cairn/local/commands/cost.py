"""`cairn cost`: what this month's calls cost, by tool."""

from __future__ import annotations

import json
from typing import Any

import click

from cairn.local.asking import Ask, asking
from cairn.local.tables import plain, table, when

_COLUMNS = ("TOOL", "CALLS", "COUNTED", "READ UNITS", "WRITE UNITS", "BLOB READS", "BLOB WRITES", "DOLLARS")


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print the answer as one JSON object.")
@asking
def cost(ask: Ask, *, as_json: bool) -> None:
    """Show what the calls of this month cost so far, by tool, the most expensive first.

    DynamoDB's units and S3's requests are counted as calls are made; on one machine they are what the same calls would
    cost in AWS. COUNTED says of how many calls and jobs they are. Standard error tells the sum, and what it does not
    have. The exit status is 0 also if there was no call.
    """
    costs = ask("memory_tell_costs")
    if as_json:
        click.echo(json.dumps(costs, indent=2, ensure_ascii=True))
        return
    if costs["by_tool"]:
        table(_COLUMNS, map(_row, costs["by_tool"]))
    would = "would cost in AWS" if costs["own_machine"] else "cost"
    click.echo(
        f"{costs['calls']:,} calls from {when(costs['since'])} to {when(costs['until'])} {would}"
        f" ${costs['dollars']['total']:.6f}, without what is named below.",
        err=True,
    )
    if (budget := costs["budget"]) is not None:
        click.echo(_told(budget), err=True)
    for each in costs["left_out"]:
        click.echo(f"- {plain(each)}", err=True)


def _row(line: dict[str, Any]) -> tuple[object, ...]:
    names = ("tool", "calls", "counted", "read_units", "write_units", "blob_reads", "blob_writes")
    return (*(f"{line[name]:g}" if name.endswith("units") else line[name] for name in names), f"{line['dollars']:.6f}")


def _told(budget: dict[str, Any]) -> str:
    """Return what is said of a budget: how much of it is spent, and what comes of that."""
    said = f"That is {100 * budget['share']:.1f} % of the month's budget of ${budget['monthly_dollars']:g}"
    if budget["share"] >= 1:
        return (
            f"{said}: it is spent, and {'calls that write are refused' if budget['brake'] else 'nothing is refused'}."
        )
    return f"{said}: it is nearly spent." if budget["is_warned"] else f"{said}."
