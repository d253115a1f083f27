"""Standard tools run in the sandbox and memory tools never do; what fails there is an answer at every door."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pytest

from cairn import wiring
from cairn.ground.errors import CairnError, InternalError, InvalidArgument, NotFound, SettingsError, Unavailable
from cairn.services import Services
from cairn.tool.call import Call, execute
from cairn.tool.tool import Tool
from cairn_mcp import door
from cairn_tools.catalog import CATALOG
from cairn_tools.oc_diagnostic_pod_health import EXAMPLE, oc_diagnostic_pod_health
from support.services import changed
from support.tool import FOR_AGENTS, http_status, outcome

EventOf = Callable[..., dict[str, Any]]
RESULT: dict[str, Any] = {"findings": [], "summary": "0 pods in shop, 0 with findings."}


class Spy:
    """A sandbox that keeps what it is asked and answers as a test says."""

    def __init__(self, outcome: Mapping[str, object] | Exception = RESULT) -> None:
        self.outcome = outcome
        self.asked: list[tuple[str, Mapping[str, object], str]] = []

    def invoke(self, tool: str, arguments: Mapping[str, object], request_id: str) -> Mapping[str, object]:
        self.asked.append((tool, arguments, request_id))
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


@pytest.fixture
def spied(services: Services) -> Callable[..., Spy]:
    """Return a function that puts a spy in the sandbox's place for this process's handlers."""

    def put(outcome: Mapping[str, object] | Exception = RESULT) -> Spy:
        spy = Spy(outcome)
        wiring.provide(changed(services, sandbox=spy))
        return spy

    return put


def over_http(tool: Tool, arguments: object, event_of: EventOf) -> tuple[int, dict[str, Any]]:
    response = tool.handler(event_of("/", arguments), None)
    return response["statusCode"], json.loads(response["body"])


def over_mcp(tool: Tool, arguments: object, event_of: EventOf) -> dict[str, Any]:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool.name, "arguments": arguments}}
    response = door.handler(event_of("/mcp", request, headers={"accept": "application/json, text/event-stream"}), None)
    assert response["statusCode"] == 200
    return json.loads(response["body"])["result"]


@pytest.mark.req("R234")
@pytest.mark.parametrize("tool", FOR_AGENTS, ids=lambda tool: tool.name)
def test_a_standard_tool_goes_through_the_sandbox_once_and_a_memory_tool_never(
    tool: Tool, spied: Callable[..., Spy], event_of: EventOf
) -> None:
    spy = spied()
    expected = [tool.name] if tool.family == "standard" else []

    assert over_http(tool, tool.example, event_of)[0] == http_status(tool)
    assert [name for name, _, _ in spy.asked] == expected

    assert over_mcp(tool, tool.example, event_of)["isError"] is (outcome(tool) != "OK")
    assert [name for name, _, _ in spy.asked] == expected * 2


@pytest.mark.req("R234")
@pytest.mark.req("R235")
def test_a_standard_tool_is_granted_the_sandbox_and_what_it_is_told_and_a_memory_tool_never_the_sandbox() -> None:
    families = {tool.family: tool.grants for tool in CATALOG}

    assert families["standard"] == ("executions:use", "sessions:read", "logs:read", "blobs:read", "sandbox:invoke")
    for tool in FOR_AGENTS:
        assert ("sandbox:invoke" in tool.grants) == (tool.family == "standard")


def test_the_sandbox_gets_the_arguments_and_the_request_id_and_not_who_calls(
    spied: Callable[..., Spy], event_of: EventOf
) -> None:
    spy = spied()

    over_http(oc_diagnostic_pod_health, {"namespace": "shop", "pod": "web-1"}, event_of)

    assert spy.asked == [(oc_diagnostic_pod_health.name, {"namespace": "shop", "pod": "web-1"}, "request-1")]


@pytest.mark.req("R223")
def test_memory_context_is_taken_stays_outside_the_sandbox_and_changes_no_answer(call: Call) -> None:
    context = {"summary": "canary", "items": [{"score": 0.9, "tags": ["tool:x"], "snippet": "canary"}]}
    spy = Spy()
    spying = replace(call, services=changed(call.services, sandbox=spy))

    plain = execute(CATALOG, oc_diagnostic_pod_health.name, EXAMPLE, call)
    enriched = execute(CATALOG, oc_diagnostic_pod_health.name, {**EXAMPLE, "memoryContext": context}, call)
    execute(CATALOG, oc_diagnostic_pod_health.name, {**EXAMPLE, "memoryContext": context}, spying)

    assert enriched == plain
    assert "canary" not in str(spy.asked)


@pytest.mark.req("R240")
@pytest.mark.parametrize(
    ("failure", "status", "code"),
    [
        (Unavailable("The sandbox gave no answer"), 503, "UNAVAILABLE"),
        (NotFound("There is no such pod"), 404, "NOT_FOUND"),
        (InvalidArgument("pods.items[0]", "must be an object"), 400, "INVALID_ARGUMENT"),
        (InternalError("The sandbox's answer is not JSON"), 500, "INTERNAL_ERROR"),
        (SettingsError("CAIRN_SANDBOX: is missing"), 500, "INTERNAL_ERROR"),
        (RuntimeError("canary"), 500, "INTERNAL_ERROR"),
    ],
)
def test_what_fails_in_the_sandbox_is_an_error_result_at_every_door(
    failure: Exception, status: int, code: str, *, spied: Callable[..., Spy], event_of: EventOf
) -> None:
    spied(failure)

    answered, body = over_http(oc_diagnostic_pod_health, EXAMPLE, event_of)
    result = over_mcp(oc_diagnostic_pod_health, EXAMPLE, event_of)

    assert (answered, body["error"]["code"]) == (status, code)
    assert result["isError"] is True
    assert result["structuredContent"] == body
    assert "canary" not in json.dumps(body)
    if isinstance(failure, CairnError):
        assert body["error"]["message"] == failure.message


@pytest.mark.parametrize("outcome", [{}, {"findings": "canary"}, {"findings": [{"pod": "canary"}], "summary": ""}])
def test_a_result_that_is_none_of_the_tool_s_is_a_failure(
    outcome: dict[str, Any], spied: Callable[..., Spy], event_of: EventOf
) -> None:
    spied(outcome)

    status, body = over_http(oc_diagnostic_pod_health, EXAMPLE, event_of)

    assert (status, body["error"]["code"]) == (500, "INTERNAL_ERROR")
    assert "canary" not in json.dumps(body)


BAD: dict[str, tuple[str, Any]] = {
    "no namespace": ("namespace", None),
    "a namespace with a slash": ("namespace", "shop/pods"),
    "a namespace that climbs": ("namespace", ".."),
    "a namespace in capitals": ("namespace", "Shop"),
    "a namespace with a line's end": ("namespace", "shop\n"),
    "a namespace of 64 characters": ("namespace", "a" * 64),
    "a pod with a query": ("pod", "web-1?limit=1"),
    "a pod with a comma": ("pod", "web-1,type=Normal"),
    "a pod of 254 characters": ("pod", "a" * 254),
    "a list for pods": ("pods", []),
    "a text for pods": ("pods", "{}"),
    "a text for memory": ("memoryContext", "x"),
    "the other name of memory": ("memory_context", {}),
    "a field that is none": ("cluster", "https://example.com"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_field_is_named_and_nothing_reaches_the_sandbox(
    case: str, spied: Callable[..., Spy], event_of: EventOf
) -> None:
    field, value = BAD[case]
    spy = spied()
    arguments = {name: each for name, each in {**EXAMPLE, field: value}.items() if each is not None}

    status, body = over_http(oc_diagnostic_pod_health, arguments, event_of)

    assert status == 400
    assert list(body["error"]["details"]["fields"]) == [field]
    assert spy.asked == []


def test_without_pods_and_without_a_cluster_the_answer_says_what_to_configure(
    services: Services, event_of: EventOf
) -> None:
    assert services

    status, body = over_http(oc_diagnostic_pod_health, {"namespace": "shop"}, event_of)

    assert (status, body["error"]["code"]) == (400, "INVALID_ARGUMENT")
    assert "settings.mcp.cluster.base_url" in body["error"]["details"]["fields"]["pods"]


def test_a_wrong_list_is_refused_by_its_path(services: Services, event_of: EventOf) -> None:
    assert services
    arguments = {"namespace": "shop", "pods": {"kind": "PodList", "items": [{"metadata": {"name": 7}}]}}

    status, body = over_http(oc_diagnostic_pod_health, arguments, event_of)

    assert status == 400
    assert list(body["error"]["details"]["fields"]) == ["pods.items[0].metadata.name"]
