"""The record of calls: who called what, how it ended, and no value."""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NoReturn

import pytest

from cairn.calls.journal import Journal
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, Disabled, InvalidArgument, PermissionDenied, Unavailable
from cairn.ground.ids import Tenant
from cairn.ground.session import Subject
from cairn.services import Services
from cairn.settings.settings import Settings
from cairn.tool.call import Call
from cairn.vault.vault import Vault
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from cairn_tools.remember import remember
from support.calls import ACME, EXAMPLE_BEFORE, HOUR, log_of, stored
from support.faults import FaultyStore, refused
from support.services import changed, services_over


def outcomes(adapters: Adapters, tenant: Tenant = ACME) -> list[tuple[str, str]]:
    now = adapters.clock.now()
    return [(each.tool, each.outcome) for each in log_of(adapters).records(tenant, now - 24 * HOUR, now)]


@pytest.mark.req("R013")
@pytest.mark.req("R163")
def test_a_call_leaves_one_record_of_who_called_what_on_what_and_no_value(call: Call, adapters: Adapters) -> None:
    caller = replace(call.caller, credential="0123456789abcdef")

    memory_after_turn.execute(EXAMPLE, replace(call, caller=caller))

    (record,) = log_of(adapters).records(ACME, adapters.clock.now() - HOUR, adapters.clock.now())
    assert (record.tool, record.outcome, record.credential) == ("memory_after_turn", "admitted", "0123456789abcdef")
    assert (record.subject.project, record.subject.session_id, record.subject.turn_id) == ("garden", "monday", "turn-1")
    assert (record.request_id, record.at) == ("request-1", adapters.clock.now())
    assert set(record.arguments) == set(EXAMPLE)
    assert record.arguments["project"] == len('"garden"')
    (item,) = stored(adapters)
    assert "beans" not in json.dumps(item)


@pytest.mark.req("R013")
def test_the_log_s_line_of_a_call_tells_the_size_of_each_argument_and_no_value(
    call: Call, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "cairn")

    memory_after_turn.execute(EXAMPLE, call)

    (line,) = [vars(each)["call"].line() for each in caplog.records if "call" in vars(each)]
    assert {"tool", "tenant", "status", "latency_ms", "arguments"} <= set(line)
    assert line["arguments"] == {name: len(json.dumps(value).encode()) for name, value in EXAMPLE.items()}
    assert "beans" not in json.dumps(line)


@pytest.mark.req("R163")
@pytest.mark.req("R164")
def test_denied_invalid_and_failed_calls_are_recorded_by_their_codes(
    call: Call, adapters: Adapters, clock: Any
) -> None:
    def fails(change: Call, arguments: dict[str, Any]) -> None:
        clock.advance(seconds=1)
        with pytest.raises(CairnError):
            memory_after_turn.execute(arguments, change)

    fails(replace(call, caller=replace(call.caller, scopes=frozenset({"read"}))), EXAMPLE)
    fails(replace(call, caller=replace(call.caller, projects=())), EXAMPLE)
    fails(call, {**EXAMPLE, "project": "../"})
    clock.advance(seconds=1)
    memory_after_turn.execute(EXAMPLE, call)
    fails(call, {**EXAMPLE, "input_items": []})

    found = [outcome for _, outcome in outcomes(adapters)][::-1]
    assert found == [
        *("PERMISSION_DENIED", "PERMISSION_DENIED", "INVALID_ARGUMENT"),
        *("admitted", "admitted", "CONFLICT"),
    ]
    assert [item.get("project") for item in stored(adapters)] == [None, "garden", None, "garden", "garden", "garden"]


def test_a_tool_that_is_off_leaves_no_record_as_one_that_does_not_exist(call: Call, adapters: Adapters) -> None:
    off = replace(call, services=changed(call.services, settings=Settings(memory_enabled=False)))

    with pytest.raises(Disabled):
        memory_after_turn.execute(EXAMPLE, off)

    assert outcomes(adapters) == []


@pytest.mark.req("R163")
@pytest.mark.parametrize("tool", [memory_after_turn, remember], ids=lambda tool: tool.name)
def test_no_call_that_writes_is_answered_whose_record_cannot_be_written(
    tool: Any, call: Call, adapters: Adapters
) -> None:
    class NoAudit:
        def __getattr__(self, name: str) -> Any:
            return getattr(adapters.table, name)

        def transact(self, writes: Sequence[Any]) -> None:
            if "#audit" in str(writes[0]):
                raise Unavailable("throttled")
            adapters.table.transact(writes)

    services = services_over(replace(adapters, table=NoAudit()), call.services.settings)  # pyright: ignore[reportArgumentType]

    with pytest.raises(Unavailable, match="recorded"):
        tool.execute(dict(tool.example), replace(call, services=services))


@pytest.mark.req("R164")
def test_whoever_is_denied_is_told_so_even_where_that_cannot_be_recorded(call: Call, adapters: Adapters) -> None:
    def refuse(_: object) -> NoReturn:
        raise Unavailable("throttled")

    class NoAudit:
        put = transact = staticmethod(refuse)

        def __getattr__(self, name: str) -> Any:
            return getattr(adapters.table, name)

    settings = replace(call.services.settings, rate_limits=replace(call.services.settings.rate_limits, **UNLIMITED))
    services = services_over(replace(adapters, table=NoAudit()), settings)  # pyright: ignore[reportArgumentType]
    denied = Call(replace(call.caller, scopes=frozenset()), services)

    with pytest.raises(PermissionDenied):
        memory_after_turn.execute(EXAMPLE, denied)


UNLIMITED: dict[str, Any] = {"tenant_per_second": 0.0, "tool_per_second": 0.0, "namespace_per_second": 0.0}


@pytest.mark.req("R278")
def test_records_are_listed_by_tenant_and_time_and_limit_newest_first(
    call: Call, adapters: Adapters, clock: Any
) -> None:
    start = clock.now()
    for number in range(6):
        memory_after_turn.execute({**EXAMPLE, "turn_id": f"t{number}"}, call)
        clock.advance(hours=7)
    other = replace(call, caller=replace(call.caller, tenant=Tenant("acme2")))
    memory_after_turn.execute({**EXAMPLE, "turn_id": "theirs"}, other)
    log = log_of(adapters)

    def turns(since: int, until: int, limit: int = 100) -> list[str | None]:
        found = log.records(ACME, start + since * HOUR, start + until * HOUR, limit)
        return [each.subject.turn_id for each in found]

    assert turns(0, 100) == ["t5", "t4", "t3", "t2", "t1", "t0"]
    assert turns(7, 21) == ["t3", "t2", "t1"]
    assert turns(0, 100, 2) == ["t5", "t4"]
    assert [each.subject.turn_id for each in log.records(Tenant("acme2"), start, clock.now())] == ["theirs"]
    for limit in (0, 1001):
        with pytest.raises(InvalidArgument, match="limit"):
            turns(0, 1, limit)


@pytest.mark.req("R278")
def test_a_hundred_records_are_listed_unless_told(call: Call, adapters: Adapters) -> None:
    for _ in range(101):
        memory_before_turn.execute(EXAMPLE_BEFORE, call)

    assert len(log_of(adapters).records(ACME, adapters.clock.now(), adapters.clock.now())) == 100


@pytest.mark.req("R278")
def test_a_command_that_ends_within_a_millisecond_is_listed_after_its_beginning(services: Services) -> None:
    for _ in range(20):  # ids of one millisecond are random, so that one pair would be in order half the time
        with services.journal.command(ACME, "cairn export", Subject()):
            pass

        now = services.adapters.clock.now()
        records = log_of(services.adapters).records(ACME, now, now)
        begun, ended = sorted(records, key=lambda record: record.id)[-2:]

        assert (begun.outcome, ended.outcome) == ("admitted", "done")
        services.adapters.clock.sleep(1)


@pytest.mark.req("R278")
def test_a_command_that_cannot_be_recorded_is_not_begun_and_one_that_breaks_is_no_success(
    services: Services, adapters: Adapters
) -> None:
    away = Journal(replace(adapters, table=FaultyStore(adapters, 1, refused)), Vault(adapters), HOUR)
    with pytest.raises(Unavailable), away.command(ACME, "cairn export", Subject()):
        pytest.fail("it was begun")
    assert outcomes(adapters) == []

    with pytest.raises(ZeroDivisionError), services.journal.command(ACME, "cairn export", Subject()):
        _ = 1 / 0
    assert {outcome for _, outcome in outcomes(adapters)} == {"admitted", "INTERNAL_ERROR"}
