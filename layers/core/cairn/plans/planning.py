"""Plan, apply, undo: what every kind of plan goes through, in steps that can be gone on with wherever one stopped.

A state that begins something is stored before the first change, and one that ends it after the last. Between the two
the kind's own verbs do the work, each of which may be done again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import partial
from typing import Any, Protocol

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict, NotFound
from cairn.ground.ids import Tenant
from cairn.plans.model import UNDO, Found, Plan, PlanKind
from cairn.plans.records import PlanRecords
from cairn.vault.vault import Vault


class Kind(Protocol):
    """What is particular to plans of one kind; `do` and `undo` may be called again where they were stopped.

    Both raise Conflict only before they change anything.
    """

    def found(self, plan: Plan) -> Found:
        """Return what the plan would change now."""
        ...

    def do(self, plan: Plan) -> Mapping[str, Any]:
        """Do it, and return what is to be known to take it back."""
        ...

    def undo(self, plan: Plan) -> Mapping[str, int] | None:
        """Take it back, and return how much that was where not all of it is; Conflict where something builds on it."""
        ...


@dataclass(frozen=True, slots=True)
class Made:
    """A plan that was just made; `at_once` does it as it was found then, an erasure after a grace time, and returns it.

    Nobody has looked at it meanwhile, and so it is not looked for again.
    """

    plan: Plan
    at_once: Callable[..., Plan]


class Plans:
    """Makes plans, applies them and takes them back."""

    def __init__(self, adapters: Adapters, vault: Vault, kinds: Mapping[PlanKind, Callable[[], Kind]]) -> None:
        """Know these kinds of plans."""
        self._adapters = adapters
        self._kinds = kinds
        self.records = PlanRecords(adapters, vault)

    def plan(self, draft: Plan) -> Plan:
        """Store a plan of what the draft asks for, as it is found now, and return it."""
        return self.make(draft).plan

    def make(self, draft: Plan) -> Made:
        """Store a plan as plan() does, and return it with what does it at once."""
        kind = self._kinds[draft.kind]()
        found = kind.found(draft)
        told = replace(draft, says=found.says, counts=found.counts, digest=found.digest, before=found.before)
        plan, write = self.records.new(told)
        self._adapters.table.put(write)
        return Made(plan, partial(self._begin, plan, kind))

    def apply(self, tenant: Tenant, plan_id: str, grace: timedelta = timedelta(0)) -> Plan:
        """Do exactly what was planned and return the plan; an erasure waits for the grace time. Again it does nothing.

        Conflict where the plan would change something else by now, or another run of it goes on.
        """
        plan, now = self.records.get(tenant, plan_id), self._adapters.clock.now()
        kind = self._kinds[plan.kind]()
        if plan.state == "planned":
            if kind.found(plan).digest != plan.digest:
                raise Conflict("What this plan would change is another by now: plan again, and look at that")
            return self._begin(plan, kind, grace)
        if plan.state == "applying" or (plan.state == "waiting" and plan.erases(now, grace)):
            # From now on a run that began before does nothing.
            return self._carry_out(self.records.change(plan, state="applying"), kind)
        return plan

    def undo(self, tenant: Tenant, plan_id: str) -> Plan:
        """Take back what was applied, or what waits, and return the plan; again it does nothing.

        Conflict where the plan was not applied, its grace time is over, or something was built on it since.
        """
        plan = self.records.get(tenant, plan_id)
        if plan.state == "undone":
            return plan
        if not plan.can_be_undone(self._adapters.clock.now()):
            raise Conflict(_WHY_NOT.get(plan.state, "The grace time of this plan is over: what it did is final"))
        if plan.state == "waiting":
            return self.records.change(plan, state="undone")
        was = plan.state
        plan = self.records.change(plan, state="undoing")
        try:
            told = self._kinds[plan.kind]().undo(plan)
        except Conflict:
            self.records.change(plan, state="applied" if was == "undoing" else was)
            raise
        return self.records.change(plan, state="undone", counts={**plan.counts, **(told or {})})

    def _begin(self, plan: Plan, kind: Kind, grace: timedelta = timedelta(0)) -> Plan:
        now = self._adapters.clock.now()
        if plan.kind == "erase" and not plan.erases(now, grace):
            return self.records.change(plan, state="waiting", until=now + grace)
        return self._carry_out(self.records.change(plan, state="applying", until=None), kind)

    def _carry_out(self, plan: Plan, kind: Kind) -> Plan:
        try:
            done = kind.do(plan)
        except Conflict:
            self.records.change(plan, state="planned")
            raise
        if plan.kind != "erase":
            return self.records.change(plan, state="applied", done=done, until=self._adapters.clock.now() + UNDO)
        # It names nobody any more; with a tenant it is gone itself.
        try:
            return self.records.change(plan, state="final", project=None, user=None, counts=done)
        except Conflict:
            if self._goes_on(plan):  # and erases what comes now too
                raise
            return replace(plan, state="final", counts=done)

    def _goes_on(self, plan: Plan) -> bool:
        """Tell whether another run of a plan does what it says still."""
        with suppress(NotFound):
            return self.records.get(plan.tenant, plan.id).state == "applying"
        return False


_WHY_NOT = {
    "planned": "This plan was not applied: there is nothing to take back",
    "applying": "This plan was stopped as it was applied: apply it to its end first",
}
