"""Estimate what it costs to archive bytes."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from cairn.archive import cost as storage_cost
from cairn.archive.cost import MAX_BYTES, MAX_REDUNDANCY
from cairn.tool.call import Call
from cairn.tool.tool import tool


class EstimateCost(BaseModel):
    """What to keep."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    bytes: Annotated[int, Field(ge=0, le=MAX_BYTES, description="How many bytes.")]
    redundancy: Annotated[int, Field(ge=1, le=MAX_REDUNDANCY, description="How many copies of them.")] = 3


class Cost(BaseModel):
    """US dollars."""

    monthly_storage_usd: Annotated[float, Field(description="Storage, for a month.")]
    request_usd: Annotated[float, Field(description="The requests that store it, once.")]
    total_usd: Annotated[float, Field(description="The first month.")]


class Estimate(BaseModel):
    """The cost, and how far it can be trusted."""

    cost: Cost
    disclaimer: Annotated[str, Field(description="What the estimate is not.")]
    assumptions: Annotated[list[str], Field(description="What it takes for granted: prices, their dates and sources.")]


EXAMPLE = {"bytes": 1_000_000_000, "redundancy": 1}


@tool(title="Estimate storage cost", example=EXAMPLE, grants=(), read_only=True)
def estimate_storage_cost(request: EstimateCost, call: Call) -> Estimate:  # noqa: ARG001 - every tool's signature
    """Call before archiving much: estimates the cost of storing bytes from dated list prices; nothing is looked up."""
    cost = storage_cost.estimate(request.bytes, request.redundancy)
    return Estimate(
        cost=Cost(monthly_storage_usd=cost.monthly_storage_usd, request_usd=cost.request_usd, total_usd=cost.total_usd),
        disclaimer=storage_cost.DISCLAIMER,
        assumptions=list(storage_cost.assumptions()),
    )


handler = estimate_storage_cost.handler
