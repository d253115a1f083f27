"""What every plan goes through, whatever its kind: begun it is gone on with, whatever was found or is over since."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from cairn.ground.errors import Conflict
from cairn.plans.model import UNDO, Found, Plan
from cairn.plans.planning import Plans
from cairn.vault.vault import Vault
from support.custody import ACME, Household
from support.faults import Stopped

pytestmark = pytest.mark.req("R306")


class Switch:
    """A kind of plan that turns something on; its process may be killed at that."""

    def __init__(self) -> None:
        self.is_on = False
        self.kills = False
        self.seen = 0
        self.looks = 0

    def found(self, plan: Plan) -> Found:
        self.looks += 1
        return Found(says="turn it on", counts={"switches": 1}, exactly=[plan.kind, self.seen])

    def do(self, plan: Plan) -> Mapping[str, Any]:
        self._turn(on=plan.state == "applying")
        return {}

    def undo(self, plan: Plan) -> None:
        self._turn(on=plan.state != "undoing")

    def _turn(self, *, on: bool) -> None:
        self.is_on = on
        if self.kills:
            raise Stopped


def test_what_was_begun_is_gone_on_with_and_not_refused(house: Household) -> None:
    switch = Switch()
    plans = Plans(house.adapters, Vault(house.adapters), {"key": lambda: switch})
    plan = plans.plan(Plan(tenant=ACME, kind="key"))
    switch.kills = True
    with pytest.raises(Stopped):
        plans.apply(ACME, plan.id)
    switch.kills, switch.seen = False, 1
    with pytest.raises(Conflict, match="apply it to its end"):
        plans.undo(ACME, plan.id)

    assert (plans.apply(ACME, plan.id).state, switch.is_on) == ("applied", True)

    switch.kills = True
    with pytest.raises(Stopped):
        plans.undo(ACME, plan.id)
    switch.kills = False
    house.later(seconds=UNDO.total_seconds() + 1)
    assert plans.apply(ACME, plan.id).state == "undoing"

    assert (plans.undo(ACME, plan.id).state, switch.is_on) == ("undone", False)


def test_what_is_done_as_it_is_planned_is_looked_for_once(house: Household) -> None:
    switch = Switch()
    plans = Plans(house.adapters, Vault(house.adapters), {"key": lambda: switch})

    done = plans.make(Plan(tenant=ACME, kind="key")).at_once()

    assert (done.state, switch.is_on, switch.looks) == ("applied", True, 1)
    assert plans.records.get(ACME, done.id) == done
    plan = plans.plan(Plan(tenant=ACME, kind="key"))
    assert (plans.apply(ACME, plan.id).state, switch.looks) == ("applied", 3)
