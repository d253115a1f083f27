"""Every kind of plan over every store: planned, applied exactly as planned, and taken back within its grace time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from cairn.custody.planned_keys import plan_to_end
from cairn.ground.adapters import Adapters
from cairn.ground.errors import Conflict
from cairn.ground.ids import UserId
from cairn.plans.model import SHOWN, UNDO
from cairn.tool.maintenance_runs import erase_due
from support.canaries import CANARY
from support.custody import ACME, ADA, ALONE, BOB, LARGE, SHARED, Household
from support.plans import CASES, Case, desk, first_key, known, live, merged, planned, waiting, with_key

pytestmark = pytest.mark.req("R306")
each_kind = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
BUILT_ON = [case for case in CASES if not case.name.startswith("forget")]
"""What somebody may have built on: what is kept again stands beside what was said since."""


@pytest.fixture
def house(new_store: Callable[[], tuple[Adapters, Any]], entropy: Any, tmp_path: Path) -> Household:
    adapters, inventory = new_store()
    return Household(replace(adapters, entropy=entropy), inventory, tmp_path)


@each_kind
def test_a_plan_changes_nothing_until_it_is_applied_and_nothing_is_left_of_it_once_it_is_undone(
    house: Household, case: Case
) -> None:
    case.ready(house)
    before = case.seen(house)
    plan = desk(house).plans.plan(case.draft(house))
    assert (plan.state, case.seen(house), any(plan.counts.values())) == ("planned", before, True)

    applied = desk(house).plans.apply(plan.tenant, plan.id)
    after = case.seen(house)
    assert (applied.state, after != before) == ("applied", True)
    assert desk(house).plans.apply(plan.tenant, plan.id).state == "applied"
    assert case.seen(house) == after

    house.later(minutes=1)
    assert desk(house).plans.undo(plan.tenant, plan.id).state == "undone"
    assert case.seen(house) == before
    assert desk(house).plans.undo(plan.tenant, plan.id).state == "undone"
    assert desk(house).plans.apply(plan.tenant, plan.id).state == "undone"
    assert case.seen(house) == before


@each_kind
def test_what_is_another_since_it_was_planned_is_not_applied(house: Household, case: Case) -> None:
    plan = planned(house, case)
    case.meddle(house)
    there = case.seen(house)

    with pytest.raises(Conflict):
        desk(house).plans.apply(plan.tenant, plan.id)

    assert case.seen(house) == there
    assert desk(house).plans.records.get(plan.tenant, plan.id).state == "planned"


@pytest.mark.parametrize("case", BUILT_ON, ids=lambda case: case.name)
def test_what_was_built_on_since_is_not_taken_back(house: Household, case: Case) -> None:
    plan = planned(house, case)
    desk(house).plans.apply(plan.tenant, plan.id)
    if plan.kind == "key":
        desk(house).credentials.let_end(plan.what["key"], None, first_key(house).revoked_at)
        desk(house).credentials.rotate(plan.what["key"], timedelta(hours=2))
    else:
        case.meddle(house)
    there = case.seen(house)

    with pytest.raises(Conflict):
        desk(house).plans.undo(plan.tenant, plan.id)

    assert case.seen(house) == there
    assert desk(house).plans.records.get(plan.tenant, plan.id).state == "applied"


def test_the_text_of_a_key_that_a_plan_made_is_told_once_and_never_stored(house: Household) -> None:
    with_key(house)
    plans = desk(house).plans
    plan = plans.plan(plan_to_end(ACME, first_key(house).id, timedelta(hours=1)))

    text = plans.apply(ACME, plan.id).done[SHOWN]

    assert desk(house).credentials.check(text) is not None
    assert SHOWN not in plans.records.get(ACME, plan.id).done
    plans.undo(ACME, plan.id)
    assert desk(house).credentials.check(text) is None


@each_kind
def test_after_its_grace_time_and_before_it_is_applied_nothing_is_taken_back(house: Household, case: Case) -> None:
    plan = planned(house, case)
    with pytest.raises(Conflict, match="not applied"):
        desk(house).plans.undo(plan.tenant, plan.id)
    desk(house).plans.apply(plan.tenant, plan.id)
    house.later(seconds=UNDO.total_seconds() - 1)
    assert desk(house).plans.records.get(plan.tenant, plan.id).can_be_undone(house.adapters.clock.now())

    house.later(seconds=1)
    after = case.seen(house)
    with pytest.raises(Conflict, match="grace time"):
        desk(house).plans.undo(plan.tenant, plan.id)
    assert case.seen(house) == after


@pytest.mark.parametrize("user", [ADA, None])
def test_an_erasure_that_waits_is_taken_back_until_it_is_due_and_nothing_is_gone(
    house: Household, user: UserId | None
) -> None:
    live(house)
    before = known(house)
    plan = waiting(house, user)
    assert (plan.state, known(house)) == ("waiting", before)
    house.later(days=6)
    assert desk(house).plans.apply(ACME, plan.id).state == "waiting"
    assert erase_due(desk(house), "r") == []

    assert desk(house).plans.undo(ACME, plan.id).state == "undone"

    house.later(days=2)
    assert erase_due(desk(house), "r") == []
    assert "Peas climb." in known(house)


@pytest.mark.parametrize("user", [ADA, None])
def test_an_erasure_whose_grace_time_is_over_erases_what_came_meanwhile_too_and_is_final(
    house: Household, user: UserId | None
) -> None:
    house.say(SHARED, ADA, f"I keep a {CANARY}.", reply=f"{CANARY} {LARGE}")
    house.say(SHARED, BOB, "Bob likes basil.")
    plan = waiting(house, user)
    house.say(ALONE, ADA, f"I keep another {CANARY}.")
    house.later(days=7)
    with pytest.raises(Conflict, match="grace time"):
        desk(house).plans.undo(ACME, plan.id)

    assert erase_due(desk(house), "r") == [True]

    told = " ".join(house.contents()) if user else ""
    assert (CANARY in told, "ada" in told.replace("canary", "")) == (False, False)
    left = [str(item["pk"]) for item in house.inventory.items(ACME)]
    assert any("#s#garden#shared" in pk for pk in left) == (user is not None)
    if user is None:
        assert (left, list(house.inventory.blobs(ACME))) == ([], [])
        return
    assert erase_due(desk(house), "r") == []
    assert (ended := desk(house).plans.records.get(ACME, plan.id)).state == "final"
    assert (ended.user, ended.says, dict(ended.before)) == (None, "", {})
    with pytest.raises(Conflict, match="final"):
        desk(house).plans.undo(ACME, plan.id)
    assert house.history(SHARED) == ["Bob likes basil.", "Noted."]


def test_what_maintenance_merged_is_taken_back(house: Household) -> None:
    plan = merged(house)
    assert (plan.state, dict(plan.counts), known(house)) == (
        "applied",
        {"merged_facts": 1},
        ["like: the Dark Roast coffees"],
    )
    house.later(minutes=1)

    assert desk(house).plans.undo(ACME, plan.id).state == "undone"

    assert known(house) == ["like: dark-roast coffee", "like: the Dark Roast coffees"]
    house.maintain(ALONE)
    assert len(known(house)) == 2
    house.later(days=31)
    with pytest.raises(Conflict, match="own"):
        desk(house).plans.plan(plan)
