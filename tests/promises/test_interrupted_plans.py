"""Wherever applying a plan or taking it back is stopped, doing that again ends as if nothing had happened."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import count
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Unavailable
from cairn.ground.ids import UserId
from cairn.plans.model import Plan
from cairn.services import Services
from cairn.tool.maintenance_runs import erase_due
from support.custody import ACME, ADA, Household
from support.faults import FAULTS, FaultyBlobs, FaultyStore, Stopped, killed_after, killed_before
from support.plans import CASES, Case, desk, known, live, merged, planned, waiting

pytestmark = [pytest.mark.req("R306"), pytest.mark.slow]
New = Callable[[], tuple[Any, Adapters]]
Act = Callable[[Services, Plan], object]
FEWEST_CALLS = 4


def apply(services: Services, plan: Plan) -> object:
    return services.plans.apply(plan.tenant, plan.id)


def undo(services: Services, plan: Plan) -> object:
    return services.plans.undo(plan.tenant, plan.id)


def stopped(new: New, case: Case, fault: Any, first: Act | None, act: Act) -> Iterator[tuple[Household, Plan, int]]:
    """Yield stores in which an act met a fault, at another call each; `first` was done before, well."""
    for at in count(1):
        store, adapters = new()
        house = Household.over(adapters, store.directory)
        plan = planned(house, case)
        if first is not None:
            first(desk(house), plan)
            house.later(minutes=1)
        faulty = FaultyStore(adapters, at, fault)
        with suppress(Stopped, Unavailable):
            act(desk(house, replace(adapters, table=faulty, blobs=FaultyBlobs(adapters, faulty))), plan)
        yield house, plan, at
        if faulty.calls < at:
            assert at > FEWEST_CALLS
            return


def undisturbed(new: New, case: Case, *acts: Act) -> tuple[Any, Any]:
    """Return what people see of a store before these acts and after them."""
    store, adapters = new()
    house = Household.over(adapters, store.directory)
    plan = planned(house, case)
    before = case.seen(house)
    for act in acts:
        act(desk(house), plan)
        house.later(minutes=1)
    return before, case.seen(house)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_plan_that_is_stopped_as_it_is_applied_is_gone_on_with_and_can_be_undone(
    case: Case, fault: Any, new_adapters: New
) -> None:
    before, after = undisturbed(new_adapters, case, apply)
    assert before != after
    for house, plan, at in stopped(new_adapters, case, fault, None, apply):
        assert desk(house).plans.apply(plan.tenant, plan.id).state == "applied", at
        assert case.seen(house) == after, at
        house.later(minutes=1)
        assert desk(house).plans.undo(plan.tenant, plan.id).state == "undone", at
        assert case.seen(house) == before, at


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
@pytest.mark.parametrize("fault", FAULTS)
def test_taking_a_plan_back_that_is_stopped_is_gone_on_with(case: Case, fault: Any, new_adapters: New) -> None:
    before, after = undisturbed(new_adapters, case, apply, undo)
    assert before == after
    for house, plan, at in stopped(new_adapters, case, fault, apply, undo):
        assert desk(house).plans.undo(plan.tenant, plan.id).state == "undone", at
        assert case.seen(house) == before, at


@pytest.mark.parametrize("fault", FAULTS)
def test_taking_back_what_maintenance_merged_is_gone_on_with(fault: Any, new_adapters: New) -> None:
    for at in count(1):
        store, adapters = new_adapters()
        house = Household.over(adapters, store.directory)
        plan = merged(house)
        house.later(minutes=1)
        faulty = FaultyStore(adapters, at, fault)
        with suppress(Stopped, Unavailable):
            undo(desk(house, replace(adapters, table=faulty, blobs=FaultyBlobs(adapters, faulty))), plan)

        assert desk(house).plans.undo(ACME, plan.id).state == "undone", at

        assert known(house) == ["like: dark-roast coffee", "like: the Dark Roast coffees"], at
        if faulty.calls < at:
            assert at > FEWEST_CALLS
            break


@pytest.mark.parametrize("user", [ADA, None])
@pytest.mark.parametrize("fault", [killed_before, killed_after])
def test_an_erasure_that_waited_and_is_stopped_at_any_call_is_found_again_and_ends(
    user: UserId | None, fault: Any, new_adapters: New
) -> None:
    for at in count(1):
        store, adapters = new_adapters()
        house = Household.over(adapters, store.directory)
        live(house)
        waiting(house, user)
        house.later(days=7)
        faulty = FaultyStore(adapters, at, fault)
        broken: Any = replace(adapters, table=faulty, blobs=FaultyBlobs(adapters, faulty))
        with suppress(Stopped):
            erase_due(desk(house, broken), "r")
        house.later(minutes=20)

        assert erase_due(desk(house), "r") in ([], [True]), at

        assert [each.state for each in desk(house).plans.records.every(ACME)] == ([] if user is None else ["final"]), at
        left = {str(item["pk"]).split("#")[1] for item in house.inventory.items(ACME)}
        assert left <= (set() if user is None else {"audit", "keys", "plans", "projects", "m"}), at
        if faulty.calls < at:
            assert at > FEWEST_CALLS
            break
