"""A process asks the key ring once for a tenant's data key, whichever tools the tenant calls."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import nullcontext, suppress
from dataclasses import replace

import pytest

from cairn.access.callers import Caller
from cairn.access.layout import POLICIES
from cairn.access.policy_store import PolicyStore
from cairn.ground.adapters import Adapters
from cairn.ground.errors import NotFound
from cairn.ground.ids import Tenant
from cairn.ground.ports import KeyRing
from cairn.ground.settings import EnrichmentSettings
from cairn.settings.settings import Settings
from cairn.tool.call import Call
from cairn.vault.data_key import DataKey
from support.services import services_over
from support.tool import ABSENT, FOR_AGENTS

RULES = {"allowed_namespaces": ["session.*"], "operations": ["read", "write"]}
HEALTH = Tenant("healthz")
"""For whom the health of the key ring is probed, once in a while."""
POLICY = {"tool_permissions": dict.fromkeys(("listMemory", "getMemory", "putMemory", "deleteMemory"), RULES)}


class CountedKeyRing:
    """A key ring that counts what it is asked, by tenant."""

    def __init__(self, keys: KeyRing) -> None:
        self._keys = keys
        self.asked = Counter[Tenant]()

    def generate(self, tenant: Tenant) -> DataKey:
        self.asked[tenant] += 1
        return self._keys.generate(tenant)

    def unwrap(self, tenant: Tenant, wrapped: bytes) -> bytes:
        self.asked[tenant] += 1
        return self._keys.unwrap(tenant, wrapped)


def asked_by_every_tool(settings: Settings, adapters: Adapters, caller: Caller) -> Counter[Tenant]:
    """Return what a new process asks the key ring when each tool is called twice."""
    keys = CountedKeyRing(adapters.keys)
    services = services_over(replace(adapters, keys=keys), settings)
    for tool in FOR_AGENTS * 2:
        with suppress(NotFound) if tool.name in ABSENT else nullcontext():
            tool.execute(dict(tool.example), Call(caller, services))
    return keys.asked


@pytest.mark.slow
@pytest.mark.parametrize("process", ["makes the key", "finds the key"])
def test_tools_of_every_family_share_one_data_key(
    process: str, settings: Settings, adapters: Adapters, caller: Caller
) -> None:
    enriched = replace(settings, enrichment=EnrichmentSettings(enabled=True))
    PolicyStore(adapters).write(json.dumps(POLICY))
    if process == "finds the key":
        asked_by_every_tool(enriched, adapters, caller)

    assert asked_by_every_tool(enriched, adapters, caller) == {caller.tenant: 1, POLICIES: 1, HEALTH: 1}
