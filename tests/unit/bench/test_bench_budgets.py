"""The budgets of the design, in figures that no machine changes: what `make bench-budgets` prints, at small sizes."""

from __future__ import annotations

import pytest

import budgets
import costs
from cairn_tools.catalog import CATALOG
from costs import Growth, Measured
from scenes import AFTER, BEFORE, SCENES

OVER = {
    "write units of a turn of 2,000 bytes": 22,
    "read units of a turn of 2,000 bytes": 6,
}
"""Budgets that are not met, and what the figures may be at most.

Of what is known of a user across projects each call of a turn reads what came since: a query each, in a round that it
makes anyway. A turn that says who the user is writes two items more, in its transaction, as the one measured does; and
it is of lines from chats, whose statements take a kilobyte more.
"""

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def tools() -> dict[str, Measured]:
    return dict(costs.every_tool(turns=70))


@pytest.fixture(scope="module")
def turns() -> Growth:
    growth, _ = costs.by_turns([25, 75], (*costs.MEMORY_SCENES, AFTER))
    return growth


@pytest.fixture(scope="module")
def memories() -> Growth:
    return costs.by_memories([100, 400])


@pytest.fixture(scope="module")
def items() -> Growth:
    return costs.by_items([10, 400])


@pytest.fixture(scope="module")
def documents() -> Growth:
    return costs.by_documents([10, 400])


def test_every_tool_that_is_on_in_aws_is_measured(tools: dict[str, Measured]) -> None:
    assert {scene.tool for scene in SCENES} == {tool.name for tool in CATALOG if not tool.own_machine_only}
    assert all(each.warm.rounds <= each.new.rounds <= each.cold.rounds for each in tools.values())


def test_every_budget_is_met_but_those_that_are_known_not_to_be(
    tools: dict[str, Measured], turns: Growth, memories: Growth, documents: Growth, items: Growth
) -> None:
    found = {each.what: each for each in budgets.budgets(tools, turns, memories, documents, items)}

    assert {each.what for each in found.values() if not each.met} <= OVER.keys()
    assert OVER.keys() <= found.keys()
    assert {what: found[what].figure for what in OVER if found[what].figure > OVER[what]} == {}


def test_a_warm_turn_asks_neither_s3_nor_kms_and_queues_the_making_of_its_vectors(tools: dict[str, Measured]) -> None:
    turn = tools[BEFORE.name].warm + tools[AFTER.name].warm

    # One of those to DynamoDB keeps the receipt of what was prepared, beside the call's record.
    assert [turn.calls(service) for service in ("DynamoDB", "S3", "KMS", "SQS", "Lambda")] == [12, 0, 0, 1, 0]


def test_the_units_of_a_turn_are_those_of_its_items(tools: dict[str, Measured]) -> None:
    *items, total = budgets.units_table(tools).rows

    assert total[4] == sum(int(row[4] or 0) for row in items)
    assert {row[2] for row in items} == {
        "record of the call",
        "receipt",
        "guard",
        "head",
        "events",
        "log entry",
        "the log's newest",
    }
