"""What a call on a branch asks of the store, beside the same call on the project."""

from __future__ import annotations

from typing import Any

import pytest

from processes import Process, deployed

PLACE = {"project": "garden", "session_id": "monday", "user_id": "ada"}
TRIED = {**PLACE, "project": "garden@try-1"}
TURN = {"input_items": ["The shed is red."], "output_items": ["Noted."]}
CALLS: dict[str, dict[str, Any]] = {
    "memory_before_turn": {"current_input": "What is red?"},
    "recall": {"query": "What is red?"},
    "memory_after_turn": TURN,
}


def rounds(process: Process, place: dict[str, str], tool: str, number: int) -> int:
    turn = {"turn_id": f"t{number}"} if tool == "memory_after_turn" else {}
    return process.cost(tool, {**place, **CALLS[tool], **turn}, after_seconds=40).rounds


@pytest.mark.parametrize("tool", CALLS)
def test_a_call_on_a_branch_takes_the_rounds_of_its_project_and_two_more_at_first(tool: str) -> None:
    with deployed() as store:
        store.tool("memory_after_turn", {**PLACE, **TURN, "turn_id": "t0"})
        store.clock.sleep(60)
        store.tool("memory_branch", {"project": "garden", "action": "create", "name": "try-1"})
        here, there = store.process(), store.process()
        first = [rounds(process, place, tool, 1) for process, place in ((here, PLACE), (there, TRIED))]
        warm = [rounds(process, place, tool, 2) for process, place in ((here, PLACE), (there, TRIED))]
        other = rounds(store.process(), TRIED, tool, 3)
    assert warm[1] == warm[0], (first, warm, other)
    assert other <= first[0] + 2, (first, warm, other)
    assert first[1] <= first[0] + 3, (first, warm, other)
