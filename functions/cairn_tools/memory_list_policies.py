"""List the policies for key-value memory and context, and the keys that each holds for."""

from __future__ import annotations

from cairn.access.fields import KeysInput, PolicyLine, PolicyList
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListPolicies(KeysInput):
    """Nothing."""


@tool(
    title="List policies",
    example={},
    grants=("credentials:list", "policy:read"),
    read_only=True,
    for_operators=True,
)
def memory_list_policies(request: ListPolicies, call: Call) -> PolicyList:
    """Call to list the policies: what tools may do with key-value memory and context, and the tenant's keys under each.

    The document with the policies is the deployment's and no tenant's: only `cairn policy set` sets it, or its file.
    """
    from cairn.access.own_policies import held_to  # noqa: PLC0415 - loaded when it is first called

    del request
    services = call.services
    policies, now = services.policies.in_force(), services.adapters.clock.now()
    keys = services.credentials.of_tenant(call.caller.tenant)
    found = held_to(policies, [each for each in keys if each.is_open(now)])
    return PolicyList(policies=[PolicyLine.of(name, policies, list(keys)) for name, keys in found.items()])


handler = memory_list_policies.handler
