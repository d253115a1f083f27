"""`cairn replay`: why an agent was told what it was told."""

from __future__ import annotations

import json
import sys
from typing import Any

import click

from cairn.local.asking import Ask, asking
from cairn.local.tables import plain, table, when


@click.command()
@click.argument("receipt", required=False)
@click.option("--session", help="List what was asked in this conversation, the newest first, each with its receipt.")
@click.option("--at", help="With --session: only what was asked until then, such as 2026-03-01T12:00:00Z.")
@click.option("--json", "as_json", is_flag=True, help="Print all that is known as one JSON object.")
@asking
def replay(ask: Ask, *, receipt: str | None, session: str | None, at: str | None, as_json: bool) -> None:
    """Show what was asked of memory and answered, by its RECEIPT, or list the receipts of a conversation.

    Memory is read as it was then. The id of the call will do too. The exit status is 1 where the answer is not known to
    be the same.
    """
    if (receipt is None) == (session is None) or (at is not None and session is None):
        raise click.UsageError("Name a RECEIPT, or a conversation with --session, and --at with that.")
    if receipt is None:
        found = ask("memory_list_receipts", session_id=session, until=at)
    else:
        found = ask("memory_replay", receipt=receipt)
    if as_json:
        click.echo(json.dumps(found, indent=2, ensure_ascii=True))
    elif receipt is None:
        rows = [[each["receipt"], when(each["at"]), each["turn_id"], each["words"]] for each in found["receipts"]]
        table(("RECEIPT", "ASKED AT", "TURN", "ASKED"), rows, wide="ASKED")
    else:
        _show(found)
    sys.exit(0 if receipt is None or found["identical"] else 1)


def _show(found: dict[str, Any]) -> None:
    about = ", ".join(found[name] for name in ("project", "session_id", "user_id") if found[name])
    click.echo(plain(f"{found['tool']} at {found['at']}, {about}"))
    if found["answer"] is not None:
        click.echo(f"Asked: {json.dumps(found['asked'], ensure_ascii=True)}")
        click.echo(f"Answered: {json.dumps(found['answer'], indent=2, ensure_ascii=True)}")
    rows = [(each["what"], when(each["at"]), each["id"] or "", each.get("by") or "") for each in found["since"]]
    if rows:
        table(("SINCE", "WHEN", "ID", "IN ITS PLACE"), rows)
    changes = [f"{name} was {each['then']}, is {each['now']}" for name, each in found["changed"].items()]
    if changes:
        click.echo(f"Changed since: {'; '.join(changes)}", err=True)
    click.echo(_verdict(found), err=True)


def _verdict(found: dict[str, Any]) -> str:
    if found["asked"] is None:
        return "What was asked is not there any more, or nothing was."
    if found["answer"] is None:
        return "The branch on which this was asked is not there any more, and its answer went with it."
    if found["cut"] and not found["identical"]:
        return "What was asked was too long to keep whole: this answers what memory was searched for."
    if found["identical"] is None:
        return "This is by the call's time: the whole receipt would prove it."
    return f"The answer is {'' if found['identical'] else 'not '}the one given then."
