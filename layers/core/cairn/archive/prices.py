"""List prices of what the archive uses, in US dollars, us-east-1: as published, where they were read, and when."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

CHECKED = "2026-06"
"""The month of the newest source; no price is asked for at run time."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for a number of units, and who says so."""

    dollars: Decimal
    units: int
    unit: str
    source: str

    @property
    def each(self) -> Decimal:
        """Return the price of one unit."""
        return self.dollars / self.units

    def __str__(self) -> str:
        """Say the price as a list of prices does."""
        units = "" if self.units == 1 else f"{self.units:,} "
        return f"${self.dollars} per {units}{self.unit}"


STORAGE = Price(
    Decimal("0.023"),
    1,
    "GB-month of S3 Standard",
    "cloudburn (2026-03-13) and usage.ai (2026-06), from AWS's price list",
)
PUT = Price(Decimal("0.005"), 1_000, "S3 PUT requests", "public repositories, undated, from AWS's price list")
WRITE_UNIT = Price(
    Decimal("0.625"), 1_000_000, "DynamoDB write units on demand", "airbyte (2025-07-21), from AWS's price list"
)
