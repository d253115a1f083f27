"""Dated list prices, and what is used at them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

LIST = Path(__file__).parent / "data/prices.json"

Use: TypeAlias = Mapping[str, float]
"""How much is used of what, by the names of prices."""


@dataclass(frozen=True, slots=True)
class Price:
    """US dollars for so many units, who says so, and when."""

    name: str
    dollars: float
    units: float
    unit: str
    source: str
    dated: str

    @property
    def each(self) -> float:
        """Return the price of one unit."""
        return self.dollars / self.units


PRICES = {each["name"]: Price(**each) for each in json.loads(LIST.read_text("utf-8"))["prices"]}


def dollars(use: Use) -> float:
    """Return what a use costs; KeyError for what has no price."""
    return sum(amount * PRICES[name].each for name, amount in use.items())


def together(*uses: Use) -> Use:
    """Return the sum of uses."""
    return {name: sum(use.get(name, 0) for use in uses) for name in dict.fromkeys(name for use in uses for name in use)}


def times(factor: float, use: Use) -> Use:
    """Return a multiple of a use."""
    return {name: factor * amount for name, amount in use.items()}
