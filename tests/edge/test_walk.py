"""The session that `make conformance` has the MCP Inspector play calls every tool, and is answered as it says."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import walk
from cairn_mcp import door
from support.tool import FOR_AGENTS


@pytest.fixture
def call(fresh: Callable[[], Any], event_of: Callable[..., dict[str, Any]]) -> walk.Call:
    """Return a function that calls a tool over MCP."""
    fresh()

    def called(tool: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        params = {"name": tool, "arguments": arguments}
        event = event_of("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        return json.loads(door.handler(event, None)["body"])["result"]["structuredContent"]

    return called


@pytest.mark.slow
def test_a_session_through_every_tool_is_answered_as_it_says(call: walk.Call) -> None:
    played = list(walk.play(call))
    assert not [f"{each.step.id}: {problem}" for each in played for problem in each.problems]
    assert {each.step.tool for each in played if "error" not in each.answer} == {tool.name for tool in FOR_AGENTS}


def test_a_tool_that_the_session_leaves_out_is_called_by_its_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorter = tmp_path / "session.yml"
    shorter.write_text("- {id: one, about: One, tool: recall, with: {}}")
    monkeypatch.setattr(walk, "SESSION", shorter)
    assert [step.tool for step in walk.steps()] == [
        "recall",
        *(tool.name for tool in FOR_AGENTS if tool.name != "recall"),
    ]


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        ({"gives": {"recall_fact_ids": [1]}}, "answer.recall_fact_ids[0] is missing, not 1"),
        ({"gives": {"recall_fact_ids": {}}}, "answer.recall_fact_ids is [], not {}"),
        ({"gives": {"found": True}}, "answer.found is missing, not true"),
        ({"says": ("peanuts",)}, "does not say 'peanuts'"),
        ({"hides": ("cook",)}, "says 'cook'"),
        ({"arguments": {}, "gives": {}, "says": ()}, "the call failed"),
    ],
)
def test_whatever_differs_from_what_a_step_gives_is_a_problem(
    changes: dict[str, Any], problem: str, call: walk.Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = walk.steps()[0]
    monkeypatch.setattr(walk, "steps", lambda: (replace(first, **changes),))
    (played,) = walk.play(call)
    assert played.problems == [problem]
