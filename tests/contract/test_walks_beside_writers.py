"""Who walks a store beside writers and maintenance misses nothing that was there throughout, and tears nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cairn.custody.check import Check
from cairn.custody.data_keys import DataKeys
from cairn.custody.erase_user import EraseUser
from cairn.custody.holdings import Holdings, count
from cairn.custody.scope import DataScope
from cairn.ground.ids import UserId
from cairn.memories.model import RecallRequest
from cairn.memories.recall import recall
from cairn.recall.indexing import reindex
from support.custody import ACME
from support.services import changed, services_over
from support.town import SESSIONS, SETTINGS, Restless, RestlessBlobs, Town

ADA, BOB = UserId("ada"), UserId("bob")
SCOPES = (DataScope(ACME), DataScope(ACME, user=ADA), DataScope(ACME, SESSIONS[0].project))


def walking(town: Town) -> Any:
    """Return a process beside whose reads of the whole store everything goes on."""
    town.most = 45
    adapters: Any = replace(town.adapters, blobs=RestlessBlobs(town))
    return changed(services_over(adapters, SETTINGS), inventory=Restless(town))


def findings(town: Town, walker: Any = None) -> list[str]:
    services = walker or services_over(town.adapters, SETTINGS, inventory=town.inventory)
    return [str(each) for each in Check(services, services.inventory, services.audit).run(ACME).findings]


def recalled(town: Town) -> list[int]:
    """Return which turns of all that were said a new process finds."""
    services, found = services_over(town.adapters, SETTINGS), list[int]()
    for where, turn in town.said:
        number = turn.turn_id[1:]
        asked = RecallRequest(query=f"tea number{number}", limit=5, user_id=turn.user_id)
        if any(f"number{number}." in each.content for each in recall(services, where, asked).found):
            found.append(int(number))
    return found


@pytest.mark.slow
@pytest.mark.parametrize("new_store", ["embedded"], indirect=True)  # which holds one state for who walks it
def test_a_check_finds_nothing_wrong_with_what_is_being_written(town: Town) -> None:
    said = len(town.said)

    assert findings(town, walking(town)) == []

    assert len(town.said) > said
    assert findings(town) == []


@pytest.mark.slow
@pytest.mark.parametrize("scope", SCOPES)
@pytest.mark.parametrize("new_store", ["embedded"], indirect=True)  # which holds one state for who walks it
def test_a_survey_counts_no_less_than_was_there_and_no_more_than_is_there_after(town: Town, scope: DataScope) -> None:
    quiet = services_over(town.adapters, SETTINGS)
    before = count(quiet, town.inventory, scope)
    walker = walking(town)

    found = count(walker, walker.inventory, scope)

    after = count(quiet, town.inventory, scope)
    for name in ("sessions", "shared_sessions", "turns", "facts", "memories", "files", "values", "items"):
        low, high = (getattr(each, name) for each in (before, after))
        assert min(low, high) <= getattr(found, name) <= max(low, high), name
    assert isinstance(found, Holdings)


@pytest.mark.slow
def test_a_reindex_leaves_every_turn_to_be_found(town: Town) -> None:
    walker = walking(town)

    for _ in reindex(walker.indexer, walker.inventory, ACME):
        town.act()

    assert recalled(town) == [int(turn.turn_id[1:]) for _, turn in town.said]
    assert findings(town) == []


@pytest.mark.slow
def test_a_rewrap_leaves_nothing_that_cannot_be_opened(town: Town) -> None:
    walker = walking(town)
    keys = DataKeys(walker.adapters, walker.inventory)
    keys.rotate(ACME)

    keys.rewrap(ACME)
    keys.rewrap(ACME)

    assert findings(town) == []
    assert recalled(town) == [int(turn.turn_id[1:]) for _, turn in town.said]


@pytest.mark.slow
def test_an_erasure_takes_all_of_one_and_nothing_of_others_who_go_on(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("support.town.USERS", (BOB, BOB, None))
    walker = walking(town)

    done = EraseUser(walker, walker.inventory).run(DataScope(ACME, user=ADA))

    others = [int(turn.turn_id[1:]) for _, turn in town.said if turn.user_id != ADA]
    assert done.shared_turns == len(town.said) - len(others)
    assert recalled(town) == others
    assert count(services_over(town.adapters, SETTINGS), town.inventory, DataScope(ACME, user=ADA)).turns == 0
    assert findings(town) == []
