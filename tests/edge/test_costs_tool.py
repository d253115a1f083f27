"""What calls cost is told to a tenant's operators, each of their own tenant, and to nobody else."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeAlias

import pytest

from cairn.access.api_keys import Grant, project_pattern, scope
from cairn.ground.adapters import Adapters
from cairn.ground.errors import PermissionDenied
from cairn.ground.ids import Project, Tenant, UserId
from cairn.ground.jobs import SealAudit
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.tool.call import Call
from cairn_jobs import worker
from cairn_mcp import door
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from cairn_tools.memory_tell_costs import memory_tell_costs
from support.access import bearer, through
from support.services import services_over

ACME, GLOBEX = Tenant("acme"), Tenant("globex")
EventOf: TypeAlias = Callable[..., dict[str, Any]]
Tell: TypeAlias = Callable[..., dict[str, Any]]


@pytest.fixture
def operator(call: Call) -> Call:
    return replace(call, caller=replace(call.caller, scopes=frozenset({"read", "write", "admin"})))


@pytest.fixture
def tell(operator: Call) -> Tell:
    """Return a function that asks as acme's operator, or as a caller with other rights."""

    def told(**changes: Any) -> dict[str, Any]:
        return memory_tell_costs.execute({}, replace(operator, caller=replace(operator.caller, **changes)))

    return told


def turn(call: Call, clock: Any, tenant: Tenant = ACME) -> None:
    clock.advance(seconds=1)
    named = {**EXAMPLE, "turn_id": clock.now().isoformat()}
    memory_after_turn.execute(named, replace(call, caller=replace(call.caller, tenant=tenant)))


@pytest.mark.parametrize(
    "grant",
    [
        Grant(scopes=(scope("read"), scope("write"))),
        Grant(users=(UserId("ada"),)),
        Grant((project_pattern("garden"),)),
    ],
    ids=["without admin", "of a user", "of a project"],
)
def test_only_a_key_with_admin_to_all_projects_and_of_no_user_is_told(
    services: Services, event_of: EventOf, grant: Grant
) -> None:
    issued = services.credentials.create(ACME, grant)
    event = through(bearer(issued.text), event_of("/v1/tools/memory_tell_costs", {}))

    response = memory_tell_costs.handler(event, None)

    assert response["statusCode"] == 403
    assert "units" not in response["body"]


@pytest.mark.parametrize(
    "changes",
    [{"scopes": frozenset({"read", "write"})}, {"users": (UserId("ada"),)}, {"projects": (Project("garden"),)}],
    ids=["without admin", "of a user", "of a project"],
)
def test_no_door_tells_another_caller(tell: Tell, changes: dict[str, Any]) -> None:
    with pytest.raises(PermissionDenied):
        tell(**changes)


@pytest.mark.parametrize("path", ["/mcp", "/mcp/agent"])
def test_no_agent_is_shown_it(services: Services, event_of: EventOf, path: str) -> None:
    issued = services.credentials.create(ACME, Grant())
    event = event_of(path, {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}})

    body = json.loads(door.handler(through(bearer(issued.text), event), None)["body"])

    assert "memory_tell_costs" not in {each["name"] for each in body["result"]["tools"]}


def test_each_tenant_is_told_what_its_own_calls_cost(operator: Call, clock: Any, tell: Tell) -> None:
    for _ in range(3):
        turn(operator, clock)
    turn(operator, clock, GLOBEX)
    theirs, ours = tell(tenant=GLOBEX), tell()

    assert {each["tool"]: each["calls"] for each in theirs["by_tool"]} == {
        "memory_after_turn": 1,
        "memory_tell_costs": 1,
    }
    assert {each["tool"]: each["calls"] for each in ours["by_tool"]} == {"memory_after_turn": 3, "memory_tell_costs": 1}
    assert tell(tenant=Tenant("nobody"))["dollars"]["table_writes"] == 0


def test_the_answer_says_what_was_used_what_that_costs_and_what_it_does_not_have(
    operator: Call, clock: Any, tell: Tell
) -> None:
    turn(operator, clock)
    memory_before_turn.execute(dict(memory_before_turn.example), operator)
    turn(operator, clock)
    clock.advance(seconds=1)

    costs = tell()

    assert (costs["month"], costs["since"], costs["until"]) == (
        "2026-03",
        "2026-03-01T00:00:00Z",
        "2026-03-01T12:00:03Z",
    )
    assert (costs["calls"], costs["counted"], costs["own_machine"]) == (4, 3, False)
    assert [each["tool"] for each in costs["by_tool"]] == [
        *("memory_after_turn", "memory_before_turn", "memory_tell_costs")
    ]
    day = costs["last_day"]
    assert (day["since"], day["until"], day["calls"]) == ("2026-02-28T12:00:03Z", "2026-03-01T12:00:03Z", 4)
    assert (day["dollars"], day["by_tool"]) == (costs["dollars"], costs["by_tool"])
    for name in ("calls", "counted", "read_units", "write_units", "blob_reads", "blob_writes", "blob_deletes"):
        assert costs[name] == sum(each[name] for each in costs["by_tool"])
    parts = dict(costs["dollars"])
    assert parts.pop("total") == pytest.approx(sum(parts.values()))
    assert parts["table_writes"] == pytest.approx(costs["write_units"] * 0.625e-6)
    assert parts["table_reads"] == pytest.approx(costs["read_units"] * 0.125e-6)
    assert parts["requests"] == pytest.approx(4 * 1.4e-6)
    assert any("these are of 3 calls" in each for each in costs["left_out"])
    assert any("$0.625 per 1,000,000 DynamoDB write units on demand" in each for each in costs["prices"])


def test_on_a_machine_of_ones_own_it_says_so(adapters: Adapters, settings: Settings, operator: Call) -> None:
    own = services_over(replace(adapters, own_disk=True), settings)

    assert memory_tell_costs.execute({}, replace(operator, services=own))["own_machine"] is True


def test_jobs_are_told_under_their_kind(operator: Call, clock: Any, tell: Tell) -> None:
    turn(operator, clock)
    clock.advance(minutes=10)
    worker.work(operator.services, SealAudit(ACME), timedelta(minutes=5), "job-1")
    turn(operator, clock)

    jobs = {each["tool"]: (each["calls"], each["counted"]) for each in tell()["by_tool"]}

    assert jobs["seal_audit"] == (0, 1)
