"""Statement: how one thing came to be known, what it replaced and what replaced it."""

from __future__ import annotations

from cairn_console.page import Shown, page
from cairn_console.statement_acts import ASKED, STATEMENT_ACTS
from cairn_console.visit import Visit


@page(title="History", needs=("memory_list_changes",), asks=ASKED, acts=STATEMENT_ACTS, of="people")
def statement(visit: Visit) -> Shown:
    """Show the history of one thing that is or was known, the newest first."""
    found = visit.ask("memory_list_changes", **visit.place(), memory_id=visit.wanted("id"), limit=100)
    return {"changes": found["changes"]}
