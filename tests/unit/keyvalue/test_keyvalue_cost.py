"""What calls of key-value memory and getContext cost, counted: what they wait for, at any size, and what caches spare.

Round trips in sequence stand for latency, calls and units of the store for throughput: neither depends on the machine.
Each call is whole, as a door makes it, with its policy, rates and audit record.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from cairn.tool.call import Call
from cairn.tool.tool import Tool
from cairn_tools.deleteMemory import deleteMemory
from cairn_tools.getContext import getContext
from cairn_tools.getMemory import getMemory
from cairn_tools.listMemory import listMemory
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from cairn_tools.putMemory import putMemory
from conftest import FakeClock
from metering import Meter

Metered = tuple[Call, Meter]

SPACE = {"namespace": "session.monday"}
SESSION = {"project": "garden", "session_id": "monday"}
CALLS: dict[str, tuple[Tool, dict[str, Any]]] = {
    "a new value": (putMemory, {"key": "k9999", "value": "v"}),
    "another value": (putMemory, {"key": "k0001", "value": "w"}),
    "a value on a condition": (putMemory, {"key": "k9998", "value": "v", "if_version": 0}),
    "a read": (getMemory, {"key": "k0001"}),
    "a page of keys": (listMemory, {"limit": 20}),
    "a removal": (deleteMemory, {"key": "k0002"}),
}


def cost(metered: Metered, tool: Tool, fields: dict[str, Any], times: int = 1) -> Counter[str]:
    """Return what calls count, and under `rounds` their round trips in sequence."""
    call, meter = metered
    meter.counts.clear()
    meter.rounds = 0
    for _ in range(times):
        tool.execute(fields, call)
    return meter.counts + Counter(rounds=meter.rounds)


def fill(metered: Metered, keys: range) -> None:
    for number in keys:
        putMemory.execute({**SPACE, "key": f"k{number:04}", "value": "v"}, metered[0])


def warm(metered: Metered) -> None:
    """Have the process take what it takes ahead, each tool's tokens among it."""
    for tool, fields in ((putMemory, {"value": "v"}), (getMemory, {}), (deleteMemory, {})):
        tool.execute({**SPACE, "key": "warm", **fields}, metered[0])
    listMemory.execute(SPACE, metered[0])


@pytest.mark.req("R180")
@pytest.mark.parametrize("name", CALLS)
def test_a_warm_call_waits_for_one_round_trip(name: str, metered: Metered) -> None:
    fill(metered, range(5))
    warm(metered)
    tool, fields = CALLS[name]

    assert cost(metered, tool, {**SPACE, **fields})["rounds"] == 1


@pytest.mark.slow
@pytest.mark.req("R180")
def test_a_call_costs_the_same_however_many_keys_there_are(metered: Metered) -> None:
    def costs() -> dict[str, Counter[str]]:
        return {name: cost(metered, tool, {**SPACE, **fields}) for name, (tool, fields) in CALLS.items()}

    fill(metered, range(100))
    warm(metered)
    few = costs()
    for key in ("k9999", "k9998"):
        deleteMemory.execute({**SPACE, "key": key}, metered[0])
    fill(metered, range(200))

    assert costs() == few


@pytest.mark.slow
@pytest.mark.req("R180")
def test_of_a_hundred_reads_none_asks_for_policy_or_key_and_few_for_tokens(metered: Metered, clock: FakeClock) -> None:
    fill(metered, range(1))
    warm(metered)
    read: dict[str, Any] = {**SPACE, "key": "k0000"}

    counts = cost(metered, getMemory, read, times=100)
    assert (counts["get"], counts["query"], counts["key_unwrap"]) == (100, 0, 0)
    assert counts["put"] <= 100 + 6, "a record each, and tokens for dozens of calls at a time"

    clock.advance(minutes=5)
    counts = cost(metered, getMemory, read, times=100)
    assert (counts["get"], counts["query"], counts["key_unwrap"]) == (101, 1, 1), "policy and key, once again"


@pytest.mark.slow
@pytest.mark.req("R180")
@pytest.mark.req("R167")
def test_of_fifty_questions_for_the_context_in_half_a_minute_one_reads(metered: Metered, clock: FakeClock) -> None:
    memory_after_turn.execute(EXAMPLE, metered[0])

    assert cost(metered, getContext, SESSION, times=50)["query"] == 2, "newest and first call, in one round"
    clock.advance(seconds=30)
    assert cost(metered, getContext, SESSION, times=50)["query"] == 1, "the calls since"
