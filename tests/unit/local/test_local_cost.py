"""`cairn cost` shows what this month's calls cost, on one machine as what they would cost in AWS."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from cairn import wiring
from cairn.access.api_keys import ALL_PROJECTS
from cairn.access.callers import Caller
from cairn.local.cli import main
from cairn.local.store import LOCAL_TENANT, open_store
from cairn.tool.call import Call
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn

OFF = {"CAIRN_EMBEDDING_EMBEDDER": "none"}
Run = Callable[..., Result]
pytestmark = pytest.mark.slow


@pytest.fixture
def cairn(tmp_path: Path) -> Run:
    """Return a function that runs the command on a directory in which three turns were stored."""
    with open_store(tmp_path / "store", OFF):
        call = Call(Caller(LOCAL_TENANT, frozenset({"read", "write"}), "test", (ALL_PROJECTS,)), wiring.services())
        for number in range(3):
            memory_after_turn.execute({**EXAMPLE, "turn_id": f"t{number}"}, call)

    def run(*arguments: str) -> Result:
        return CliRunner().invoke(main, list(arguments), env={"CAIRN_DATA": str(tmp_path / "store"), **OFF})

    return run


def test_it_prints_a_line_for_each_tool_and_the_sum_for_people(cairn: Run) -> None:
    shown = cairn("cost")

    assert shown.exit_code == 0
    lines = [line.split("\t") for line in shown.stdout.splitlines()]
    assert [(tool, calls, counted) for tool, calls, counted, *_ in lines] == [
        ("memory_after_turn", "3", "2"),
        ("memory_tell_costs", "1", "0"),
    ]
    assert float(lines[0][4]) > 0
    assert float(lines[0][-1]) > float(lines[1][-1]) > 0
    assert shown.stderr.startswith("4 calls from ")
    assert " would cost in AWS $0.0000" in shown.stderr
    assert "- Lambda's compute time" in shown.stderr


def test_programs_get_the_answer_as_json(cairn: Run) -> None:
    costs = json.loads(cairn("cost", "--json").stdout)

    assert costs["own_machine"] is True
    assert costs["by_tool"][0]["tool"] == "memory_after_turn"


def test_another_tenant_has_no_call_but_this_one(cairn: Run) -> None:
    shown = cairn("cost", "--tenant", "other")

    assert [line.split("\t")[:2] for line in shown.stdout.splitlines()] == [["memory_tell_costs", "1"]]
