"""Of a turn that a process stores whose clock is behind, a branch made just before knows all that there is, or nothing.

So does whoever takes it back.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest

from cairn.branches.branching import create
from cairn.branches.merge import merge
from cairn.ground.adapters import Adapters
from cairn.ground.ids import Project, SessionId
from cairn.log.layout import across, log_owner
from cairn.process.system import in_turn
from support.branches import ADA, TRY, Side
from support.doubles import FakeClock
from support.memory_store import MemoryBlobs, MemoryTable
from support.overview import GARDEN, TENANT

OTHER, SHOP = Project("garden@try-2"), Project("shop")
OWN = log_owner(ADA, SessionId("monday"))


@pytest.fixture
def trunk(adapters: Adapters) -> Side:
    return Side(replace(adapters, table=MemoryTable(), blobs=MemoryBlobs(), parallel=in_turn))


def behind(side: Side, project: Project = GARDEN, **by: float) -> Side:
    """Return what a process sees and does whose clock is behind by so much."""
    clock = FakeClock()
    clock.time = side.adapters.clock.now() - timedelta(**by)
    return Side(replace(side.adapters, clock=clock), project)


def spoken(side: Side) -> list[str]:
    """Return the turns of the session."""
    recent = side.services.sessions.recent(side.session(), 100)
    return [events[0].turn_id for _, events in recent.turns]


def logged(side: Side) -> list[str]:
    """Return the turns that the user's log tells of."""
    side.services.log.refresh(TENANT, side.project, OWN)
    with side.services.log.view(TENANT, side.project, OWN) as view:
        return [stamp.turn_id for stamp in view.turns(SessionId("monday"))]


def reaching(side: Side) -> set[str]:
    """Return what is known of the user across projects."""
    [owner] = across(OWN)
    side.services.log.refresh(TENANT, side.project, owner)
    with side.services.log.view(TENANT, side.project, owner) as view:
        return {fact.value for fact in view.facts(side.adapters.clock.now(), None)}


def say(slow: Side) -> None:
    slow.say("t2", "The shed is red.")


def merge_a_branch(slow: Side) -> None:
    merge(slow.services, TENANT, OTHER)


@pytest.mark.parametrize("store", [say, merge_a_branch])
def test_a_branch_made_just_before_a_slow_process_stores_a_turn_knows_neither_it_nor_its_entry(
    trunk: Side, store: Callable[[Side], None]
) -> None:
    trunk.say("t1", "I live in Oslo.")
    slow = behind(trunk, seconds=10)
    create(slow.services, TENANT, OTHER)
    Side(slow.adapters, OTHER).say("t2", "The fence is red.")
    create(slow.services, TENANT, TRY)

    store(slow)

    branch = behind(trunk, TRY, seconds=10)
    assert (spoken(slow), logged(slow)) == (["t1", "t2"], ["t1", "t2"])
    assert (spoken(branch), logged(branch)) == (["t1"], ["t1"])


def test_what_a_turn_teaches_across_projects_is_known_to_a_branch_that_knows_the_turn_and_no_other(trunk: Side) -> None:
    slow = behind(trunk, seconds=10)
    slow.say("t1", "The shed is red.")
    create(behind(trunk, seconds=5).services, TENANT, TRY)
    Side(trunk.adapters, SHOP).say("s1", "I live in Oslo.")

    slow.say("t2", "I moved to Bergen.")

    branch = behind(trunk, TRY, seconds=5)
    assert (spoken(slow), reaching(slow)) == (["t1", "t2"], {"Bergen"})
    assert (spoken(branch), logged(branch), reaching(branch)) == (["t1"], ["t1"], set())


def test_a_turn_that_a_slow_process_merged_is_taken_back_across_projects_too(trunk: Side) -> None:
    trunk.say("t1", "The shed is red.")
    slow = behind(trunk, seconds=10)
    create(slow.services, TENANT, TRY)
    Side(slow.adapters, TRY).say("t2", "I moved to Bergen.")
    merge(slow.services, TENANT, TRY)
    assert reaching(slow) == {"Bergen"}

    slow.undo("t2")

    assert (spoken(slow), logged(slow), reaching(slow)) == (["t1"], ["t1"], set())
