"""Facts, as memory believes them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from cairn.facts.facts import Fact, Source
from cairn.ground.tiers import Tier


def fact_of(name: str, at: datetime, **fields: Any) -> Fact:
    """Return the fact of this id, believed since a time and held for good, with these fields."""
    usual: dict[str, Any] = {
        "confidence": 0.9,
        "tier": Tier.L0,
        "source": Source(turn_id="t", event_id="e", quote="q"),
        "valid_from": at,
        "recorded_at": at,
        "last_seen": at,
    }
    return Fact(id=name, **usual | fields)
