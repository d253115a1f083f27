"""Records of plans: of two runs one goes on, a lost acknowledgement is no lost race, and nothing large stays behind."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cairn.ground.errors import ConditionFailed, Conflict, NotFound
from cairn.ground.table import Key, Put
from cairn.plans.model import KEPT, Plan
from cairn.plans.records import PlanRecords
from cairn.vault.vault import Vault
from support.custody import ACME, LARGE, Household

pytestmark = pytest.mark.req("R306")
DRAFT = Plan(tenant=ACME, kind="key", says="revoke k1", counts={"keys": 1}, digest="0" * 16)


def stored(records: PlanRecords, house: Household, draft: Plan = DRAFT) -> Plan:
    plan, write = records.new(draft)
    house.adapters.table.put(write)
    return records.get(ACME, plan.id)


@pytest.fixture
def records(house: Household) -> PlanRecords:
    return PlanRecords(house.adapters, Vault(house.adapters))


def test_of_two_who_go_on_from_one_state_the_second_is_refused(house: Household, records: PlanRecords) -> None:
    plan = stored(records, house)
    records.change(plan, state="applying")

    with pytest.raises(Conflict):
        records.change(plan, state="applying")


def test_a_change_whose_acknowledgement_was_lost_is_no_race(house: Household, records: PlanRecords) -> None:
    class Again:
        """A table that sends a write again, since it heard nothing."""

        def put(self, write: Put) -> None:
            house.adapters.table.put(write)
            house.adapters.table.put(write)

        def get(self, key: Key) -> Any:
            return house.adapters.table.get(key)

    table: Any = Again()
    plan = stored(records, house)
    with pytest.raises(ConditionFailed):
        table.put(records.new(DRAFT)[1])

    changed = PlanRecords(replace(house.adapters, table=table), Vault(house.adapters)).change(plan, state="applying")

    assert records.get(ACME, plan.id) == changed


def test_large_contents_of_earlier_states_and_of_removed_plans_are_deleted(
    house: Household, records: PlanRecords
) -> None:
    plan = stored(records, house, replace(DRAFT, what={"text": LARGE}))
    assert records.change(plan, state="applying").what == {"text": LARGE}
    plan = records.get(ACME, plan.id)
    assert len(list(house.inventory.blobs(ACME))) == 1

    records.remove(plan)

    assert list(house.inventory.blobs(ACME)) == []
    assert list(records.every(ACME)) == []


def test_plans_are_told_of_newest_first_until_their_time_is_over(house: Household, records: PlanRecords) -> None:
    old = stored(records, house)
    house.later(days=1)
    new = stored(records, house)
    going_on = records.change(stored(records, house), state="applying")
    assert {each.id for each in records.every(ACME)} == {old.id, new.id, going_on.id}
    assert list(records.every(ACME))[-1] == old

    house.later(seconds=KEPT.total_seconds())

    assert list(records.every(ACME)) == [going_on]
    with pytest.raises(NotFound):
        records.get(ACME, new.id)
