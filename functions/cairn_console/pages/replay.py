"""Replay: why an agent was told what it was told."""

from __future__ import annotations

import json
from typing import Any

from cairn_console.page import Shown, page
from cairn_console.visit import Visit


@page(title="Why", needs=("memory_replay", "memory_list_receipts"), of="calls", for_operators=True)
def replay(visit: Visit) -> Shown:
    """Show what a call asked of memory and was answered, or list the receipts of a conversation."""
    receipt, session = visit.query.get("receipt", "").strip(), visit.query.get("session", "").strip()
    if receipt:
        return {"receipt": receipt, "session": session, "receipts": [], **_again(visit, receipt)}
    if not session:
        visit.hold_to("memory_replay")
        return {"receipt": "", "session": "", "receipts": [], "found": None}
    where = {"project": visit.place()["project"], "session_id": session}
    asked = visit.ask("memory_list_receipts", **where, until=visit.query.get("at"), cursor=visit.query.get("cursor"))
    return {"receipt": "", "session": session, **asked, "found": None}


def _again(visit: Visit, receipt: str) -> dict[str, Any]:
    found = visit.ask("memory_replay", receipt=receipt)
    went_by = {"read": found["positions"], "versions": found["versions"], "settings": found["settings"]}
    texts = {"asked": found["asked"], "answered": found["explained"], "went_by": went_by}
    return {"found": found, **{name: _written(each) for name, each in texts.items()}}


def _written(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
