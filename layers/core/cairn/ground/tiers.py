"""Decide how long a fact lives: durable, daily or weekly."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from enum import StrEnum


class Tier(StrEnum):
    """L0 is durable, L1 lives for days, L2 for a week or so."""

    L0 = "L0"
    L1 = "L1"
    L2 = "L2"


def expires_at(tier: Tier, recorded_at: datetime, l1_days: int, l2_days: int) -> datetime | None:
    """Return 00:00 UTC after the tier's full days, counted from the day after `recorded_at`; None for L0.

    What is recorded at 23:59 lives as many full days as what is recorded at 00:00.
    """
    if tier is Tier.L0:
        return None
    days = l1_days if tier is Tier.L1 else l2_days
    recorded_day = recorded_at.astimezone(UTC).date()
    return datetime.combine(recorded_day + timedelta(days=days + 1), time(), UTC)
