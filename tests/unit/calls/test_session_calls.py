"""getContext: what it tells of a session, fed by every call of it, and when it asks the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NoReturn

import pytest

from cairn.calls import session_calls as service
from cairn.calls.session_calls import SessionCalls
from cairn.calls.usage import Prices, SessionContext
from cairn.ground.adapters import Adapters
from cairn.ground.errors import CairnError, Disabled, InvalidArgument
from cairn.ground.ids import Project, SessionId, Tenant
from cairn.ground.session import Session, Subject
from cairn.ground.table import Delete, Key, Query
from cairn.tool.call import Call
from cairn_mcp.door import handler as mcp_handler
from cairn_tools.getContext import getContext
from cairn_tools.memory_after_turn import EXAMPLE, memory_after_turn
from cairn_tools.memory_before_turn import memory_before_turn
from cairn_tools.memory_run_maintenance import memory_run_maintenance
from metering import Meter, metered
from support.doubles import Counted
from support.services import changed, services_over

SESSION = {"project": "garden", "session_id": "monday"}
PARTS = {
    "session": {"session_id", "start_time", "memory_usage"},
    "agent": {"agent_id", "memory_usage"},
    "task": {"task_id", "memory_usage"},
    "all": {"session_id", "start_time", "agent_id", "task_id", "memory_usage"},
}


@pytest.fixture
def named(call: Call) -> Call:
    return replace(call, caller=replace(call.caller, credential="0123456789abcdef"))


def context(call: Call, **fields: Any) -> dict[str, Any]:
    return getContext.execute({**SESSION, **fields}, call)


@pytest.mark.req("R145")
def test_it_tells_session_agent_task_start_and_usage(named: Call, clock: Any) -> None:
    memory_before_turn.execute(dict(memory_before_turn.example), named)
    clock.advance(minutes=5)
    memory_after_turn.execute(EXAMPLE, named)
    clock.advance(minutes=5)

    found = context(named)

    assert (found["session_id"], found["agent_id"], found["task_id"]) == ("monday", "0123456789abcdef", "turn-1")
    assert found["start_time"] == "2026-03-01T12:00:00Z"
    assert type(found["memory_usage"]["tokens_used"]) is int
    assert found["memory_usage"]["tokens_used"] > 0
    assert found["memory_usage"]["usd_spent"] == 0.0


@pytest.mark.req("R144")
@pytest.mark.req("R146")
@pytest.mark.parametrize("kind", PARTS)
def test_each_part_has_its_fields_and_all_is_the_union(kind: str, named: Call) -> None:
    memory_after_turn.execute(EXAMPLE, named)

    assert set(context(named, context_type=kind)) == PARTS[kind]
    assert set(context(named)) == PARTS["all"] == set[str]().union(*PARTS.values())


@pytest.mark.req("R144")
@pytest.mark.parametrize("fields", [{"context_type": "user"}, {"context_type": ""}, {"include_history": "yes"}])
def test_other_parts_are_refused_by_the_field(fields: dict[str, Any], named: Call) -> None:
    with pytest.raises(InvalidArgument) as refused:
        context(named, **fields)
    assert set(refused.value.details["fields"]) == set(fields)  # pyright: ignore[reportArgumentType, reportUnknownArgumentType]


@pytest.mark.req("R147")
def test_history_is_there_only_when_asked_for_and_says_what_failed(named: Call, clock: Any) -> None:
    memory_after_turn.execute(EXAMPLE, named)
    clock.advance(seconds=1)
    with pytest.raises(CairnError):
        memory_after_turn.execute({**EXAMPLE, "output_items": []}, named)
    clock.advance(seconds=1)

    assert "tool_history" not in context(named)
    clock.advance(seconds=31)
    history = context(named, include_history=True)["tool_history"]

    assert history[:2] == [
        {"tool_name": "memory_after_turn", "timestamp": "2026-03-01T12:00:00Z", "success": True},
        {"tool_name": "memory_after_turn", "timestamp": "2026-03-01T12:00:01Z", "success": False},
    ]
    assert [each["tool_name"] for each in history[2:]] == ["getContext", "getContext"]


@pytest.mark.req("R015")
def test_every_call_of_the_session_feeds_it_through_any_door_but_no_key_s_that_the_project_is_closed_to(
    named: Call, clock: Any, event_of: Callable[..., dict[str, Any]]
) -> None:
    memory_before_turn.handler(event_of("/", memory_before_turn.example), None)
    asked = {"name": "memory_run_maintenance", "arguments": SESSION}
    clock.advance(seconds=1)
    mcp_handler(event_of("/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}), None)
    clock.advance(seconds=1)
    memory_run_maintenance.execute({**SESSION, "session_id": "tuesday"}, named)
    denied = replace(named, caller=replace(named.caller, projects=()))
    with pytest.raises(CairnError):
        memory_run_maintenance.execute(SESSION, denied)
    clock.advance(seconds=1)

    history = context(named, include_history=True)["tool_history"]

    assert [(each["tool_name"], each["success"]) for each in history[:-1]] == [
        ("memory_before_turn", True),
        ("memory_run_maintenance", True),
    ]


def test_usage_grows_with_what_calls_send_and_is_the_agent_s_or_the_turn_s_own(named: Call, clock: Any) -> None:
    other = replace(named, caller=replace(named.caller, credential="fedcba9876543210"))
    priced = replace(named, services=changed(named.services, prices=Prices(per_call=4.82e-6, per_byte=1.25e-9)))
    memory_after_turn.execute(EXAMPLE, named)
    memory_after_turn.execute({**EXAMPLE, "turn_id": "turn-2"}, other)
    clock.advance(seconds=1)

    usage = {kind: context(priced, context_type=kind)["memory_usage"] for kind in ("session", "agent", "task")}

    assert usage["task"]["tokens_used"] < usage["agent"]["tokens_used"] < usage["session"]["tokens_used"]
    assert 0 < usage["task"]["usd_spent"] < usage["agent"]["usd_spent"] < usage["session"]["usd_spent"] < 0.001


@pytest.mark.req("R167")
@pytest.mark.req("R180")
def test_within_30_seconds_the_store_is_not_read_again(named: Call, adapters: Adapters, clock: Any) -> None:
    calls: list[str] = []
    counted: Any = Counted(adapters.table, calls)
    process = replace(named, services=services_over(replace(adapters, table=counted), named.services.settings))
    context(process)
    assert calls.count("query") == 4, "twice the key of a new tenant, the newest calls and the first"
    memory_after_turn.execute(EXAMPLE, process)
    calls.clear()

    clock.advance(seconds=29.9)
    stale = context(process, include_history=True)
    assert set(calls) == {"put"}
    assert len(stale["tool_history"]) == 1

    clock.advance(seconds=0.2)
    assert len(context(process, include_history=True)["tool_history"]) > 1
    assert calls.count("query") == 1, "the calls that are new or may still be; when the first was is known"


@pytest.mark.req("R167")
def test_what_is_kept_is_a_tenant_s_and_a_session_s_own(named: Call) -> None:
    memory_after_turn.execute(EXAMPLE, named)
    mine = context(named, include_history=True)
    theirs = replace(named, caller=replace(named.caller, tenant=Tenant("acme2")))

    assert [each["tool_name"] for each in mine["tool_history"]] == ["memory_after_turn", "getContext"]
    assert [each["tool_name"] for each in context(theirs, include_history=True)["tool_history"]] == ["getContext"]
    assert context(named, session_id="tuesday")["task_id"] == ""


def test_a_process_keeps_a_bounded_number_of_sessions(
    named: Call, adapters: Adapters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_MOST_SESSIONS", 2)
    calls: list[str] = []
    counted: Any = Counted(adapters.table, calls)
    session_calls = SessionCalls(replace(adapters, table=counted))
    sessions = [getContext.input(**{**SESSION, "session_id": name}) for name in ("a", "b", "c", "a", "c")]

    for each in sessions:
        session_calls.of(each.session(named.caller.tenant))  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]

    assert calls == ["query"] * 8


def test_a_process_keeps_a_bounded_number_of_calls(
    named: Call, adapters: Adapters, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_MOST_KEPT", 2)
    sessions = [Session(named.caller.tenant, Project("garden"), SessionId(name)) for name in ("a", "b")]
    for session in sessions:
        for _ in range(2):
            context(named, session_id=session.session_id)
    asked: list[str] = []
    counted: Any = Counted(adapters.table, asked)
    session_calls = SessionCalls(replace(adapters, table=counted))

    for session in (*sessions, sessions[1], sessions[0]):
        session_calls.of(session)

    assert asked == ["query"] * 6


class Told:
    """A process that is asked for a session's context again and again, and another that is asked once."""

    def __init__(self, named: Call, adapters: Adapters) -> None:
        self._session = Session(named.caller.tenant, Project("garden"), SessionId("monday"))
        self._adapters = adapters
        self.meter = Meter()
        self._warm = SessionCalls(metered(adapters, self.meter))

    def warm(self) -> SessionContext:
        self.meter.reset()
        return self._warm.of(self._session)

    def cold(self) -> SessionContext:
        return SessionCalls(self._adapters).of(self._session)


@pytest.mark.req("R145")
@pytest.mark.req("R267")
def test_a_process_reads_what_was_called_lately_however_long_the_session_is(
    named: Call, adapters: Adapters, clock: Any
) -> None:
    told = Told(named, adapters)
    units: dict[int, int] = {}
    for number in range(1, 401):
        memory_after_turn.execute({**EXAMPLE, "turn_id": f"turn-{number}"}, named)
        clock.advance(seconds=40)
        if number % 20 == 0:
            warm = told.warm()
            assert (warm.started_at, list(warm.calls)) == (told.cold().started_at, list(told.cold().calls))
            units[number] = told.meter.sizes["read"]

    assert units[400] == units[200]
    assert told.meter.rounds == 1


def refusing() -> NoReturn:
    raise Disabled("switched off")


def test_a_call_that_fails_late_or_was_begun_before_the_last_look_is_seen(
    named: Call, adapters: Adapters, clock: Any
) -> None:
    told = Told(named, adapters)
    begun = named.services.journal.begin(named.caller, "memory_after_turn")
    memory_after_turn.execute(EXAMPLE, named)
    clock.advance(seconds=1)
    memory_before_turn.execute({**memory_before_turn.example, **SESSION}, named)
    assert len(told.warm().calls) == 2
    subject = Subject(project=Project("garden"), session_id=SessionId("monday"))
    slow = replace(begun, subject=subject)

    clock.advance(seconds=60)
    named.services.journal.run(slow, (), lambda: None)
    assert [call.tool for call in told.warm().calls] == [call.tool for call in told.cold().calls]
    assert len(told.warm().calls) == 3

    clock.advance(seconds=60)
    with pytest.raises(CairnError):
        named.services.journal.run(slow, (), refusing)
    assert [call.success for call in told.warm().calls] == [call.success for call in told.cold().calls]


def test_calls_that_were_erased_are_told_by_no_process(named: Call, adapters: Adapters, clock: Any) -> None:
    told = Told(named, adapters)
    memory_after_turn.execute(EXAMPLE, named)
    clock.advance(hours=0.5)
    memory_after_turn.execute({**EXAMPLE, "turn_id": "turn-2"}, named)
    assert len(told.warm().calls) == 2
    clock.advance(seconds=31)
    for item in adapters.table.query(Query("acme#audit#2026-03-01", "0", "\U0010ffff")).items:
        adapters.table.delete(Delete(Key(str(item["pk"]), str(item["sk"]))))

    assert not told.warm().calls

    clock.advance(seconds=31)
    memory_after_turn.execute({**EXAMPLE, "turn_id": "turn-3"}, named)
    assert [call.turn_id for call in told.warm().calls] == ["turn-3"]


def test_after_an_hour_a_context_is_read_as_a_whole(named: Call, adapters: Adapters, clock: Any) -> None:
    told = Told(named, adapters)
    memory_after_turn.execute(EXAMPLE, named)
    queries: list[int] = []
    for _ in range(4):
        told.warm()
        queries.append(told.meter.counts["query"])
        clock.advance(minutes=25)

    assert queries == [2, 1, 1, 2]
