"""AWS's list prices in us-east-1, each with where it was read and when; none is asked for at run time."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Final


@dataclass(frozen=True, slots=True)
class Price:
    """A price in US dollars for a number of units, with its source."""

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


STORAGE: Final = Price(
    Decimal("0.023"),
    1,
    "GB-month of S3 Standard",
    "cloudburn (2026-03-13) and usage.ai (2026-06), from AWS's price list",
)
PUT: Final = Price(Decimal("0.005"), 1_000, "S3 PUT requests", "public repositories, undated, from AWS's price list")
GET: Final = Price(Decimal("0.0004"), 1_000, "S3 GET requests", "public repositories, undated, from AWS's price list")
WRITE_UNIT: Final = Price(
    Decimal("0.625"), 1_000_000, "DynamoDB write units on demand", "airbyte (2025-07-21), from AWS's price list"
)
READ_UNIT: Final = Price(
    Decimal("0.125"), 1_000_000, "DynamoDB read units on demand", "airbyte (2025-07-21), from AWS's price list"
)
READ_CAPACITY: Final = Price(Decimal("0.00013"), 1, "hour of a provisioned read unit a second", "calcbee.com, undated")
WRITE_CAPACITY: Final = Price(
    Decimal("0.00065"), 1, "hour of a provisioned write unit a second", "calcbee.com, undated"
)
GATEWAY_REQUEST: Final = Price(
    Decimal("1.00"),
    1_000_000,
    "requests of an HTTP API, each 512 KB begun",
    "awsforengineers (2025-05-19) and go-cloud.io (2026)",
)
LAMBDA_REQUEST: Final = Price(
    Decimal("0.20"), 1_000_000, "Lambda requests", "cloudchipr.com, undated; AWS's page on its free tier (2026-09-20)"
)
