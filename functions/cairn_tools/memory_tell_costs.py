"""Tell what a tenant's calls cost so far this month, counted in units and requests."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict

from cairn.calls.fields import Costs
from cairn.tool.call import Call
from cairn.tool.tool import tool


class TellCosts(BaseModel):
    """Nothing."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


@tool(
    title="Tell costs",
    example={},
    grants=("audit:read",),
    read_only=True,
    for_operators=True,
)
def memory_tell_costs(request: TellCosts, call: Call) -> Costs:
    """Call to see what the tenant's calls cost this month and in the last day, counted in units and requests, by tool.

    A call's record is written before its units are known, so that the next one tells them: the sums lack what a process
    had not told when it ended, such as its last call, and count in the month in which they are told. `counted` says of
    how many calls they are. Where an answer of the store was lost, a few may be told twice.
    """
    del request
    services, tenant = call.services, call.caller.tenant
    bill, day = services.billing.bill(tenant), services.billing.last_day(tenant)
    return Costs.of(bill, day, services.settings.budget_for(tenant), own_machine=services.adapters.own_disk)


handler = memory_tell_costs.handler
