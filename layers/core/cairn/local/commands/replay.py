"""`cairn replay`: why an agent was told what it was told."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from cairn.local.asking import Ask, asking
from cairn.local.tables import plain, table, when


@click.command()
@click.argument("receipt")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known as one JSON object.")
@asking
def replay(ask: Ask, *, receipt: str, as_json: bool) -> None:
    """Show what was asked of memory and answered, by its RECEIPT.

    Memory is read as it was then. The id of the call will do too, and proves nothing. The exit status is 1 where the
    answer is not known to be the same.
    """
    found = ask("memory_replay", receipt=receipt)
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=True))
    else:
        _show(found)
    sys.exit(0 if found["identical"] else 1)


def _show(found: dict[str, Any]) -> None:
    about = ", ".join(found[name] for name in ("project", "session_id", "user_id") if found[name])
    click.echo(plain(f"{found['tool']} at {found['at']}, {about}"))
    if found["answer"] is not None:
        click.echo(f"Asked: {json.dumps(found['asked'], ensure_ascii=True)}")
        click.echo(f"Answered: {json.dumps(found['answer'], indent=2, ensure_ascii=True)}")
    rows = [(each["what"], when(each["at"]), each["id"] or "", each.get("by") or "") for each in found["since"]]
    if rows:
        table(("SINCE", "WHEN", "ID", "IN ITS PLACE"), rows)
    if found["changed"]:
        click.echo(f"Changed since: {', '.join(found['changed'])}", err=True)
    click.echo(_verdict(found), err=True)


def _verdict(found: dict[str, Any]) -> str:
    if found["answer"] is None:
        return "What was asked is not there any more, or was too long to keep."
    if found["identical"] is None:
        return "This is by the call's time: the whole receipt would prove it."
    return f"The answer is {'' if found['identical'] else 'not '}the one given then."
