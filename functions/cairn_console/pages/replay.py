"""Replay: why an agent was told what it was told."""

from __future__ import annotations

import json

from cairn_console.page import Shown, page
from cairn_console.visit import Visit


@page(title="Why", needs=("memory_replay",), of="calls", for_operators=True)
def replay(visit: Visit) -> Shown:
    """Show what a call asked of memory and was answered, by its receipt or its id."""
    receipt = visit.query.get("receipt", "").strip()
    if not receipt:
        visit.hold_to("memory_replay")
        return {"receipt": receipt, "found": None}
    found = visit.ask("memory_replay", receipt=receipt)
    went_by = {"read": found["positions"], "versions": found["versions"], "settings": found["settings"]}
    texts = {"asked": found["asked"], "answered": found["explained"], "went_by": went_by}
    return {"receipt": receipt, "found": found, **{name: _written(each) for name, each in texts.items()}}


def _written(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)
