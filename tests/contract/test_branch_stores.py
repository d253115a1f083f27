"""A branch from its making to its end, on every store that Cairn has."""

from __future__ import annotations

from typing import Any

import pytest

from cairn.branches.branching import branches, create, drop
from cairn.branches.merge import merge
from cairn.branches.model import Merged
from cairn.ground.adapters import Adapters
from cairn.ground.errors import NotFound
from cairn.ground.ids import Project
from cairn.ground.ports import Blobs, KeyRing, Table
from cairn.process.system import in_turn
from support.branches import TRY, Side
from support.doubles import RecordingJobs
from support.overview import TENANT
from support.stores import each_store

pytestmark = each_store


@pytest.fixture
def trunk(*, table: Table, blobs: Blobs, keyring: KeyRing, clock: Any, entropy: Any) -> Side:
    side = Side(Adapters(table, blobs, keyring, clock, entropy, in_turn, RecordingJobs()))
    side.say("t1", "I live in Oslo. The shed is red.")
    side.keep("The gate is red.")
    return side


def test_a_branch_is_made_spoken_on_and_merged(trunk: Side, clock: Any) -> None:
    create(trunk.services, TENANT, TRY)
    clock.advance(minutes=1)
    branch = Side(trunk.adapters, TRY)
    assert branch.seen() == trunk.seen()
    branch.say("t2", "I moved to Bergen. The fence is red. " + "x" * 50_000)
    branch.forget(branch.keep("The gate is red."))
    branch.keep("The door is red.", "session")
    assert branch.facts().keys() == {"Bergen"}
    assert trunk.facts().keys() == {"Oslo"}
    told = branch.seen()
    assert merge(trunk.services, TENANT, TRY) == Merged(turns=1, changes=2, left_out=0)
    assert trunk.seen() == told
    assert branches(trunk.services, TENANT, trunk.project) == []
    with pytest.raises(NotFound):
        branch.say("t3", "The roof is red.")


def test_a_branch_is_dropped(trunk: Side, clock: Any) -> None:
    create(trunk.services, TENANT, TRY)
    clock.advance(minutes=1)
    before, branch = trunk.seen(), Side(trunk.adapters, TRY)
    branch.say("t2", "I moved to Bergen.")
    drop(trunk.services, TENANT, TRY)
    assert trunk.seen() == before
    with pytest.raises(NotFound):
        branch.found()
    assert create(trunk.services, TENANT, Project("garden@next")).project == "garden@next"
