"""A tenant's budget of a month: how much of it is spent is told, and where it wants it, nothing more is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from decimal import Decimal
from http import HTTPStatus
from typing import Any

import pytest

from cairn.calls.budgets import LIFETIME, Budgets, Spent
from cairn.calls.layout import spent_key
from cairn.edge import problems
from cairn.ground.adapters import Adapters
from cairn.ground.errors import BudgetSpent, CairnError, Unavailable
from cairn.ground.settings import BudgetSettings
from cairn.ground.table import Attributes, Key, Put
from cairn.services import Services
from cairn.settings import settings as settings_of
from cairn.settings.settings import Settings
from cairn.telemetry.metrics import BUDGET_WARNINGS, samples
from cairn.telemetry.record import recorded
from cairn.tool.call import Call, execute
from cairn_tools.catalog import CATALOG
from cairn_tools.memory_tell_costs import memory_tell_costs
from support.calls import ACME
from support.services import services_over

PLACE = {"project": "garden", "session_id": "monday"}
TURN = {**PLACE, "input_items": "I like figs.", "output_items": "Noted."}
FREEING = {
    "deleteMemory": {"namespace": "session.a", "key": "k"},
    "forget": {**PLACE, "memory_id": "f" * 32},
    "memory": {"project": "p", "user_id": "ada", "command": "delete", "path": "/memories/a.md"},
    "memory_branch": {"project": "p", "action": "list"},
    "memory_delete_items": {"project": "p", "user_id": "ada", "log": "l"},
    "memory_put_documents": {
        "project": "p",
        "user_id": "ada",
        "documents": [{"collection": ["c"], "key": "k", "value": None}],
    },
    "memory_run_maintenance": PLACE,
    "memory_take_back_turn": {**PLACE, "turn_id": "t"},
}
SPENDING = {
    "memory": {"project": "p", "user_id": "ada", "command": "create", "path": "/memories/a.md", "file_text": "x"},
    "memory_after_turn": {**TURN, "turn_id": "t9"},
    "memory_branch": {"project": "p", "action": "create", "name": "try"},
    "memory_put_documents": {
        "project": "p",
        "user_id": "ada",
        "documents": [{"collection": ["c"], "key": "k", "value": 1}],
    },
    "putMemory": {"namespace": "session.a", "key": "k", "value": 1},
    "remember": {**PLACE, "content": "Figs."},
}


class Reads:
    """A table that counts how often a key is read, and can fail to answer for it."""

    def __init__(self, table: Any) -> None:
        self._table = table
        self.times = 0
        self.is_down = False

    def get(self, key: Key) -> Attributes | None:
        if key == spent_key(ACME):
            self.times += 1
            if self.is_down:
                raise Unavailable("throttled")
        return self._table.get(key)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)


@pytest.fixture
def process(adapters: Adapters, settings: Settings) -> Callable[..., Services]:
    """Return a function that starts a process under a budget."""

    def start(table: Any = None, **budget: Any) -> Services:
        knobs: dict[str, Any] = {"monthly_dollars": 1.0, "brake": True, **budget}
        given = replace(settings, budget=BudgetSettings(**knobs))
        return services_over(adapters if table is None else replace(adapters, table=table), given)

    return start


def spend(adapters: Adapters, dollars: str, month: str = "2026-03") -> None:
    """Store what whoever sealed the log of acme added up."""
    adapters.table.put(Put(Spent(month, Decimal(dollars)).to_item(ACME)))


def outcome(caller: Any, services: Services, tool: str, arguments: dict[str, Any]) -> CairnError | None:
    try:
        execute(CATALOG, tool, arguments, Call(caller, services))
    except CairnError as error:
        return error
    return None


@pytest.mark.parametrize("tool", SPENDING)
def test_what_writes_is_refused_once_all_is_spent(
    tool: str, process: Callable[..., Services], adapters: Adapters, caller: Any
) -> None:
    spend(adapters, "1.00")

    error = outcome(caller, process(), tool, SPENDING[tool])

    assert isinstance(error, BudgetSpent)
    assert problems.http_status(error) == HTTPStatus.TOO_MANY_REQUESTS
    assert (error.code, error.retryable, error.details["until"]) == ("QUOTA_EXCEEDED", False, "2026-04-01")
    assert "budget of $1 is spent" in error.message


@pytest.mark.parametrize("tool", FREEING)
def test_what_forgets_and_removes_is_never_refused_for_a_budget(
    tool: str, process: Callable[..., Services], adapters: Adapters, caller: Any
) -> None:
    spend(adapters, "5.00")

    assert not isinstance(outcome(caller, process(), tool, FREEING[tool]), BudgetSpent)


def test_what_reads_or_is_for_operators_spends_and_a_pipe_leaves_it_to_its_steps() -> None:
    assert not any(tool.spends for tool in CATALOG if tool.read_only or tool.for_operators or tool.runs)
    assert {tool.name for tool in CATALOG if tool.spends} >= set(SPENDING)


@pytest.mark.parametrize(
    ("spent", "budget"),
    [
        (("0.99",), {}),
        (("5.00", "2026-02"), {}),
        (("5.00",), {"brake": False}),
        (("5.00",), {"monthly_dollars": 0.0}),
    ],
)
def test_nothing_is_refused_before_all_is_spent_in_another_month_or_without_a_brake(
    spent: tuple[str, ...], budget: dict[str, Any], process: Callable[..., Services], adapters: Adapters, caller: Any
) -> None:
    spend(adapters, *spent)

    assert outcome(caller, process(**budget), "memory_after_turn", {**TURN, "turn_id": "t1"}) is None


def test_a_warm_call_waits_for_no_sum_and_reads_it_beside_its_work_once_a_minute(
    process: Callable[..., Services], adapters: Adapters, caller: Any, clock: Any
) -> None:
    table = Reads(adapters.table)
    services = process(table)
    assert outcome(caller, services, "memory_after_turn", {**TURN, "turn_id": "t0"}) is None
    assert table.times == 1
    spend(adapters, "2.00")

    assert outcome(caller, services, "memory_after_turn", {**TURN, "turn_id": "t1"}) is None
    assert table.times == 1
    clock.advance(seconds=LIFETIME.total_seconds())
    assert outcome(caller, services, "memory_after_turn", {**TURN, "turn_id": "t2"}) is None
    assert table.times == 2

    assert isinstance(outcome(caller, services, "memory_after_turn", {**TURN, "turn_id": "t3"}), BudgetSpent)


def test_a_sum_that_cannot_be_read_or_makes_no_sense_refuses_nothing(
    process: Callable[..., Services], adapters: Adapters, caller: Any
) -> None:
    table = Reads(adapters.table)
    table.is_down = True
    assert outcome(caller, process(table), "memory_after_turn", {**TURN, "turn_id": "t1"}) is None

    where = spent_key(ACME)
    adapters.table.put(Put({"pk": where.pk, "sk": where.sk, "month": "2026-03", "nanodollars": "much"}))
    assert outcome(caller, process(), "memory_after_turn", {**TURN, "turn_id": "t2"}) is None


def test_sealing_adds_up_what_the_month_cost_and_warns_from_the_share_that_is_set(
    process: Callable[..., Services], adapters: Adapters, caller: Any, clock: Any
) -> None:
    services = process()
    for number in range(9):
        clock.advance(minutes=1)
        assert outcome(caller, services, "memory_after_turn", {**TURN, "turn_id": f"t{number}"}) is None
    clock.advance(hours=1)
    process(monthly_dollars=0.0).sealer.seal(ACME, timedelta(minutes=1))
    cost = services.billing.bill(ACME).dollars()["total"]

    for budget, warnings in ((cost / 0.81, 1), (cost / 0.79, 0)):
        sealing = process(monthly_dollars=budget)
        with recorded("r1") as record:
            record.name_job("seal_audit")
            sealing.sealer.seal(ACME, timedelta(minutes=1))
        told = [each.value for each in samples(record) if each.metric is BUDGET_WARNINGS]
        assert sum(told) == record.budget_warnings == warnings
        assert record.budget_share == pytest.approx(cost / budget, abs=0.001)
    assert float(Spent.stored(adapters.table.get(spent_key(ACME))).dollars) == pytest.approx(cost)
    spent = process(monthly_dollars=cost)
    assert isinstance(outcome(caller, spent, "memory_after_turn", {**TURN, "turn_id": "t99"}), BudgetSpent)


def test_nothing_is_added_up_for_a_tenant_without_a_budget(
    adapters: Adapters,
) -> None:
    def billing() -> Any:
        raise AssertionError

    Budgets(adapters, lambda _: BudgetSettings(), billing).reckon(ACME)

    assert adapters.table.get(spent_key(ACME)) is None


def test_operators_are_told_how_much_of_the_budget_is_spent(process: Callable[..., Services], caller: Any) -> None:
    operator = replace(caller, scopes=frozenset({"read", "write", "admin"}))
    services = process(monthly_dollars=0.000001)
    outcome(caller, services, "memory_after_turn", {**TURN, "turn_id": "t1"})

    budget = memory_tell_costs.execute({}, Call(operator, services))["budget"]

    assert budget["share"] > 1
    assert (budget["is_warned"], budget["brake"], budget["monthly_dollars"]) == (True, True, 0.000001)
    without = process(monthly_dollars=0.0)
    assert memory_tell_costs.execute({}, Call(operator, without))["budget"] is None


def test_a_tenant_has_a_budget_of_its_own() -> None:
    mcp = {"budget": {"monthly_dollars": 5.0}, "tenants": {"acme": {"budget": {"brake": True}}}}

    found = settings_of.load({"settings": {"mcp": mcp}}, {})

    assert found.budget_for(ACME) == BudgetSettings(monthly_dollars=5.0, brake=True)
    assert found.budget == BudgetSettings(monthly_dollars=5.0)
