"""Who may call: the authorizer's word, and nothing the request says of itself."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import cairn.edge
import cairn_tools
from cairn.services import Services
from cairn.tool.tool import Tool
from cairn_tools.catalog import CATALOG
from support.receipts import without_call
from support.tool import FOR_AGENTS, http_status

BEFORE, AFTER = CATALOG[0], CATALOG[1]
EventOf = Callable[..., dict[str, Any]]


def each_tool() -> list[Any]:
    return [pytest.param(tool, id=tool.name) for tool in FOR_AGENTS]


def answer(tool: Tool, event: dict[str, Any]) -> tuple[int, Any]:
    response = tool.handler(event, None)
    return response["statusCode"], json.loads(response["body"])


@pytest.mark.req("R007")
@pytest.mark.usefixtures("services")
@pytest.mark.parametrize(
    "authorizer",
    [
        None,
        {},
        {"lambda": None},
        {"lambda": {"scopes": "read write", "projects": "*"}},
        {"lambda": {"tenant": "acme", "projects": "*"}},
        {"lambda": {"tenant": "acme", "scopes": "read write"}},
        {"lambda": {"tenant": "acme", "scopes": "read write", "projects": "a//b"}},
        {"lambda": {"tenant": "acme", "scopes": "read write", "projects": ["*"]}},
        {"lambda": {"tenant": "", "scopes": "read write", "projects": "*"}},
        {"lambda": {"tenant": "a#b", "scopes": "read write", "projects": "*"}},
        {"lambda": {"tenant": "~credentials", "scopes": "read write", "projects": "*"}},
        {"lambda": {"tenant": 7, "scopes": "read write", "projects": "*"}},
        {"tenant": "acme", "scopes": "read write", "projects": "*"},
    ],
)
@pytest.mark.parametrize("tool", each_tool())
def test_a_call_without_the_authorizer_s_word_is_denied(tool: Tool, authorizer: object, event_of: EventOf) -> None:
    event = event_of("/", tool.example, headers={"authorization": "Bearer key", "x-api-key": "key"})
    event["requestContext"]["authorizer"] = authorizer

    status, body = answer(tool, event)

    assert status == 403
    assert body["error"] == {
        "code": "PERMISSION_DENIED",
        "message": "missing authorization",
        "details": {},
        "retryable": False,
    }


@pytest.mark.req("R008")
@pytest.mark.usefixtures("services")
def test_headers_and_body_cannot_choose_the_tenant(event_of: EventOf) -> None:
    assert answer(AFTER, event_of("/", AFTER.example, tenant="acme"))[0] == 200
    honest = without_call(answer(BEFORE, event_of("/", BEFORE.example, tenant="stranger")))

    spoofed = {"authorization": "Bearer acme", "x-tenant": "acme", "x-api-key": "acme", "tenant": "acme"}
    assert without_call(answer(BEFORE, event_of("/", BEFORE.example, tenant="stranger", headers=spoofed))) == honest
    assert without_call(answer(BEFORE, event_of("/", BEFORE.example, tenant="acme"))) != honest
    for claim in ({"tenant": "acme"}, {"caller": {"tenant": "acme"}}):
        status, body = answer(BEFORE, event_of("/", {**BEFORE.example, **claim}, tenant="stranger"))
        assert (status, body["error"]["code"]) == (400, "INVALID_ARGUMENT")


@pytest.mark.req("R008")
def test_no_tool_and_no_part_of_the_edge_reads_a_credential() -> None:
    folders = [Path(path) for module in (cairn.edge, cairn_tools) for path in module.__path__]
    sources = [path.read_text(encoding="utf-8").lower() for folder in folders for path in folder.glob("*.py")]

    assert len(sources) > len(CATALOG)
    for source in sources:
        assert "x-api-key" not in source
        assert "bearer" not in source
        assert "authorization" not in source.replace('"missing authorization"', "")


@pytest.mark.usefixtures("services")
@pytest.mark.parametrize("tool", [pytest.param(tool, id=tool.name) for tool in FOR_AGENTS if tool.runs is None])
def test_a_key_may_do_only_what_its_scopes_say(tool: Tool, event_of: EventOf) -> None:
    needed, other = ("read", "write") if tool.read_only else ("write", "read")
    event = event_of("/", tool.example)

    event["requestContext"]["authorizer"]["lambda"]["scopes"] = other
    status, body = answer(tool, event)
    assert (status, body["error"]["code"]) == (403, "PERMISSION_DENIED")
    assert body["error"]["details"] == {"namespace": tool.family, "operation": needed}

    event["requestContext"]["authorizer"]["lambda"]["scopes"] = needed
    assert answer(tool, event)[0] == http_status(tool)


@pytest.mark.parametrize(
    "event", [{}, {"body": "{}"}, {"requestContext": 3}, {"httpMethod": 1, "path": "/"}, {"x": [1]}]
)
def test_an_event_that_is_none_is_refused(event: dict[str, Any], services: Services) -> None:
    assert services
    status, body = answer(BEFORE, event)

    assert (status, body["error"]["code"]) == (400, "INVALID_ARGUMENT")


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
    max_leaves=9,
)
PARTS = {
    "version": JSON,
    "httpMethod": st.just("POST") | JSON,
    "path": st.just("/") | JSON,
    "rawPath": st.just("/") | JSON,
    "headers": JSON,
    "body": st.text() | JSON,
    "isBase64Encoded": JSON,
    "requestContext": st.fixed_dictionaries(
        {}, optional={"http": JSON | st.just({"method": "POST"}), "authorizer": JSON, "requestId": JSON}
    )
    | JSON,
}


@given(event=st.fixed_dictionaries({}, optional=PARTS))
@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_event_makes_the_door_raise(event: dict[str, Any], services: Services) -> None:
    assert services
    response = AFTER.handler(event, None)

    assert 400 <= response["statusCode"] < 500
    assert json.loads(response["body"])["type"] == "error"


@given(arguments=st.dictionaries(st.sampled_from(sorted(AFTER.input_schema()["properties"])), JSON, max_size=9))
@settings(max_examples=120, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_arguments_make_the_door_fail(arguments: dict[str, Any], event_of: EventOf, services: Services) -> None:
    services.adapters.clock.sleep(60)  # so that no rate is reached
    for tool in FOR_AGENTS:
        assert tool.handler(event_of("/", arguments), None)["statusCode"] in {200, 400}
