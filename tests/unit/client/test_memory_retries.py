"""What fails for a while is tried again, as the same call; what was done after all is not done twice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from cairn import Memory
from cairn.client.embedded import Embedded
from cairn.client.retries import MOST_CALLS, MOST_SECONDS
from cairn.ground.errors import (
    CairnError,
    InternalError,
    InvalidArgument,
    KeyUnusable,
    RateLimited,
    ResourceBusy,
    Unavailable,
)
from support.doubles import FakeClock

STORED = {"events_written": 1, "facts_written": 0, "facts_superseded": 0, "replayed": False}


class ScriptedDoor:
    """A door that fails as the script says, then answers."""

    where, project = "scripted", "garden"

    def __init__(self, *errors: CairnError) -> None:
        self.errors = list(errors)
        self.asked: list[Mapping[str, Any]] = []

    def knows_user(self) -> bool:
        return False

    def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
        self.asked.append({"tool": tool, **arguments})
        if self.errors:
            raise self.errors.pop(0)
        return STORED

    def close(self) -> None:
        self.errors.clear()


Behind = Callable[[ScriptedDoor], Memory]


@pytest.fixture
def behind(clock: FakeClock) -> Behind:
    """Return a function that makes a memory behind a door, without sleeping."""

    def made(door: ScriptedDoor) -> Memory:
        return Memory.through(door, clock, user="ada")

    return made


@pytest.mark.parametrize("error", [Unavailable("no answer"), ResourceBusy("busy"), InternalError("inside")])
def test_a_turn_is_sent_again_under_the_id_it_was_sent_with(behind: Behind, error: CairnError) -> None:
    door = ScriptedDoor(error, error)

    stored = behind(door).add("I grow beans.")

    assert len(door.asked) == 3
    assert door.asked[0] == door.asked[1] == door.asked[2]
    assert door.asked[0]["turn_id"] == stored.turn_id


def test_a_server_that_says_when_to_come_again_is_believed(behind: Behind, clock: FakeClock) -> None:
    began = clock.now()

    behind(ScriptedDoor(RateLimited("too many", {"retry_after_ms": 7000}))).add("I grow beans.")

    assert (clock.now() - began).total_seconds() == 7


def test_one_that_asks_for_too_long_a_wait_is_not_waited_for(behind: Behind, clock: FakeClock) -> None:
    door, began = ScriptedDoor(RateLimited("too many", {"retry_after_ms": 31_000})), clock.now()

    with pytest.raises(RateLimited):
        behind(door).add("I grow beans.")

    assert (len(door.asked), clock.now()) == (1, began)


def test_it_ends_after_some_calls_and_some_time_with_the_last_error(behind: Behind, clock: FakeClock) -> None:
    door, began = ScriptedDoor(*(Unavailable(f"no answer, {number}") for number in range(20))), clock.now()

    with pytest.raises(Unavailable, match=f"no answer, {MOST_CALLS - 1}"):
        behind(door).add("I grow beans.")

    assert len(door.asked) == MOST_CALLS
    assert 0 < (clock.now() - began).total_seconds() <= MOST_SECONDS


@pytest.mark.parametrize("error", [InvalidArgument("limit", "is wrong"), KeyUnusable("disabled", {"reason": "x"})])
def test_what_no_second_try_helps_is_tried_once(behind: Behind, error: CairnError) -> None:
    door = ScriptedDoor(error)

    with pytest.raises(type(error)):
        behind(door).search("beans")

    assert len(door.asked) == 1


@pytest.mark.req("R286")
def test_a_turn_whose_answer_was_lost_is_stored_once(clock: FakeClock) -> None:
    class Losing(Embedded):
        lost = 0

        def call(self, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
            answer = super().call(tool, arguments)
            if tool == "memory_after_turn" and not self.lost:
                self.lost += 1
                raise Unavailable("the answer was lost")
            return answer

    with Memory.through(Losing(None), clock, user="ada") as memory:
        stored = memory.add("I grow beans.")

        assert stored.replayed
        assert [each.content for each in memory.history()] == ["I grow beans."]
