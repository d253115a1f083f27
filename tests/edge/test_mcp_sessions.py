"""MCP without sessions, on the Lambda of both payloads and on the local server: each request stands alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import pytest
from starlette.testclient import TestClient

from cairn.access.api_keys import Grant
from cairn.ground.ids import Tenant
from cairn.local.server.bridge import Bridge, application
from cairn.services import Services
from cairn_auth import authorizer, metadata
from cairn_health import door as health
from cairn_mcp import door
from cairn_tools.memory_after_turn import EXAMPLE
from support.access import EventOf, bearer, through
from support.loopback import no_lifespan

pytestmark = [pytest.mark.req("R255"), pytest.mark.enable_socket]
Reply: TypeAlias = tuple[int, Mapping[str, str], Any]
Ask: TypeAlias = Callable[..., Reply]
CLIENT = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
CALL = {"name": "memory_after_turn", "arguments": dict(EXAMPLE)}
REQUESTS = {"initialize": CLIENT, "ping": {}, "tools/list": {}, "tools/call": CALL}


@pytest.fixture
def key(services: Services) -> str:
    return services.credentials.create(Tenant("acme"), Grant()).text


@pytest.fixture
def local(services: Services, key: str) -> Iterator[Ask]:
    limit = services.settings.limits.request_bytes
    bridge = Bridge(door.handler, {}, health.handler, metadata.handler, authorizer.handler, limit)
    with TestClient(application(bridge, no_lifespan), base_url="http://127.0.0.1") as client:

        def ask(method: str, body: object = None, **headers: str) -> Reply:
            answer = client.request(method, "/mcp", json=body, headers={**bearer(key), **headers})
            return answer.status_code, answer.headers, answer.json() if answer.content else None

        yield ask


@pytest.fixture(params=["payload 2.0", "payload 1.0", "local"])
def ask(request: pytest.FixtureRequest, key: str, event_of: EventOf) -> Ask:
    """Return a function that sends a request to /mcp and reads what comes back: status, headers and body."""
    if request.param == "local":
        return request.getfixturevalue("local")

    def asked(method: str, body: object = None, **headers: str) -> Reply:
        event = through(bearer(key), event_of("/mcp", "" if body is None else body, headers=headers))
        event["requestContext"]["http"]["method"] = method
        if request.param == "payload 1.0":
            judged = event["requestContext"]["authorizer"]["lambda"]
            context = {"requestId": "request-1", "authorizer": judged}
            event |= {"version": "1.0", "httpMethod": method, "path": "/mcp", "requestContext": context}
        answer = door.handler(event, None)
        return answer["statusCode"], answer["headers"], json.loads(answer["body"]) if answer["body"] else None

    return asked


def rpc(method: str) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": method, "method": method, "params": REQUESTS[method]}


@pytest.mark.parametrize("method", REQUESTS)
def test_a_request_needs_no_handshake_and_no_session_and_is_given_none(method: str, ask: Ask) -> None:
    status, headers, body = ask("POST", rpc(method))

    assert (status, body["id"], "error" in body) == (200, method, False)
    assert body["result"].get("isError", False) is False
    assert "mcp-session-id" not in {name.lower() for name in headers}


@pytest.mark.parametrize("method", REQUESTS)
def test_a_session_that_a_client_names_changes_nothing(method: str, ask: Ask) -> None:
    ask("POST", rpc("tools/call"))
    first = ask("POST", rpc(method))

    for named in ("unknown", "0", "é".encode().hex()):
        again = ask("POST", rpc(method), **{"mcp-session-id": named})
        assert (again[0], again[2]) == (first[0], first[2])
        assert "mcp-session-id" not in {name.lower() for name in again[1]}


@pytest.mark.parametrize("headers", [{}, {"mcp-session-id": "unknown"}, {"accept": "text/event-stream"}])
@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_there_is_no_stream_to_open_and_no_session_to_end(method: str, headers: dict[str, str], ask: Ask) -> None:
    status, answered, body = ask(method, **headers)

    assert (status, answered["allow"], body) == (405, "POST", None)


@pytest.mark.parametrize("name", ["notifications/initialized", "notifications/cancelled"])
def test_a_notification_is_accepted_without_an_answer(name: str, ask: Ask) -> None:
    notification: dict[str, Any] = {"jsonrpc": "2.0", "method": name, "params": {}}

    assert [ask("POST", notification, **{"mcp-session-id": each})[::2] for each in ("a", "b")] == [(202, None)] * 2
