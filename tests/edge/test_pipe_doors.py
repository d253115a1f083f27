"""A pipe over the real catalog: every tool by its name, under the caller's rights, and safe to send again."""

from __future__ import annotations

import io
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from threading import Event
from typing import Any

import pytest

from cairn.ground.adapters import Adapters
from cairn.ground.errors import Disabled, InvalidArgument
from cairn.ground.ids import Tenant
from cairn.ground.ports import Table
from cairn.ground.table import Page, Query
from cairn.services import Services
from cairn.tool.call import Call, execute
from cairn.tool.tool import Tool
from cairn_mcp import door
from cairn_tools.catalog import CATALOG
from cairn_tools.mcp_pipe import mcp_pipe
from support.receipts import without_call
from support.services import changed, services_over
from support.tool import FOR_AGENTS, outcome

EventOf = Callable[..., dict[str, Any]]
SESSION = {"project": "garden", "session_id": "monday"}
UNKNOWN: dict[str, Any] = {"id": "unknown", "tool": "no_such_tool", "arguments": {}}
PODS: dict[str, Any] = {
    "id": "pods",
    "tool": "oc_diagnostic_pod_health",
    "arguments": {"namespace": "shop", "pods": {"items": []}},
}
OTHERS = [tool for tool in FOR_AGENTS if tool.runs is None]


def store(name: str, said: str = "My name is Ada.", turn_id: str = "turn-1") -> dict[str, Any]:
    turn = {"turn_id": turn_id, "input_items": [{"role": "user", "content": said}], "output_items": []}
    return {"id": name, "tool": "memory_after_turn", "arguments": {**SESSION, **turn}}


def prepare(name: str, text: str = "What is my name?", **more: object) -> dict[str, Any]:
    return {"id": name, "tool": "memory_before_turn", "arguments": {**SESSION, "current_input": text, **more}}


def piped(call: Call, *steps: object) -> dict[str, Any]:
    return execute(CATALOG, mcp_pipe.name, {"steps": list(steps)}, call)


def failure(answer: dict[str, Any]) -> tuple[str, str]:
    return answer["failed_step"]["id"], answer["failed_step"]["error"]["code"]


@pytest.mark.req("R014")
@pytest.mark.parametrize("tool", OTHERS, ids=lambda tool: tool.name)
def test_every_tool_can_be_called_by_its_name_and_answers_as_it_does_alone(tool: Tool, call: Call) -> None:
    answer = piped(call, {"id": "only", "tool": tool.name, "arguments": dict(tool.example)})

    if outcome(tool) != "OK":
        assert failure(answer) == ("only", outcome(tool))
        return
    assert answer["failed_step"] is None
    (result,) = answer["results"]
    assert (result["id"], result["tool"]) == ("only", tool.name)
    assert result["result"].keys() == execute(CATALOG, tool.name, dict(tool.example), call).keys()


def test_what_one_step_stored_a_later_one_recalls_with_its_result_in_its_arguments(call: Call) -> None:
    listing = {"id": "known", "tool": "memory_list_dir_with_abstract", "arguments": {**SESSION, "limit": 1}}
    answer = piped(call, store("stored"), [listing, prepare("next")], prepare("last", "${known.summaries.0.abstract}"))

    assert "Ada" in json.dumps(answer["results"][2]["result"]["input_items"][:-1])
    abstract = answer["results"][1]["result"]["summaries"][0]["abstract"]
    assert answer["results"][3]["result"]["input_items"][-1]["content"][0]["text"] == abstract


@pytest.mark.req("R014")
def test_an_unknown_tool_is_an_error_of_its_step_at_every_door(event_of: EventOf, services: Services) -> None:
    assert services
    arguments = {"steps": [prepare("first"), UNKNOWN]}
    request = {"name": mcp_pipe.name, "arguments": arguments}
    rpc = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": request}

    over_http = mcp_pipe.handler(event_of("/", arguments), None)
    over_mcp = json.loads(door.handler(event_of("/mcp", rpc), None)["body"])["result"]

    assert over_http["statusCode"] == 200
    assert without_call(json.loads(over_http["body"])) == without_call(over_mcp["structuredContent"])
    assert failure(over_mcp["structuredContent"]) == ("unknown", "DISABLED")
    assert [each["id"] for each in over_mcp["structuredContent"]["results"]] == ["first"]


def test_a_tool_that_is_switched_off_is_off_in_a_pipe_and_so_is_the_pipe(call: Call) -> None:
    settings = call.services.settings

    def switched(**changes: Any) -> Call:
        return replace(call, services=changed(call.services, settings=replace(settings, **changes)))

    assert failure(piped(switched(tool_switches={"memory_after_turn": False}), store("a"))) == ("a", "DISABLED")
    for off in (switched(tool_switches={mcp_pipe.name: False}), switched(memory_switches={"acme": False})):
        with pytest.raises(Disabled):
            piped(off, prepare("a"))


@pytest.mark.req("R014")
def test_each_step_needs_the_caller_s_own_rights(call: Call) -> None:
    reader = replace(call, caller=replace(call.caller, scopes=frozenset({"read"})))
    gardener = replace(call, caller=replace(call.caller, projects=("garden",)))

    refused = piped(reader, prepare("a"), store("b"), prepare("c"))
    assert failure(refused) == ("b", "PERMISSION_DENIED")
    assert refused["failed_step"]["error"]["details"] == {"namespace": "memory", "operation": "write"}
    assert [each["id"] for each in refused["results"]] == ["a"]
    assert piped(gardener, store("a"), prepare("b"))["failed_step"] is None
    assert failure(piped(gardener, prepare("a"), prepare("b", project="kitchen"))) == ("b", "PERMISSION_DENIED")
    assert failure(piped(gardener, PODS)) == ("pods", "PERMISSION_DENIED")


@pytest.mark.req("R014")
def test_a_pipe_stores_for_the_caller_s_tenant_and_no_other_s_sees_it(call: Call) -> None:
    piped(call, store("a"))
    stranger = replace(call, caller=replace(call.caller, tenant=Tenant("stranger")))

    assert "Ada" in json.dumps(piped(call, prepare("a")))
    assert "Ada" not in json.dumps(piped(stranger, prepare("a")))


def test_a_pipe_that_failed_can_be_sent_again_and_stores_its_turn_once(call: Call) -> None:
    lost = {"id": "lost", "tool": "memory_before_turn", "arguments": {**SESSION, "current_input": "${stored.absent}"}}
    first = piped(call, store("stored"), lost)
    again = piped(call, store("stored"), prepare("next"))

    assert failure(first) == ("lost", "INVALID_ARGUMENT")
    replayed = [each["results"][0]["result"]["replayed"] for each in (first, again)]
    assert (replayed, again["failed_step"]) == ([False, True], None)
    assert json.dumps(again["results"][1]["result"]["input_items"]).count("My name is Ada.") == json.dumps(
        piped(call, prepare("next"))["results"][0]["result"]["input_items"]
    ).count("My name is Ada.")


def test_a_pipe_that_breaks_its_limits_is_refused_before_any_step(call: Call) -> None:
    with pytest.raises(InvalidArgument) as refused:
        piped(call, store("a"), *[prepare(f"s{number}") for number in range(50)])

    assert refused.value.details["fields"] == {
        "steps[50]": "is one step too many; a pipe has at most 50, inner pipes included"
    }
    assert piped(call, store("a"))["results"][0]["result"]["replayed"] is False


class Hanging:
    """A table that answers no question about a session until the test is over."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self.over = Event()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._table, name)

    def query(self, query: Query) -> Page:
        if "#s#" in query.pk:
            self.over.wait(10)
        return self._table.query(query)


@pytest.fixture
def hanging(adapters: Adapters, services: Services) -> Iterator[Services]:
    """Return services over a store that does not answer."""
    stuck: Any = Hanging(adapters.table)
    yield services_over(replace(adapters, table=stuck), services.settings)
    stuck.over.set()


@pytest.mark.slow
def test_a_step_that_takes_too_long_fails_and_what_was_done_before_it_is_told(call: Call, hanging: Services) -> None:
    slow = replace(call, services=changed(hanging, sandbox=call.services.sandbox), until=time.monotonic() + 1.2)
    answer = piped(slow, PODS, [prepare("a"), prepare("b")], prepare("c"))

    assert failure(answer) == ("a", "UNAVAILABLE")
    assert [each["id"] for each in answer["results"]] == ["pods"]


@pytest.mark.usefixtures("services")
def test_each_step_leaves_a_line_of_its_own_under_the_request_and_one_is_the_pipe_s(
    event_of: EventOf, log: io.StringIO
) -> None:
    steps = [store("a"), [prepare("b"), UNKNOWN]]
    mcp_pipe.handler(event_of("/", {"steps": steps}), None)

    lines = [line for line in map(json.loads, log.getvalue().splitlines()) if line["message"] == "call"]
    assert len({line["request_id"] for line in lines}) == 1
    assert sorted((str(line.get("tool")), line["status"]) for line in lines) == [
        ("None", "DISABLED"),
        ("mcp_pipe", "OK"),
        ("memory_after_turn", "OK"),
        ("memory_before_turn", "OK"),
    ]
