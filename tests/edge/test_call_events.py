"""Every call of a tool is told of as it starts and as it ends, in one shape, whatever becomes of it."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from cairn import wiring
from cairn.ground.errors import CairnError
from cairn.memories.fields import MemoryInput
from cairn.services import Services
from cairn.telemetry.call_events import CallEnded, CallStarted
from cairn.tool.call import MEMORY_ACTIONS, Call, execute
from cairn.tool.tool import Tool
from cairn_mcp import door
from cairn_tools.catalog import CATALOG
from support.services import changed
from support.tool import FOR_AGENTS, outcome

EventOf = Callable[..., dict[str, Any]]
ACTIONS = [tool for tool in CATALOG if issubclass(tool.input, MemoryInput)]
CANARY = "canary-7f3"


class Spy:
    """Keeps what it is told, in order, and what the sandbox is asked."""

    def __init__(self) -> None:
        self.told: list[CallStarted | CallEnded] = []
        self.sandboxed: list[str] = []

    def tool_call(self, event: CallStarted) -> None:
        self.told.append(event)

    def tool_result(self, event: CallEnded) -> None:
        self.told.append(event)

    def invoke(self, tool: str, arguments: Mapping[str, object], request_id: str) -> Mapping[str, object]:
        assert arguments
        assert request_id
        self.sandboxed.append(tool)
        return {"findings": [], "summary": "0 pods."}


@pytest.fixture
def spy(call: Call) -> Spy:
    watching = Spy()
    wiring.provide(changed(call.services, observer=watching, sandbox=watching))
    return watching


def over_http(tool: Tool, arguments: object, event_of: EventOf) -> None:
    tool.handler(event_of("/", arguments), None)


def over_mcp(tool: Tool, arguments: object, event_of: EventOf) -> dict[str, Any]:
    params = {"name": tool.name, "arguments": arguments}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    return json.loads(door.handler(event_of("/mcp", message), None)["body"])["result"]


def test_a_session_that_is_null_is_the_one_that_the_request_names(spy: Spy, event_of: EventOf) -> None:
    recall = next(tool for tool in CATALOG if tool.name == "recall")
    event = event_of("/", {"project": "garden", "session_id": None}, headers={"x-cairn-session": "monday"})
    assert json.loads(recall.handler(event, None)["body"])["count"] == 0
    started = spy.told[0]
    assert isinstance(started, CallStarted)
    assert started.session == "monday"


@pytest.mark.req("R238")
@pytest.mark.req("R239")
@pytest.mark.parametrize("tool", FOR_AGENTS, ids=lambda tool: tool.name)
@pytest.mark.parametrize("door_of", [over_http, over_mcp])
def test_a_call_is_told_of_as_it_starts_and_as_it_ends_at_every_door(
    tool: Tool, door_of: Callable[..., Any], spy: Spy, event_of: EventOf
) -> None:
    broken = {**tool.example, "no_such_field": 1}
    for arguments in (dict(tool.example), broken):
        door_of(tool, arguments, event_of)

    good, good_result, bad, bad_result = (
        each for each in spy.told if tool.name == (each.name if isinstance(each, CallStarted) else each.call.name)
    )
    for started, ended in ((good, good_result), (bad, bad_result)):
        assert isinstance(started, CallStarted)
        assert isinstance(ended, CallEnded)
        assert ended.call == started
        assert (started.name, started.session) == (tool.name, tool.example.get("session_id"))
        assert ended.duration_ms >= 0
    assert isinstance(good, CallStarted)
    assert isinstance(bad, CallStarted)
    assert (good.args, bad.args) == (tool.example, broken)
    assert good.id != bad.id
    assert isinstance(good_result, CallEnded)
    assert isinstance(bad_result, CallEnded)
    assert good_result.is_error is (outcome(tool) != "OK")
    assert bad_result.is_error is True
    assert bad_result.content["error"]["code"] == "INVALID_ARGUMENT"


@pytest.mark.req("R239")
def test_a_duration_is_measured_on_a_clock_that_never_goes_back(
    call: Call, spy: Spy, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = iter((100.0, 100.25))
    monkeypatch.setattr("cairn.telemetry.call_events.monotonic", lambda: next(times))

    with pytest.raises(CairnError):
        execute((), "no_such_tool", {}, watched(call, spy))

    (_, ended) = spy.told
    assert isinstance(ended, CallEnded)
    assert ended.duration_ms == 250


@pytest.mark.req("R241")
@pytest.mark.parametrize("name", sorted(MEMORY_ACTIONS))
def test_a_memory_action_that_is_missing_is_an_error_that_says_so_with_its_duration(
    name: str, call: Call, spy: Spy
) -> None:
    rest = [tool for tool in CATALOG if tool.name != name]

    with pytest.raises(CairnError) as missing:
        execute(rest, name, {"session_id": "monday"}, watched(call, spy))

    assert missing.value.message == f"Memory action '{name}' not found"
    started, ended = spy.told
    assert isinstance(started, CallStarted)
    assert (started.name, started.session, started.args) == (name, "monday", {"session_id": "monday"})
    assert isinstance(ended, CallEnded)
    assert ended.is_error
    assert ended.duration_ms >= 0
    assert spy.sandboxed == []


@pytest.mark.req("R233")
@pytest.mark.req("R235")
@pytest.mark.req("R247")
def test_the_guard_list_names_exactly_the_catalog_s_memory_actions() -> None:
    assert {tool.name for tool in ACTIONS} == MEMORY_ACTIONS
    assert {tool.family for tool in ACTIONS} == {"memory"}


@pytest.mark.req("R233")
@pytest.mark.req("R234")
@pytest.mark.parametrize("tool", FOR_AGENTS, ids=lambda tool: tool.name)
def test_no_memory_action_enters_the_sandbox_and_every_standard_tool_does(
    tool: Tool, spy: Spy, event_of: EventOf
) -> None:
    over_mcp(tool, dict(tool.example), event_of)

    assert spy.sandboxed == ([tool.name] if tool.family == "standard" else [])


@pytest.mark.req("R246")
@pytest.mark.req("R240")
@pytest.mark.parametrize("broken", [False, True])
def test_results_of_both_families_look_alike_to_a_model(broken: bool, spy: Spy, event_of: EventOf) -> None:  # noqa: FBT001 - a case
    assert spy
    standard = next(tool for tool in CATALOG if tool.family == "standard")
    results = [
        over_mcp(tool, {**tool.example, **({"no_such_field": 1} if broken else {})}, event_of)
        for tool in (*ACTIONS[:2], standard)
    ]

    for result in results:
        assert list(result) == ["content", "structuredContent", "isError"]
        assert [list(part) for part in result["content"]] == [["type", "text"]]
        assert result["isError"] is broken
        text = result["content"][0]["text"]
        if broken:
            error = result["structuredContent"]["error"]
            assert text == f"{error['code']}: {error['message']}"
        else:
            assert json.loads(text) == result["structuredContent"]


@pytest.mark.req("R238")
def test_the_log_has_both_events_without_content(services: Services, event_of: EventOf, log: io.StringIO) -> None:
    del services
    remember = ACTIONS[0]
    over_mcp(remember, {**remember.example, "content": CANARY, CANARY: CANARY}, event_of)
    over_mcp(remember, {**remember.example, "content": CANARY}, event_of)
    over_mcp(remember, {**remember.example, "session_id": f"/{CANARY}"}, event_of)

    said = [json.loads(line) for line in log.getvalue().splitlines()]
    events = [(line["message"], line["event"]) for line in said if line["message"] in {"tool_call", "tool_result"}]
    assert [message for message, _ in events] == ["tool_call", "tool_result"] * 3
    assert [event["is_error"] for message, event in events if message == "tool_result"] == [True, False, True]
    assert set(events[0][1]["args"]) == set(remember.example)
    assert set(events[0][1]["args"].values()) == {"…"}
    assert [event["session"] for message, event in events if message == "tool_call"] == ["monday", "monday", None]
    assert CANARY not in log.getvalue()


def test_a_name_that_no_tool_has_is_not_logged(call: Call, log: io.StringIO) -> None:
    with pytest.raises(CairnError):
        execute(CATALOG, CANARY, {CANARY: CANARY}, call)

    assert '"tool_call"' in log.getvalue()
    assert CANARY not in log.getvalue()


def watched(call: Call, spy: Spy) -> Call:
    return replace(call, services=changed(call.services, observer=spy))
