"""List the API keys of the caller's tenant."""

from __future__ import annotations

from cairn.access.fields import KeyLine, KeyList, KeysInput
from cairn.tool.call import Call
from cairn.tool.tool import tool


class ListKeys(KeysInput):
    """Nothing."""


@tool(
    title="List API keys",
    example={},
    grants=("credentials:list",),
    read_only=True,
    for_operators=True,
)
def memory_list_keys(request: ListKeys, call: Call) -> KeyList:
    """Call to list the tenant's API keys, ended ones too: what each opens and until when, never the key itself."""
    del request
    now, caller = call.services.adapters.clock.now(), call.caller
    found = call.services.credentials.of_tenant(caller.tenant)
    return KeyList(keys=[KeyLine.of(each, now, caller.credential) for each in found])


handler = memory_list_keys.handler
