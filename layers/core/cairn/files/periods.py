"""Name the file of the canonical layout for an event, a summary or a fact, by its UTC day, week or month."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal, TypeAlias

from cairn.facts.facts import Fact
from cairn.ground.tiers import Tier

EventKind: TypeAlias = Literal["raw", "archive", "compact"]
_NAMES: dict[EventKind, str] = {
    "raw": "log-{:%Y%m%d}.jsonl",
    "archive": "log-{:%Y%m%d}.jsonl.zst",
    "compact": "compact-{:%Y%m%d}.jsonl",
}


def events(kind: EventKind, at: datetime) -> str:
    """Return the file of what was said, archived or summed up on a day."""
    day = at.astimezone(UTC)
    return f"events/{kind}/{day:%Y/%m/%d}/{_NAMES[kind].format(day)}"


def facts(fact: Fact) -> str:
    """Return the file of the facts of a tier that were recorded in a month, on a day or in a week."""
    recorded = fact.recorded_at.astimezone(UTC)
    match fact.tier:
        case Tier.L0:
            return f"memory_tiers/L0/{recorded:%Y/%m}/facts-{recorded:%Y%m}.jsonl"
        case Tier.L1:
            return f"memory_tiers/L1/{recorded:%Y/%m}/facts-{recorded:%Y%m%d}.jsonl"
        case Tier.L2:
            year, week, _ = recorded.isocalendar()
            return f"memory_tiers/L2/{year}/{week:02d}/facts-{year}-W{week:02d}.jsonl"
