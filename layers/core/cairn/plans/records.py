"""The records of plans: each is changed under a condition, so that of two runs of one plan only one goes on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cairn.ground.adapters import Adapters
from cairn.ground.attributes import number
from cairn.ground.codec import rfc3339
from cairn.ground.damage import sound
from cairn.ground.errors import ConditionFailed, Conflict, NotFound
from cairn.ground.ids import Tenant, time_ordered_id
from cairn.ground.paging import every
from cairn.ground.table import ABSENT, Attributes, Delete, Key, Put, Query, tenant_of
from cairn.plans import layout
from cairn.plans.lines import PlanLines
from cairn.plans.model import Plan
from cairn.vault.vault import Vault, blob_of

_RANDOM_BYTES = 10


class PlanRecords:
    """Reads and changes the plans of tenants."""

    def __init__(self, adapters: Adapters, vault: Vault) -> None:
        """Hold no state of its own."""
        self._adapters = adapters
        self._vault = vault
        self.lines = PlanLines(adapters, vault)

    def new(self, plan: Plan) -> tuple[Plan, Put]:
        """Return a plan under an id of its own, and the write that stores it."""
        now = self._adapters.clock.now()
        named = replace(plan, id=time_ordered_id(now, self._adapters.entropy.token(_RANDOM_BYTES)))
        return named, Put(self._item(named), ABSENT)

    def every(self, tenant: Tenant) -> Iterator[Plan]:
        """Yield the tenant's plans, the newest first."""
        now = int(self._adapters.clock.now().timestamp())
        items = every(self._adapters.table, Query(layout.plans_pk(tenant), *layout.all_plans(), descending=True))
        there = (each for each in items if number(each, "expires_at", now + 1) > now)
        yield from sound(self._adapters, there, self._plan)

    def get(self, tenant: Tenant, plan_id: str) -> Plan:
        """Return a plan; NotFound where the tenant has no such."""
        item = self._adapters.table.get(Key(layout.plans_pk(tenant), layout.plan_sk(plan_id)))
        now = int(self._adapters.clock.now().timestamp())
        if item is None or number(item, "expires_at", now + 1) <= now:
            raise NotFound("There is no such plan")
        return self._plan(item)

    def due(self) -> list[Plan]:
        """Return the plans of every tenant that waited long enough, the first of them first."""
        now = rfc3339(self._adapters.clock.now())
        listed = every(self._adapters.table, Query(layout.waiting_pk(), "0", now, index=True))
        found = (self._adapters.table.get(Key.of(item)) for item in listed)
        plans = sound(self._adapters, (item for item in found if item is not None), self._plan)
        return [plan for plan in plans if plan.state in {"waiting", "applying"}]

    def change(self, plan: Plan, **changes: Any) -> Plan:
        """Store a plan's next state and return it; Conflict where it is another by now."""
        item = self._item(changed := replace(plan, version=plan.version + 1, **changes))
        try:
            self._adapters.table.put(Put(item, plan.unchanged))
        except ConditionFailed as failed:
            if failed.item != item:  # whose acknowledgement was lost
                raise Conflict("The plan was changed meanwhile; look at it again") from failed
        if plan.blob is not None:
            self._adapters.blobs.delete(plan.tenant, plan.blob)
        return replace(changed, blob=blob_of(item))

    def remove(self, plan: Plan) -> None:
        """Remove a plan, with what it lists."""
        self.lines.remove(plan)
        if plan.blob is not None:
            self._adapters.blobs.delete(plan.tenant, plan.blob)
        self._adapters.table.delete(Delete(plan.key))

    def _plan(self, item: Attributes) -> Plan:
        told: dict[str, Any] = self._vault.unseal(tenant_of(Key.of(item).pk), item) if "kid" in item else {}
        return replace(Plan.of_item(item, told), blob=blob_of(item))

    def _item(self, plan: Plan) -> Attributes:
        content = plan.content()
        sealed = self._vault.seal(plan.tenant, plan.key, content) if content else {}
        return {"pk": plan.key.pk, "sk": plan.key.sk, **plan.attributes(self._adapters.clock.now()), **sealed}
