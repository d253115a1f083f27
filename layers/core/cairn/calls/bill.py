"""What calls cost at AWS's list prices, from what they used."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Final

from cairn.calls.told_units import Use
from cairn.ground.prices import (
    GATEWAY_REQUEST,
    GET,
    LAMBDA_REQUEST,
    PUT,
    READ_CAPACITY,
    READ_UNIT,
    WRITE_CAPACITY,
    WRITE_UNIT,
)
from cairn.ground.settings import BudgetSettings

PRICES: Final = (READ_UNIT, WRITE_UNIT, GET, PUT, GATEWAY_REQUEST, LAMBDA_REQUEST, READ_CAPACITY, WRITE_CAPACITY)
_AN_HOUR: Final = 3600
LAMBDAS_OF_A_CALL: Final = 2
"""The authorizer's, and the tool's or that of MCP."""
_PLACES: Final = Decimal("1e-9")


@dataclass(frozen=True, slots=True)
class Dollars:
    """US dollars by what they are for; S3 deletes for nothing."""

    table_reads: Decimal
    table_writes: Decimal
    blob_reads: Decimal
    blob_writes: Decimal
    requests: Decimal

    @classmethod
    def of(cls, use: Use) -> Dollars:
        """Return the price of what was used: of units those that are known, of requests those of all calls."""
        units = use.units
        return cls(
            table_reads=Decimal(str(units.read_units)) * READ_UNIT.each,
            table_writes=Decimal(str(units.write_units)) * WRITE_UNIT.each,
            blob_reads=units.blob_reads * GET.each,
            blob_writes=units.blob_writes * PUT.each,
            requests=use.calls * (GATEWAY_REQUEST.each + LAMBDAS_OF_A_CALL * LAMBDA_REQUEST.each),
        )

    @property
    def total(self) -> Decimal:
        """Return their sum."""
        return self.table_reads + self.table_writes + self.blob_reads + self.blob_writes + self.requests

    def by_part(self) -> Mapping[str, Decimal]:
        """Return each part by its name, and their sum."""
        return {**{each.name: getattr(self, each.name) for each in fields(self)}, "total": self.total}


def share_of(dollars: Decimal, budget: BudgetSettings) -> float:
    """Return what share of a budget so much is, none where there is no budget."""
    return float(dollars / Decimal(str(budget.monthly_dollars))) if budget.monthly_dollars else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Bill:
    """What a tenant's calls of a month used, from when to when; not `whole` where newer records were left unread."""

    month: str
    since: datetime
    until: datetime
    by_tool: Mapping[str, Use]
    whole: bool

    @property
    def use(self) -> Use:
        """Return what all of them used."""
        total = Use()
        for use in self.by_tool.values():
            total = total.plus(use)
        return total

    def dollars(self) -> Mapping[str, float]:
        """Return what that costs, by part and in total, in US dollars."""
        return {name: shown(each) for name, each in Dollars.of(self.use).by_part().items()}

    def share_of(self, budget: BudgetSettings) -> float:
        """Return what share of a budget that is."""
        return share_of(Dollars.of(self.use).total, budget)

    def provisioned(self) -> Mapping[str, float]:
        """Return what the same units would cost if the table had capacity for exactly their average, always in use.

        And what that average is, a second, and from which share of use on provisioned capacity costs less.
        """
        units, seconds = self.use.units, max(1.0, (self.until - self.since).total_seconds())
        reads, writes = (Decimal(str(each)) / _AN_HOUR for each in (units.read_units, units.write_units))
        cost, parts = reads * READ_CAPACITY.each + writes * WRITE_CAPACITY.each, Dollars.of(self.use)
        on_demand = parts.table_reads + parts.table_writes
        return {
            "read_units_per_second": round(units.read_units / seconds, 6),
            "write_units_per_second": round(units.write_units / seconds, 6),
            "dollars": shown(cost),
            "cheaper_from_share": round(float(cost / on_demand), 4) if on_demand else 0.0,
        }

    def dearest_first(self) -> Sequence[tuple[str, Use, float]]:
        """Return what each tool's calls used and cost."""
        lines = [(tool, use, Dollars.of(use).total) for tool, use in self.by_tool.items()]
        lines.sort(key=lambda line: (-line[2], line[0]))
        return [(tool, use, shown(dollars)) for tool, use, dollars in lines]

    @staticmethod
    def prices() -> Iterator[str]:
        """Yield each price with its source."""
        return (f"{price} ({price.source})" for price in PRICES)

    def left_out(self) -> Iterator[str]:
        """Yield what the sums do not have, each in words."""
        if not self.whole:
            yield "Calls that are newer than `until`: their records are not sealed yet, and asking again reads on."
        yield (
            f"Units that were not told: these are of {self.use.units.calls:,} calls and jobs. A process tells them in "
            "a later record, and what it had not told when it ended it tells no more."
        )
        yield "Lambda's compute time: how long a call took that succeeded is not on record."
        yield "Of background jobs, the requests of Lambda and SQS. Of a pipe each step counts as a request of its own."
        yield "What is no tenant's: the authorizer's reads of credentials, the policy document, lists of what is due."
        yield "Operators' commands, language models and embedders."
        yield "Storage, backups, encryption keys, logs, metrics, traces, data transfer and taxes."
        yield "Free tiers and discounts, which are not taken off."


def shown(dollars: Decimal) -> float:
    """Return dollars to the billionth."""
    return float(dollars.quantize(_PLACES))
