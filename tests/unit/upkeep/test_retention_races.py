"""Erasing a session left alone, while something else happens to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from cairn.conversation.items import message
from cairn.conversation.turns import Completion
from cairn.ground.errors import ResourceBusy, Unavailable
from cairn.ground.ids import TurnId
from cairn.sessions.layout import guard_sk
from cairn.turns.after_turn import commit
from cairn.turns.model import Preparation
from cairn.turns.run_turn import begin
from support.custody import ADA, ALONE, MONTH, SETTINGS, Household, keeping, partition
from support.services import services_over


def turns_in_log(house: Household) -> int:
    services = services_over(house.adapters, SETTINGS)
    return services.searcher.turns(ALONE, ["u:ada"])


def test_a_turn_that_arrives_first_wins(house: Household) -> None:
    house.say(ALONE, ADA, "I live in Oslo.")
    house.later(days=MONTH)
    house.say(ALONE, ADA, "I am back.")

    assert not keeping(house).maintenance.run(ALONE).erased
    assert len(house.history(ALONE)) == 4


def test_a_session_in_which_a_turn_is_being_committed_is_not_erased(house: Household) -> None:
    house.say(ALONE, ADA, "I live in Oslo.")
    house.later(days=MONTH)
    services = services_over(house.adapters, SETTINGS)
    claimed = services.guards.claim(ALONE, Completion(turn_id=TurnId("next"), inputs=(), outputs=()), "caller", 30)

    assert not keeping(house).maintenance.run(ALONE).erased
    services.guards.give_back(claimed)
    assert keeping(house).maintenance.run(ALONE).erased


def test_a_session_in_which_a_turn_was_begun_is_not_erased_until_it_may_no_longer_be_answered(house: Household) -> None:
    house.say(ALONE, ADA, "I live in Oslo.")
    house.later(days=MONTH)
    begin(house.services(), ALONE, Preparation(current=(message("user", "Hm?"),), user_id=ADA))

    assert not keeping(house).maintenance.run(ALONE).erased
    house.later(hours=1)
    assert keeping(house).maintenance.run(ALONE).erased


def test_a_turn_that_comes_while_the_session_is_being_erased_is_the_first_of_a_new_one(house: Household) -> None:
    """It waits for the lease with its claim made, which must not go with the rest."""
    house.say(ALONE, ADA, "I live in Oslo.")
    house.later(days=MONTH)
    services = services_over(house.adapters, SETTINGS)
    turn = Completion(turn_id=TurnId("next"), user_id=ADA, inputs=(message("user", "Back."),), outputs=())
    watched: Any = Watched(house.adapters.table)
    claims: list[Any] = []

    def claim(what: object) -> None:
        if isinstance(what, list) and not claims:
            claims.append(services.guards.claim(ALONE, turn, "caller", 30))

    watched.before_transaction = claim
    assert keeping(house, adapters=replace(house.adapters, table=watched)).maintenance.run(ALONE).erased

    assert partition(house, ALONE) == [guard_sk(TurnId("next"))]
    services.guards.give_back(claims[0])
    assert partition(house, ALONE) == []


@pytest.mark.parametrize("at", [1, 2, 3, 5])
def test_whoever_takes_the_session_over_keeps_what_is_left_and_the_erasure_writes_no_more(
    house: Household, at: int
) -> None:
    house.say(ALONE, ADA, *(f"Row {number} holds beans." for number in range(100)))
    house.later(days=MONTH)
    watched: Any = Watched(house.adapters.table)
    seen: list[object] = []
    turn = Completion(turn_id=TurnId("next"), user_id=ADA, inputs=(message("user", "Ada is back."),), outputs=())
    left: list[object] = []

    def speak(writes: object) -> None:
        seen.append(writes)
        if len(seen) == at:
            house.later(seconds=6)
            commit(house.services(), ALONE, turn)
            left.extend([turns_in_log(house), *house.history(ALONE)])

    watched.before_transaction = speak
    services = keeping(house, adapters=replace(house.adapters, table=watched), guard_lease_seconds=5)
    with pytest.raises((ResourceBusy, Unavailable)):
        services.maintenance.run(ALONE)

    assert left[-1] == "Ada is back."
    assert [turns_in_log(house), *house.history(ALONE)] == left
    assert not services.maintenance.run(ALONE).erased


def test_a_large_session_is_erased_in_several_runs(house: Household) -> None:
    house.say(ALONE, ADA, *(f"Row {number} holds beans." for number in range(300)))
    house.later(days=MONTH)
    watched: Any = Watched(house.adapters.table)

    def take_time(_: object) -> None:
        house.later(seconds=6)

    watched.before_transaction = take_time
    services = keeping(house, adapters=replace(house.adapters, table=watched))

    reports = [services.maintenance.run_due(ALONE, house.adapters.clock.now() + timedelta(hours=1))]
    while not reports[-1].finished:
        reports.append(services.maintenance.run_due(ALONE, house.adapters.clock.now() + timedelta(hours=1)))

    assert len(reports) > 2
    assert all(report.erased for report in reports)
    assert partition(house, ALONE) == []
    assert "holds beans" not in "\n".join(house.contents())


class Watched:
    """A table that calls somebody before each transaction."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.before_transaction: Callable[[object], object] = id

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def transact(self, writes: Any) -> None:
        self.before_transaction(writes)
        self._table.transact(writes)
