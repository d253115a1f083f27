"""Of two runs of one plan the one that another overtook, at whatever call, changes nothing more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from cairn.access.policy_store import PolicyStore
from cairn.custody.planned_erasure import plan_to_erase
from cairn.custody.scope import DataScope
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict
from cairn.ground.table import Put
from cairn.process.system import in_turn
from support.custody import ACME, ADA, ALONE, Household
from support.faults import FaultyStore
from support.memory_store import MemoryBlobs, MemoryTable, copied
from support.plans import CASES, OTHER, Case, desk, planned

pytestmark = pytest.mark.req("R306")
ENDING = [case for case in CASES if not case.name.startswith("forget")]


@pytest.mark.parametrize("undone", [False, True], ids=["applied", "and undone"])
@pytest.mark.parametrize("case", ENDING, ids=lambda case: case.name)
def test_a_run_that_another_overtook_changes_nothing_more(
    adapters: Adapters, tmp_path: Path, case: Case, *, undone: bool
) -> None:
    begun = Household.over(replace(adapters, table=MemoryTable(), blobs=MemoryBlobs(), parallel=in_turn), tmp_path)
    plan = planned(begun, case)
    begun.later(minutes=1)
    verbs = ("apply", "undo") if undone else ("apply",)

    def run(house: Household) -> None:
        for verb in verbs:
            getattr(desk(house).plans, verb)(plan.tenant, plan.id)

    alone = Household.over(copied(begun.adapters), tmp_path)
    run(alone)
    at, overtaken = 0, 0
    while True:
        at += 1
        house = Household.over(copied(begun.adapters), tmp_path)
        did = list[bool]()

        def first(call: Any, house: Household = house, did: list[bool] = did) -> Any:
            did.append(True)
            run(house)
            return call()

        slow: Any = replace(house.adapters, table=FaultyStore(house.adapters, at, first))
        try:
            desk(house, slow).plans.apply(plan.tenant, plan.id)
        except Conflict:
            overtaken += 1
        if not did:
            break
        assert case.seen(house) == case.seen(alone), at
        assert desk(house).plans.records.get(plan.tenant, plan.id).state == ("undone" if undone else "applied"), at
    assert overtaken >= 2


def test_a_run_whose_clock_is_behind_goes_on_with_a_key_that_another_ended(adapters: Adapters, tmp_path: Path) -> None:
    case = next(each for each in CASES if each.name == "revoke a key")
    over = replace(adapters, table=MemoryTable(), blobs=MemoryBlobs(), parallel=in_turn)
    house = Household.over(over, tmp_path)
    plan, before = planned(house, case), case.seen(house)
    plans = desk(house).plans
    ended = plans.apply(plan.tenant, plan.id)
    plans.records.change(ended, state="applying", done={})

    house.later(seconds=-1)
    again = plans.apply(plan.tenant, plan.id)

    assert (again.state, again.done) == ("applied", ended.done)
    assert plans.undo(plan.tenant, plan.id).state == "undone"
    assert case.seen(house) == before


@pytest.mark.parametrize("is_done", [False, True])
def test_an_erasure_is_final_only_once_no_other_run_of_it_goes_on(house: Household, *, is_done: bool) -> None:
    house.say(ALONE, ADA, "I live in Oslo.")
    plans = desk(house).plans
    plan = plans.plan(plan_to_erase(DataScope(ACME, user=ADA)))
    table: Any = house.adapters.table

    def overtake(write: Put) -> None:
        if write.item["state"] == "final":
            other = plans.records.change(plans.records.get(ACME, plan.id), state="applying")
            if is_done:
                plans.records.change(other, state="final", user=None)
        table.put(write)

    slow: Any = SimpleNamespace(get=table.get, query=table.query, update=table.update, delete=table.delete)
    slow.transact, slow.put = table.transact, overtake
    run = desk(house, replace(house.adapters, table=slow)).plans

    if is_done:
        assert run.apply(ACME, plan.id).state == "final"
    else:
        with pytest.raises(Conflict, match="changed meanwhile"):
            run.apply(ACME, plan.id)
        assert plans.apply(ACME, plan.id).state == "final"


@pytest.mark.parametrize("undone", [False, True], ids=["applied", "undone"])
def test_a_stopped_plan_whose_policy_another_replaced_since_ends_as_what_it_did(
    house: Household, *, undone: bool
) -> None:
    plan = planned(house, next(each for each in CASES if each.name == "set a policy"))
    plans = desk(house).plans
    done = plans.apply(plan.tenant, plan.id)
    if undone:
        done = plans.undo(plan.tenant, plan.id)
    plans.records.change(done, state="undoing" if undone else "applying", done=done.done if undone else {})
    PolicyStore(house.adapters).write(OTHER)

    again = (plans.undo if undone else plans.apply)(plan.tenant, plan.id)

    assert (again.state, again.done) == (done.state, done.done)
    assert PolicyStore(house.adapters).read() == OTHER
