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
    for column in (-1, -2):  # of the last day, and of the month
        assert float(lines[0][column]) > float(lines[1][column]) > 0
    assert shown.stderr.startswith("4 calls from ")
    assert " would cost in AWS $0.0000" in shown.stderr
    assert ", of the last day $0.0000" in shown.stderr
    assert "- Lambda's compute time" in shown.stderr


def test_programs_get_the_answer_as_json(cairn: Run) -> None:
    costs = json.loads(cairn("cost", "--json").stdout)

    assert costs["own_machine"] is True
    assert costs["by_tool"][0]["tool"] == "memory_after_turn"


def test_another_tenant_has_no_call_but_this_one(cairn: Run) -> None:
    shown = cairn("cost", "--tenant", "other")

    assert [line.split("\t")[:2] for line in shown.stdout.splitlines()] == [["memory_tell_costs", "1"]]


def test_each_tenant_that_a_key_opens_has_its_lines(cairn: Run) -> None:
    assert cairn("keys", "create", "--tenant", "globex").exit_code == 0

    shown, told = cairn("cost", "--all-tenants"), json.loads(cairn("cost", "--all-tenants", "--json").stdout)

    lines = [line.split("\t") for line in shown.stdout.splitlines()]
    assert [(tenant, tool) for tenant, tool, *_ in lines] == [
        ("globex", "memory_tell_costs"),
        ("local", "memory_after_turn"),
        ("local", "memory_tell_costs"),
    ]
    assert [line.partition(" calls")[0] for line in shown.stderr.splitlines()] == ["globex: 1", "local: 4"]
    assert {tenant: costs["calls"] for tenant, costs in told.items()} == {"globex": 2, "local": 5}


def test_it_says_how_much_of_a_budget_is_spent_and_what_comes_of_that(cairn: Run, tmp_path: Path) -> None:
    def said(**budget: str) -> str:
        environment = {"CAIRN_DATA": str(tmp_path / "store"), **OFF, **budget}
        return CliRunner().invoke(main, ["cost"], env=environment).stderr

    assert cairn("cost").exit_code == 0
    assert "budget" not in said().splitlines()[0]
    assert " 0.0 % of the month's budget of $900." in said(CAIRN_BUDGET_MONTHLY_DOLLARS="900")
    spent = {"CAIRN_BUDGET_MONTHLY_DOLLARS": "0.000001"}
    assert "it is spent, and nothing is refused." in said(**spent)
    assert "it is spent, and calls that write are refused." in said(**spent, CAIRN_BUDGET_BRAKE="true")
    nearly = {"CAIRN_BUDGET_MONTHLY_DOLLARS": "900", "CAIRN_BUDGET_WARNING_SHARE": "0.00000001"}
    assert "it is nearly spent." in said(**nearly)
