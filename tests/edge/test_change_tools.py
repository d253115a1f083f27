"""memory_list_changes and memory_count_changes over HTTP: each key sees its own users, and wrong days are named."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from cairn.access.api_keys import project_pattern
from cairn.services import Services
from support.access import EventOf
from support.bound import ALICE, BOB, House

pytestmark = pytest.mark.req("R295")
GARDEN = {"project": "garden"}


@pytest.fixture
def house(services: Services, event_of: EventOf) -> House:
    """Return a deployment in which Alice said where she lives, moved, and had something forgotten; Bob likes figs."""
    house = House(services, event_of)
    for user, turn, text in (
        (ALICE, "t1", "I live in Oslo."),
        (ALICE, "t2", "I moved to Rome."),
        (BOB, "b1", "I like figs."),
    ):
        place = {**GARDEN, "session_id": f"of-{user}", "turn_id": turn, "user_id": user}
        assert house.ask(house.key(), "memory_after_turn", {**place, "input_items": text, "output_items": "Noted."})[
            "ok"
        ]
    return house


def told(house: House, key: str, tool: str = "memory_list_changes", **arguments: Any) -> Any:
    return house.over_route(key, tool, {**GARDEN, **arguments}, {})


def test_a_fact_is_led_back_to_what_it_replaced(house: House) -> None:
    rome = told(house, house.key(ALICE), user_id=ALICE, limit=1)
    oslo = told(house, house.key(ALICE), user_id=ALICE, cursor=rome["cursor"])

    (new,), (old,) = rome["changes"], oslo["changes"]
    assert (new["kind"], new["value"], new["was"], new["believed"]) == ("replaced", "Rome", "Oslo", True)
    assert (old["kind"], old["by"], old["turn_id"], oslo["cursor"]) == ("learnt", new["id"], "t1", None)
    assert told(house, house.key(ALICE), user_id=ALICE, memory_id=old["id"])["changes"] == [new, old]


def test_why_something_was_forgotten_is_told(house: House) -> None:
    (figs,) = told(house, house.key(BOB), user_id=BOB)["changes"]
    reason = {"memory_id": figs["id"], "reason": "A joke.", "session_id": "of-bob", **GARDEN}
    assert house.ask(house.key(BOB), "forget", reason)["message"]

    gone, learnt = told(house, house.key(BOB), user_id=BOB)["changes"]

    assert (gone["kind"], gone["reason"], gone["session_id"]) == ("forgotten", "A joke.", "of-bob")
    assert (learnt["kind"], learnt["believed"]) == ("learnt", False)


@pytest.mark.parametrize("tool", ["memory_list_changes", "memory_count_changes"])
def test_a_key_that_speaks_for_bob_is_told_of_bob_alone(tool: str, house: House) -> None:
    bob = house.key(BOB)

    assert told(house, bob, tool, user_id=ALICE)["error"]["code"] == "PERMISSION_DENIED"
    assert told(house, bob, tool) == told(house, bob, tool, user_id=BOB)
    assert told(house, house.key(projects=(project_pattern("shop"),)), tool, user_id=BOB)["error"]
    both = told(house, house.key(ALICE, BOB), tool)
    assert both["error"]["code"] == "INVALID_ARGUMENT"


def test_a_bound_key_counts_its_user_and_another_the_project(house: House) -> None:
    def now(key: str, **arguments: Any) -> tuple[int, int, int]:
        found = told(house, key, "memory_count_changes", **arguments)
        return found["now"]["facts"], found["now"]["turns"], found["of_logs"]

    assert now(house.key(BOB)) == (1, 1, 1)
    assert now(house.key()) == (2, 3, 2)
    assert now(house.key(), user_id=ALICE) == (1, 2, 1)


def test_days_are_told_in_utc_and_counted(house: House) -> None:
    today = house.services.adapters.clock.now().date()

    found = told(house, house.key(), "memory_count_changes", user_id=ALICE, since=str(today), until=str(today))

    counts = {"learnt": 1, "replaced": 1, "forgotten": 0, "ended": 0, "kept": 0, "turns": 2}
    assert found["days"] == [{"day": str(today), **counts}]
    assert date.fromisoformat(told(house, house.key(), "memory_count_changes")["days"][0]["day"]) < today


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"since": "yesterday"}, "since"),
        ({"until": "2026-02-30"}, "until"),
        ({"since": "2026-03-02", "until": "2026-03-01"}, "since"),
        ({"since": "2024-01-01", "until": "2026-03-01"}, "since"),
    ],
)
def test_days_that_are_none_are_refused_by_name(arguments: dict[str, str], field: str, house: House) -> None:
    error = told(house, house.key(), "memory_count_changes", **arguments)["error"]

    assert (error["code"], [*error["details"]["fields"]]) == ("INVALID_ARGUMENT", [field])


def test_a_cursor_that_is_none_is_refused(house: House) -> None:
    error = told(house, house.key(), user_id=ALICE, cursor="nonsense")["error"]

    assert (error["code"], [*error["details"]["fields"]]) == ("INVALID_ARGUMENT", ["cursor"])
