"""What an operator does to a project or a user is done to what branches added too; a check finds nothing amiss."""

from __future__ import annotations

import pytest

from cairn.branches.branching import close, create, drop
from cairn.branches.merge import merge
from cairn.custody.check import Check
from cairn.custody.data_keys import DataKeys
from cairn.custody.erase_tenant import EraseTenant
from cairn.ground.ids import Project
from cairn.sessions.leased import leased
from cairn.upkeep.erase_session import EraseSession
from support.branches import TRY, Side
from support.custody import ACME, ADA, BOB, LARGE, Household, erase, exported


@pytest.fixture
def trunk(house: Household) -> Side:
    side = Side(house.adapters)
    side.say("t1", "Ada lives in Oslo. My name is Ada. " + LARGE, user=ADA)
    side.say("t2", "The beans are Bob's.", user=BOB)
    side.keep("Ada's gate is red.", "project", user=ADA)
    house.later(minutes=1)
    create(side.services, ACME, TRY)
    house.later(minutes=1)
    return side


@pytest.fixture
def branch(trunk: Side, house: Household) -> Side:
    side = Side(house.adapters, TRY)
    side.say("t3", "I moved to Bergen. Ada's fence is red. " + LARGE, user=ADA)
    side.say("t4", "Bob's basil grows.", user=BOB)
    side.keep("Ada's door is red.", user=ADA)
    house.later(minutes=1)
    assert "Ada" in str(trunk.seen((ADA, BOB)))
    assert "Oslo" in str(side.seen((ADA, BOB)))
    return side


def findings(house: Household) -> list[str]:
    services = house.services()
    found = Check(services, house.inventory, services.audit).run(ACME).findings
    return [f"{each.where}: {each.problem}" for each in found]


def test_a_user_is_erased_from_a_branch_that_is_half_merged(house: Household, trunk: Side, branch: Side) -> None:
    assert "Bergen" in str(branch.seen())
    close(trunk.services, ACME, TRY, "merge")
    assert findings(house) == []
    assert erase(house, ADA).left == 0
    merge(trunk.services, ACME, TRY)
    assert "Ada" not in str(trunk.seen((BOB,)))
    assert "basil" in str(trunk.seen((BOB,)))
    assert not [text for text in house.contents() if "Ada" in text or "Oslo" in text or "Bergen" in text]


@pytest.mark.parametrize("project", [None, Project("garden")])
def test_an_erased_user_is_gone_from_branches_too(
    house: Household, trunk: Side, branch: Side, project: Project | None
) -> None:
    gone = erase(house, ADA, project=project)
    assert gone.left == 0
    for _ in range(2):
        for side in (trunk, branch):
            seen = str(side.seen((BOB,), ("monday", "friday")))
            assert "Ada" not in seen
            assert "beans are Bob's" in seen
            side.restart()
    assert "Bob's basil" in str(branch.seen((BOB,)))
    if project is None:
        assert not [text for text in house.contents() if "Ada" in text or "Oslo" in text or "Bergen" in text]
        assert not [item for item in house.inventory.items(ACME) if "u:ada" in f"{item['pk']} {item['sk']}"]
    merge(trunk.services, ACME, TRY)
    assert "Ada" not in str(trunk.seen((BOB,)))


def test_a_session_that_is_erased_in_the_project_is_gone_from_a_branch(house: Household, trunk: Side) -> None:
    branch = Side(house.adapters, TRY)
    assert any(text.startswith("turn:") for text in branch.found("beans", user=BOB))
    with leased(trunk.services, trunk.session()) as held:
        list(EraseSession(trunk.services).forget(held, house.adapters.clock.now()))
    for _ in range(2):
        assert not any(text.startswith("turn:") for text in branch.found("beans", user=BOB))
        assert branch.seen((BOB,)) == trunk.seen((BOB,))  # what was learnt stays
        branch.restart()


def test_a_check_finds_nothing_amiss_in_a_branch_and_after_it(house: Household, trunk: Side, branch: Side) -> None:
    gate = next(text for text in branch.found(user=ADA) if "gate" in text)
    assert gate
    assert findings(house) == []
    branch.undo("t4")
    assert findings(house) == []
    trunk.say("t9", "The pond is red.")  # so that what is merged has other numbers
    merge(trunk.services, ACME, TRY)
    assert findings(house) == []


def test_a_dropped_branch_leaves_no_blob(house: Household, trunk: Side, branch: Side) -> None:
    assert "Bergen" in str(branch.seen())
    drop(trunk.services, ACME, TRY)
    assert findings(house) == []
    assert not [text for text in house.contents() if "Bergen" in text]


def test_a_branch_is_read_and_merged_under_new_data_keys(house: Household, trunk: Side, branch: Side) -> None:
    before = branch.seen((ADA, BOB))
    house.later(minutes=11)
    DataKeys(house.adapters, house.inventory).rotate(ACME)
    house.later(minutes=11)
    DataKeys(house.adapters, house.inventory).rewrap(ACME)
    fresh = Side(house.adapters, TRY)
    assert fresh.facts(ADA) == branch.facts(ADA)
    assert fresh.found(user=ADA) == before[0][1]
    merge(fresh.services, ACME, TRY)
    assert "Bergen" in trunk.facts(ADA)


def test_an_export_leaves_branches_out(house: Household, branch: Side) -> None:
    assert "Bergen" in str(branch.seen())
    for scope in ({}, {"project": Project("garden")}, {"user": ADA}):
        records = exported(house, **scope)
        assert "Oslo" in str(records)
        assert "Bergen" not in str(records)
        assert "try-1" not in str(records)


def test_an_erased_tenant_leaves_no_branch(house: Household, branch: Side) -> None:
    assert "Bergen" in str(branch.seen())
    EraseTenant(house.adapters, house.inventory).run(ACME)
    assert not [item for item in house.inventory.items(ACME) if "try-1" in f"{item['pk']} {item['sk']}"]
