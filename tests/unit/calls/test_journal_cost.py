"""What recording a call costs: nothing in sequence once a process is warm, and one small item."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.ids import UserId
from cairn.ground.table import Put, Query
from cairn.tool.call import Call
from cairn.tool.tool import Tool
from cairn_tools.getContext import getContext
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from metering import Meter, MeteredTable

LONGEST = {"project": "p" * 128, "session_id": "\U0001f331" * 128, "turn_id": "\U0001f33b" * 128}


def cost(tool: Tool, metered: tuple[Call, Meter], **fields: Any) -> Meter:
    call, meter = metered
    meter.counts.clear()
    meter.rounds = 0
    tool.execute({**tool.example, **fields}, call)
    return meter


@pytest.mark.parametrize(
    ("tool", "rounds", "writes"),
    [(memory_before_turn, 1, 2), (memory_after_turn, 2, None), (getContext, 1, 1)],
    ids=["before_turn", "after_turn", "getContext"],
)
def test_a_warm_call_makes_no_more_round_trips_and_one_write_more_and_one_for_a_receipt(
    tool: Tool, rounds: int, writes: int | None, metered: tuple[Call, Meter], clock: Any
) -> None:
    for number in range(2):
        memory_after_turn.execute({**EXAMPLE, "turn_id": f"t{number}"}, metered[0])
        memory_before_turn.execute(dict(memory_before_turn.example), metered[0])
        getContext.execute(dict(getContext.example), metered[0])
    clock.advance(seconds=40)
    fields = {"turn_id": "t9"} if tool is memory_after_turn else {}

    meter = cost(tool, metered, **fields)

    assert meter.rounds == rounds
    if writes is not None:
        assert (meter.counts["write_units"], meter.counts["put"]) == (writes, writes)
    else:
        assert meter.counts["put"] == 2, "the turn's guard and the record"


def test_even_the_call_that_takes_tokens_ahead_waits_for_none(metered: tuple[Call, Meter]) -> None:
    call, _ = metered
    memory_after_turn.execute(EXAMPLE, call)
    rounds: set[int] = set()
    puts = 0
    for _ in range(110):
        meter = cost(memory_before_turn, metered)
        rounds.add(meter.rounds)
        puts += meter.counts["put"]

    assert rounds <= {1, 2}, "two for the very first: the tool's own tokens"
    assert 220 + 3 <= puts <= 220 + 12, "a record and a receipt each"


@pytest.mark.parametrize(("names", "units"), [({}, 1), (LONGEST, 3)], ids=["usual names", "the longest names"])
def test_a_record_is_one_write_unit_and_its_place_in_the_index_another(
    names: dict[str, str], units: int, call: Call, adapters: Adapters
) -> None:
    for _ in range(2):
        memory_after_turn.execute({**EXAMPLE, **names}, call)
    record = adapters.table.query(Query("acme#audit#2026-03-01", "0", "\U0010ffff", descending=True)).items[0]
    meter = Meter()

    MeteredTable(adapters.table, meter).put(Put({**record, "sk": f"{record['sk']}x"}))

    assert (meter.counts["write_units"], meter.counts["index_units"]) == (units, 1)


@pytest.mark.parametrize("tool", [memory_before_turn, memory_after_turn], ids=["before_turn", "after_turn"])
def test_a_caller_bound_to_a_user_waits_once_more_for_a_session_that_its_process_has_not_met_for_a_minute(
    tool: Tool, metered: tuple[Call, Meter], clock: Any
) -> None:
    call, meter = metered
    bound = replace(call, caller=replace(call.caller, users=(UserId("ada"),))), meter
    for number in range(2):
        memory_after_turn.execute({**EXAMPLE, "turn_id": f"t{number}"}, bound[0])
        memory_before_turn.execute(dict(memory_before_turn.example), bound[0])
    rounds = 1 if tool is memory_before_turn else 2

    def cost_of(turn_id: str) -> int:
        return cost(tool, bound, **({"turn_id": turn_id} if tool is memory_after_turn else {})).rounds

    assert cost_of("t8") == rounds
    clock.advance(seconds=61)
    assert cost_of("t9") == rounds + 1
    assert cost_of("t10") == rounds
