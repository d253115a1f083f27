"""A warm before_turn costs the same however long the session is: counted in calls and items, not in time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cairn.domain.table import Query

START = Callable[..., Any]


def cost(talk: Any) -> tuple[int, int, int]:
    """Return the reads, the items read and the writes of one warm call."""
    talk.ask("Which beans grow well?")
    table = talk.table
    before = table.reads, table.items_read, table.writes
    talk.ask("Which beans grow well?")
    return table.reads - before[0], table.items_read - before[1], table.writes - before[2]


@pytest.mark.slow
@pytest.mark.req("R267")
def test_turn_one_thousand_costs_what_turn_ten_did(start: START, clock: Any) -> None:
    talk = start(recent_context_items=10)
    costs: dict[int, tuple[int, int, int]] = {}
    for number in range(1, 1001):
        talk.say(f"The beans of row {number} grow well.")
        clock.advance(minutes=10)
        if number in {10, 1000}:
            costs[number] = cost(talk)

    assert costs[1000] == costs[10]


@pytest.mark.req("R267")
def test_a_warm_call_makes_one_round_of_three_queries(start: START, watched: Any, clock: Any) -> None:
    talk = start()
    talk.say("I live in Berlin.")
    clock.advance(minutes=1)
    talk.ask("Where do I live?")
    asked: list[str] = []

    def note(what: object) -> None:
        assert isinstance(what, Query)
        asked.append(what.pk.split("#")[1] + what.low[:2])

    watched.before_call = note
    talk.ask("Where do I live?")
    watched.before_call = None

    assert asked == ["se#", "scm", "mm#"]
