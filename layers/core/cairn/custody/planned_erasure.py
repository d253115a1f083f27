"""Plans to erase a user or a tenant. One that waits is taken back by not doing it; once it is done it is final."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from datetime import timedelta
from typing import Any

from cairn.custody.erase_tenant import ErasedTenant, EraseTenant
from cairn.custody.erase_user import ErasedUser, EraseUser
from cairn.custody.holdings import Holdings, count
from cairn.custody.scope import DataScope
from cairn.custody.tasks import TaskServices
from cairn.ground.errors import Conflict, ResourceBusy, Unavailable
from cairn.plans.model import Found, Plan


def plan_to_erase(scope: DataScope) -> Plan:
    """Return the draft of a plan to erase what is of the scope: a user, in a project or in all, or a whole tenant."""
    return Plan(tenant=scope.tenant, kind="erase", project=scope.project, user=scope.user)


class PlannedErasure:
    """Counts and erases as the command does; what comes until it is carried out is erased too."""

    def __init__(self, services: TaskServices) -> None:
        """Work with these parts."""
        self._services = services
        self._adapters = services.adapters

    def found(self, plan: Plan) -> Found:
        """Return what there is; CorruptData where that cannot be read, since something is damaged."""
        scope = _scope(plan)
        there = count(self._services, self._services.inventory, scope)
        place = "all projects" if scope.project is None else f"project {scope.project}"
        says = f"erase user {scope.user} in {place}" if scope.user else ""
        return Found(says=says, counts=_counts(there), exactly=there.digest(scope))

    def do(self, plan: Plan) -> Mapping[str, Any]:
        """Erase all of it and return how much that was; ResourceBusy where something is left, or still written."""
        scope, inventory = _scope(plan), self._services.inventory
        if scope.user is None:
            done = EraseTenant(self._adapters, inventory).run(scope.tenant)
        else:
            done = EraseUser(self._services, inventory, self._goes_on, self._pause).run(scope)
        if done.left:
            raise ResourceBusy(f"{done.left} items are left: something wrote meanwhile. Apply the plan again")
        return _counts(done)

    def undo(self, plan: Plan) -> None:
        """Refuse: what is erased is gone."""
        raise Conflict(f"What plan {plan.id} erased is gone for good")

    def _goes_on(self, _what: str, _done: int, _of: int) -> None:
        if self._adapters.is_ending():
            raise Unavailable("The process ends; another one goes on with the erasure")

    def _pause(self, length: timedelta) -> None:
        """Wait for so long, in whole seconds."""
        for _ in range(int(length.total_seconds())):
            self._goes_on("seconds of waiting", 0, 0)
            self._adapters.clock.sleep(1)


def _scope(plan: Plan) -> DataScope:
    return DataScope(plan.tenant, plan.project, plan.user)


def _counts(of: Holdings | ErasedTenant | ErasedUser) -> Mapping[str, int]:
    return {name: number for name, number in asdict(of).items() if number}
