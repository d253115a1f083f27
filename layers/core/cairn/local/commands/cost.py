"""`cairn cost`: what the calls of this month and of the last day cost, by tool."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import click

from cairn.local.asking import Ask, asking
from cairn.local.tables import plain, table, when

_COLUMNS = ("TOOL", "CALLS", "COUNTED", "READ UNITS", "WRITE UNITS", "BLOB READS", "BLOB WRITES", "DOLLARS", "LAST DAY")


@click.command()
@click.option("--all-tenants", is_flag=True, help="Of every tenant that a key opens, each line with its tenant.")
@click.option(
    "--json", "as_json", is_flag=True, help="Print the answer as one JSON object; of all, one for each tenant."
)
@asking
def cost(ask: Ask, *, all_tenants: bool, as_json: bool) -> None:
    """Show what the calls of this month cost so far, by tool, the most expensive first.

    DynamoDB's units and S3's requests are counted as calls are made; on one machine they are what the same calls would
    cost in AWS. COUNTED says of how many calls and jobs they are, LAST DAY what the calls of the last 24 hours cost,
    without jobs. Standard error tells the sum, and what it does not have. The exit status is 0 also if there was no
    call.
    """
    if all_tenants:
        _all(ask, as_json=as_json)
        return
    costs = ask("memory_tell_costs")
    if as_json:
        click.echo(json.dumps(costs, indent=2, ensure_ascii=True))
        return
    if rows := list(_rows(costs)):
        table(_COLUMNS, rows)
    click.echo(_sum(costs), err=True)
    if (share := costs["provisioned"]["cheaper_from_share"]) > 0:
        click.echo(f"Provisioned capacity would cost less if over {share:.0%} of it were in use on average.", err=True)
    for each in costs["left_out"]:
        click.echo(f"- {plain(each)}", err=True)


def _all(ask: Ask, *, as_json: bool) -> None:
    """Show the same of every tenant that there is."""
    from cairn.local.store import memories  # noqa: PLC0415 - a command pays for its own imports only

    found = {tenant: ask.of(tenant)("memory_tell_costs") for tenant in memories(ask.services)}
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=True))
        return
    if rows := [(tenant, *row) for tenant, costs in found.items() for row in _rows(costs)]:
        table(("TENANT", *_COLUMNS), rows)
    for tenant, costs in found.items():
        click.echo(f"{tenant}: {_sum(costs)}", err=True)


def _rows(costs: Mapping[str, Any]) -> Iterator[tuple[object, ...]]:
    """Yield a line for each tool that was called this month, and then those that were in the last day alone."""
    day = {line["tool"]: line["dollars"] for line in costs["last_day"]["by_tool"]}
    for line in costs["by_tool"]:
        yield (*_figures(line), f"{line['dollars']:.6f}", f"{day.pop(line['tool'], 0.0):.6f}")
    for tool, dollars in day.items():
        yield (tool, *[0] * 6, f"{0:.6f}", f"{dollars:.6f}")


def _figures(line: Mapping[str, Any]) -> Iterator[object]:
    yield from (line["tool"], line["calls"], line["counted"])
    yield from (f"{line[name]:g}" for name in ("read_units", "write_units"))
    yield from (line["blob_reads"], line["blob_writes"])


def _sum(costs: Mapping[str, Any]) -> str:
    """Return what all calls cost, and how much that is of the budget."""
    would = "would cost in AWS" if costs["own_machine"] else "cost"
    said = (
        f"{costs['calls']:,} calls from {when(costs['since'])} to {when(costs['until'])} {would}"
        f" ${costs['dollars']['total']:.6f}, of the last day ${costs['last_day']['dollars']['total']:.6f},"
        " without what is left out."
    )
    return said if costs["budget"] is None else f"{said} {_told(costs['budget'])}"


def _told(budget: dict[str, Any]) -> str:
    """Return what is said of a budget: how much of it is spent, and what comes of that."""
    said = f"That is {100 * budget['share']:.1f} % of the month's budget of ${budget['monthly_dollars']:g}"
    if budget["share"] >= 1:
        return (
            f"{said}: it is spent, and {'calls that write are refused' if budget['brake'] else 'nothing is refused'}."
        )
    return f"{said}: it is nearly spent." if budget["is_warned"] else f"{said}."
