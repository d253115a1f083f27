"""Plans among all that a tenant has: sealed, checked, and gone with the user whom they may tell of."""

from __future__ import annotations

import pytest

from cairn.custody.check import Check
from cairn.custody.data_keys import DataKeys
from cairn.ground.errors import NotFound
from cairn.ground.table import Put
from cairn.plans.model import Plan
from support.custody import ACME, ADA, BOB, GARDEN, Household, erase
from support.plans import desk, forgetting, live

pytestmark = pytest.mark.req("R306")


def test_what_a_plan_names_is_sealed_and_checked_and_moves_to_a_new_key(house: Household) -> None:
    live(house)
    plan = desk(house).plans.plan(forgetting("Peas")(house))
    services = desk(house)
    assert b"Peas climb." not in house.raw()
    assert Check(services, house.inventory, services.audit).run(ACME).findings == []
    DataKeys(house.adapters, house.inventory).rotate(ACME)
    house.later(minutes=10)
    DataKeys(house.adapters, house.inventory).rewrap(ACME)
    assert desk(house).plans.records.get(ACME, plan.id) == plan

    item = house.adapters.table.get(plan.key)
    house.adapters.table.put(Put({**(item or {}), "state": "odd"}))

    (found,) = Check(services, house.inventory, services.audit).run(ACME).findings
    assert "plans plan#" in found.where
    assert list(desk(house).plans.records.every(ACME)) == []


def test_plans_that_may_tell_of_an_erased_user_are_gone_and_others_stay(house: Household) -> None:
    live(house)
    plans = desk(house).plans
    of_ada = plans.plan(forgetting("Peas")(house))
    kept = list[str]()
    for draft in (
        Plan(tenant=ACME, kind="forget", project=GARDEN, user=BOB),
        Plan(tenant=ACME, kind="key", says="revoke k1"),
    ):
        plan, write = plans.records.new(draft)
        house.adapters.table.put(write)
        kept.append(plan.id)

    erase(house, ADA)

    assert {each.id for each in desk(house).plans.records.every(ACME)} == set(kept)
    with pytest.raises(NotFound):
        plans.records.get(ACME, of_ada.id)
