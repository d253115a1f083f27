"""Estimate from list prices what it costs to keep bytes in the archive, and state the assumptions."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from cairn.ground.prices import PUT, STORAGE, WRITE_UNIT

CHECKED = "2026-06"
"""The month of the newest source; no price is asked for at run time."""
MAX_BYTES = 2**63 - 1
MAX_REDUNDANCY = 10
INDEX_WRITE_UNITS = 6
"""An entry, its place by time and by session: three items in a transaction, which counts twice."""
_GB = 2**30
_PLACES = Decimal("1e-12")
DISCLAIMER = (
    "An estimate from published list prices, not a quote: no provider was asked, and taxes, transfer, reads, "
    "encryption keys, free tiers and discounts are left out."
)


@dataclass(frozen=True, slots=True)
class StorageCost:
    """Costs in US dollars: storage for a month, the requests that store it once, and their sum."""

    monthly_storage_usd: float
    request_usd: float

    @property
    def total_usd(self) -> float:
        """Return what the first month costs."""
        return self.monthly_storage_usd + self.request_usd


def estimate(size: int, redundancy: int) -> StorageCost:
    """Return the cost of 0..MAX_BYTES bytes in 1..MAX_REDUNDANCY copies; more never costs less."""
    storage = Decimal(size) / _GB * STORAGE.each * redundancy
    requests = PUT.each * redundancy + WRITE_UNIT.each * INDEX_WRITE_UNITS
    return StorageCost(float(storage.quantize(_PLACES)), float(requests.quantize(_PLACES)))


def assumptions() -> tuple[str, ...]:
    """Return what the estimate takes for granted, each in a sentence."""
    return (
        f"List prices of us-east-1, last checked {CHECKED}: {STORAGE}, {PUT}, {WRITE_UNIT}.",
        f"Sources: {'; '.join(price.source for price in (STORAGE, PUT, WRITE_UNIT))}.",
        "A GB is 2**30 bytes, a month is a whole one.",
        "Each copy is one object and one request. S3 keeps an object in three zones or more at this price.",
        "Cairn stores one copy, which is redundancy 1.",
        f"One session, indexed once with no tags: {INDEX_WRITE_UNITS} write units.",
    )
